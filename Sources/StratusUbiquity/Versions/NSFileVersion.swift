import Foundation
import StratusWorkers

/// A version of a file: the current one, or another one that was kept, such as one in conflict with it.
open class NSFileVersion: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: the entry is under a lock, everything else does not change.

    /// Options for adding a version.
    public struct AddingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The contents are moved, not copied.
        public static let byMoving = AddingOptions(rawValue: 1)
    }

    /// Options for replacing a file by a version.
    public struct ReplacingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The version is moved into the file's place, and is no version any more.
        public static let byMoving = ReplacingOptions(rawValue: 1)
    }

    private static let current = "current"

    private let item: String
    private let identifier: String
    /// nil for the current version, and for one that was removed before anybody asked.
    private let entry: Lock<FileVersions.Entry?>

    init(item: String, identifier: String) {
        self.item = item
        self.identifier = identifier
        entry = Lock(FileVersions.store.entry(of: item, identifier))
    }

    private convenience init(_ entry: FileVersions.Entry) { self.init(item: entry.item, identifier: entry.identifier) }

    /// The file as it is; nil if it does not exist.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return NSFileVersion(item: CoordinatedPath.canonical(url), identifier: current)
    }

    /// The versions that were kept, the oldest first; nil if the file does not exist.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return FileVersions.store.entries(of: CoordinatedPath.canonical(url)).map(NSFileVersion.init)
    }

    /// The versions in conflict with the current one that are not resolved.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        otherVersionsOfItem(at: url)?.filter { $0.isConflict && !$0.isResolved }
    }

    /// Passes the versions whose contents are not on this machine: an empty array, because all are kept here.
    open class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async { completionHandler([], nil) }
    }

    /// The version with a ``persistentIdentifier``; nil if it does not exist any more.
    open class func version(itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any) -> NSFileVersion? {
        guard let identifier = persistentIdentifier as? String else { return nil }
        if identifier == current { return currentVersionOfItem(at: url) }
        return FileVersions.store.entry(of: CoordinatedPath.canonical(url), identifier).map(NSFileVersion.init)
    }

    /// Keeps a further version of a file.
    open class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        NSFileVersion(
            try FileVersions.store.add(
                contentsOf: contentsURL, to: url, isConflict: false, savedOn: nil,
                byMoving: options.contains(.byMoving)))
    }

    /// A directory for contents that ``addOfItem(at:withContentsOf:options:)`` is to move.
    open class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) throws -> URL {
        try FileVersions.store.temporaryDirectory(for: url)
    }

    /// Removes all versions but the current one.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        for entry in FileVersions.store.entries(of: CoordinatedPath.canonical(url)) {
            try FileVersions.store.remove(entry)
        }
    }

    /// The place of the contents, which must not be changed.
    open var url: URL {
        entry.withLock { $0 }.flatMap { try? FileVersions.store.contents(of: $0) } ?? URL(fileURLWithPath: item)
    }

    /// The name of the file.
    open var localizedName: String? { (item as NSString).lastPathComponent }
    /// The computer that wrote the version.
    open var localizedNameOfSavingComputer: String? {
        identifier == Self.current ? ProcessInfo.processInfo.hostName : entry.withLock { $0?.description.savedOn }
    }
    /// The name of the person who wrote the version; always nil, because it is not known.
    open var originatorNameComponents: PersonNameComponents? { nil }
    /// The date at which the version was written.
    open var modificationDate: Date? {
        guard identifier == Self.current else { return entry.withLock { $0?.description.modified } }
        return (try? FileManager.default.attributesOfItem(atPath: item))?[.modificationDate] as? Date
    }
    /// Stands for the version in ``version(itemAt:forPersistentIdentifier:)``, also after a restart.
    open var persistentIdentifier: any NSCoding { identifier as NSString }
    /// Whether the version was in conflict with the current one.
    open var isConflict: Bool { entry.withLock { $0?.description.isConflict } ?? false }

    /// Whether the conflict is resolved. Only true may be set.
    open var isResolved: Bool {
        get { entry.withLock { $0?.description.isResolved } ?? true }
        set {
            precondition(newValue, "a conflict that was resolved cannot be made unresolved")
            let changed: FileVersions.Entry? = entry.withLock { entry in
                guard entry?.description.isResolved == false else { return nil }
                entry?.description.isResolved = true
                return entry
            }
            guard let changed else { return }
            NSFileCoordinator.report { try FileVersions.store.update(changed) }
        }
    }

    /// Whether the version may be removed to make room.
    open var isDiscardable: Bool {
        get { entry.withLock { $0?.description.isDiscardable } ?? false }
        set {
            let changed: FileVersions.Entry? = entry.withLock { entry in
                entry?.description.isDiscardable = newValue
                return entry
            }
            guard let changed else { return }
            NSFileCoordinator.report { try FileVersions.store.update(changed) }
        }
    }

    /// Whether the contents are on this machine.
    open var hasLocalContents: Bool { true }
    /// Whether there is a picture of the version.
    open var hasThumbnail: Bool { false }

    /// Puts the contents in the place of a file. To be called within a coordinated write.
    /// - Returns: where they are.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        let temporary = FileReplacement.temporaryPlace(beside: url)
        do {
            try FileManager.default.copyItem(at: self.url, to: temporary)
            try FileReplacement.synchronize(temporary)
            try FileWrapper.exchange(temporary, into: url)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        if options.contains(.byMoving) { try remove() }
        return url
    }

    /// Removes the version. The current one is removed by removing the file.
    open func remove() throws {
        guard let entry = entry.withLock({ $0 }) else {
            throw CocoaError(
                .fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: "the current version cannot be removed"])
        }
        try FileVersions.store.remove(entry)
    }
}
