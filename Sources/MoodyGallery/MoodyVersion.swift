/// The version of moody, as outputs say it.
package enum MoodyVersion {
    package static let number = "0.1.0"
}
