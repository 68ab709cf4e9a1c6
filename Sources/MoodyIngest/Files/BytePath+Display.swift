import MoodyModel
import Texts

extension BytePath: CustomStringConvertible {
    /// The path for people: what is not UTF-8, control characters and those that turn the direction of
    /// writing are escaped, so that a name can neither steer a terminal nor pass for another.
    package var description: String { displayText(bytes) }
}

/// Bytes of a name for people; see ``BytePath/description``.
package func displayText(_ bytes: some Collection<UInt8>) -> String { ShownText.of(bytes) }
