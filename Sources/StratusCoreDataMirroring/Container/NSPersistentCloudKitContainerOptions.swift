import Foundation
import StratusCloudKit
import StratusCoreData
import Synchronization

// `@unchecked Sendable`: the name never changes, and a lock protects the scope.
/// The cloud that a store is kept the same with: a container, and one of its databases.
open class NSPersistentCloudKitContainerOptions: NSObject, @unchecked Sendable {
    /// The identifier of the container, such as `iCloud.org.example.notes`.
    public let containerIdentifier: String

    /// The database; the private one unless a program sets another.
    open var databaseScope: CKDatabase.Scope {
        get { scope.withLock { $0 } }
        set { scope.withLock { $0 = newValue } }
    }

    private let scope = Mutex(CKDatabase.Scope.private)

    /// Makes options for the private database of a container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }

    /// Whether the other options are for the same database.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentCloudKitContainerOptions else { return false }
        return containerIdentifier == other.containerIdentifier && databaseScope == other.databaseScope
    }

    /// The hash of the container.
    open override var hash: Int { containerIdentifier.hashValue }

    /// The container and the database.
    open override var description: String {
        "<NSPersistentCloudKitContainerOptions: containerIdentifier=\(containerIdentifier), "
            + "databaseScope=\(databaseScope)>"
    }
}

extension NSPersistentStoreDescription {
    static let cloudKitOptionsKey = "NSPersistentCloudKitContainerOptionsKey"

    /// The cloud that ``NSPersistentCloudKitContainer`` keeps the store the same with; nil for a store of this machine
    /// only.
    public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
        get { options[Self.cloudKitOptionsKey] as? NSPersistentCloudKitContainerOptions }
        set { setOption(newValue, forKey: Self.cloudKitOptionsKey) }
    }
}
