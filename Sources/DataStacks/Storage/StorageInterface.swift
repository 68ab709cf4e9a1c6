public import Foundation
public import ManagedObjects

/// A place for objects: a file, or memory.
public protocol StorageInterface: Sendable {
    /// The file; nil for memory.
    var fileURL: URL? { get }
    var storeType: PersistentStoreCoordinator.StoreType { get }
    /// The name of the model's configuration whose entities the store takes; nil for all.
    var configuration: String? { get }
    var localStorageOptions: LocalStorageOptions { get }
    /// Whether the store must be there, and nothing in its folder is written.
    var isReadOnly: Bool { get }
}

/// Permissions of a stack to change a file when it is added.
public struct LocalStorageOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: UInt8
    /// Describes a store in a file of another format.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A store of a version that cannot be migrated gives way to a new one. The old file is kept, as
    /// `NAME.~1~` or the next number that is free.
    public static let recreateStoreOnModelMismatch = LocalStorageOptions(rawValue: 1)
    /// A store is migrated straight to the current version, whatever the migration chain says.
    public static let preventProgressiveMigration = LocalStorageOptions(rawValue: 2)
    /// `addStorageAndWait` migrates too, where no step needs a mapping of the program's.
    public static let allowSynchronousLightweightMigration = LocalStorageOptions(rawValue: 4)
    /// No permission.
    public static let none: LocalStorageOptions = []
}

/// A file in Core Data's SQLite format.
public struct SQLiteStore: StorageInterface, Hashable {
    /// The file.
    public let location: URL
    /// The configuration whose entities the store holds; nil for the default one.
    public let configuration: String?
    /// Options for a file that does not fit the model.
    public let localStorageOptions: LocalStorageOptions
    /// Whether the store is opened for reading only.
    public let isReadOnly: Bool

    /// The file of the store; nil for a store in memory.
    public var fileURL: URL? { location }
    /// The kind of store.
    public var storeType: PersistentStoreCoordinator.StoreType { .sqlite }

    /// - Parameters:
    ///   - fileURL: the file; it is made where there is none.
    ///   - configuration: the configuration whose entities the store holds; nil for all.
    ///   - localStorageOptions: options for a file that does not fit the model.
    ///   - isReadOnly: whether the store must be there, and nothing in its folder is written.
    public init(
        fileURL: URL, configuration: String? = nil, localStorageOptions: LocalStorageOptions = .none,
        isReadOnly: Bool = false
    ) {
        (location, self.configuration) = (fileURL, configuration)
        (self.localStorageOptions, self.isReadOnly) = (localStorageOptions, isReadOnly)
    }

    /// - Parameters:
    ///   - fileName: of a file in ``defaultDirectory``.
    ///   - configuration: the configuration whose entities the store holds; nil for all.
    ///   - localStorageOptions: options for a file that does not fit the model.
    ///   - isReadOnly: whether the store is only read.
    public init(
        fileName: String, configuration: String? = nil, localStorageOptions: LocalStorageOptions = .none,
        isReadOnly: Bool = false
    ) {
        self.init(
            fileURL: Self.defaultDirectory.appending(path: fileName), configuration: configuration,
            localStorageOptions: localStorageOptions, isReadOnly: isReadOnly)
    }

    /// The file named after the program, in ``defaultDirectory``.
    public init() { self.init(fileName: "\(ProcessInfo.processInfo.processName).sqlite") }

    /// `$XDG_DATA_HOME/PROGRAM`, or `~/.local/share/PROGRAM`; made when a store is added there.
    public static var defaultDirectory: URL { PersistentContainer.defaultDirectory }
}

/// Memory, which ends with the stack.
public struct InMemoryStore: StorageInterface, Hashable {
    /// The configuration whose entities the store holds; nil for the default one.
    public let configuration: String?
    /// The file of the store; nil for a store in memory.
    public var fileURL: URL? { nil }
    /// The kind of store.
    public var storeType: PersistentStoreCoordinator.StoreType { .inMemory }
    /// Options for a file that does not fit the model.
    public var localStorageOptions: LocalStorageOptions { .none }
    /// Whether the store is opened for reading only.
    public var isReadOnly: Bool { false }

    /// Describes a store in memory.
    public init(configuration: String? = nil) { self.configuration = configuration }
}

/// A file that is read and written whole: XML, a binary property list, or a format of one's own.
public struct FileStore: StorageInterface {
    /// The file.
    public let location: URL
    /// The kind of store.
    public let storeType: PersistentStoreCoordinator.StoreType
    /// The configuration whose entities the store holds; nil for the default one.
    public let configuration: String?
    /// Options for a file that does not fit the model.
    public let localStorageOptions: LocalStorageOptions
    /// Whether the store is opened for reading only.
    public let isReadOnly: Bool

    /// The file of the store; nil for a store in memory.
    public var fileURL: URL? { location }

    /// Describes a store in a file of another format.
    public init(
        fileURL: URL, type: PersistentStoreCoordinator.StoreType = .xml, configuration: String? = nil,
        localStorageOptions: LocalStorageOptions = .none, isReadOnly: Bool = false
    ) {
        (location, storeType, self.configuration) = (fileURL, type, configuration)
        (self.localStorageOptions, self.isReadOnly) = (localStorageOptions, isReadOnly)
    }
}
