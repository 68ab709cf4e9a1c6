public import ManagedObjects

/// A step of a migration, as it would be made.
public enum MigrationType: Sendable, Hashable {
    /// The step is inferred from the two versions.
    case lightweight(sourceVersion: String, destinationVersion: String)
    /// The step needs a mapping of the program's.
    case heavyweight(sourceVersion: String, destinationVersion: String)

    /// Whether the step needs a mapping of the program's.
    public var isHeavyweightMigration: Bool { if case .heavyweight = self { true } else { false } }
    /// Whether the step is inferred.
    public var isLightweightMigration: Bool { !isHeavyweightMigration }

    /// The version before the step.
    public var sourceVersion: String {
        switch self {
        case .lightweight(let source, _), .heavyweight(let source, _): source
        }
    }

    /// The version after the step.
    public var destinationVersion: String {
        switch self {
        case .lightweight(_, let destination), .heavyweight(_, let destination): destination
        }
    }
}

extension MigrationType: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        "\(isHeavyweightMigration ? "heavyweight" : "lightweight") \(sourceVersion) -> \(destinationVersion)"
    }
}

extension MigrationProgress {
    /// "50% completed"
    public var localizedDescription: String { "\(Int(fractionCompleted * 100))% completed" }

    /// The steps that are done, of all: "1 of 2".
    public var localizedAdditionalDescription: String { "\(stepsDone) of \(stepCount)" }

    var stepsDone: Int { objectsDone >= objectCount ? step : step - 1 }
}

/// A migration of a store that was made, but for putting the result in the store's place.
public struct MigrationPreview: Sendable, Equatable {
    /// The steps that are needed; none for a store of the current version.
    public let steps: [MigrationType]
    /// Why the migration would fail; nil when it would not.
    public let problem: StackError?
    /// The number of objects that were brought over in the last step.
    public let objectCount: Int
    /// How long the migration takes.
    public let duration: Duration

    /// Whether the migration would succeed.
    public var isPossible: Bool { problem == nil }
}
