import Foundation

/// The state of an item's synchronization. The process that synchronizes the container writes it, and all others read
/// it.
///
/// It is an extended attribute of the item, so it moves with it, and is lost when the item is written anew with new
/// contents: then it is not uploaded any more, which is right. A placeholder, `.NAME.icloud`, stands for an item that
/// is not on this machine, and has the item's state.
struct UbiquityState: Codable, Hashable, Sendable {
    /// The extended attribute.
    static let attribute = "user.org.stratus.ubiquity"

    /// `NSURLUbiquitousItemDownloadingStatus…`
    enum Download: String, Codable, Sendable {
        case notDownloaded = "NSURLUbiquitousItemDownloadingStatusNotDownloaded"
        case downloaded = "NSURLUbiquitousItemDownloadingStatusDownloaded"
        case current = "NSURLUbiquitousItemDownloadingStatusCurrent"
    }

    /// An error of a transfer.
    struct Failure: Codable, Hashable, Sendable {
        var domain: String
        var code: Int
        var text: String
    }

    var isUploaded = false
    var isUploading = false
    var isDownloading = false
    var isDownloadRequested = false
    var isShared = false
    var isExcluded = false
    /// nil: a file that is here is current, and a placeholder not downloaded.
    var download: Download?
    var percentUploaded: Double?
    var percentDownloaded: Double?
    var uploadFailure: Failure?
    var downloadFailure: Failure?
    /// Bytes of the item that a placeholder stands for.
    var size: Int64?
    /// Whether the item has contents in conflict on the server; nil for false.
    var hasConflict: Bool?

    init() {}

    /// The state of the item at a path, or of its placeholder.
    static func of(_ path: String) -> UbiquityState {
        let file = FileManager.default.fileExists(atPath: path) ? path : placeholder(of: path)
        guard let bytes = ExtendedAttributes.value(of: attribute, at: file),
            let state = try? JSONDecoder().decode(UbiquityState.self, from: Data(bytes))
        else { return UbiquityState() }
        return state
    }

    /// Writes the state of an item or placeholder, and notifies presenters of the attributes that changed.
    func write(to path: String, changed keys: Set<URLResourceKey> = []) throws {
        try set(at: FileManager.default.fileExists(atPath: path) ? path : Self.placeholder(of: path))
        if !keys.isEmpty { Self.notify(keys, at: path) }
    }

    /// Sets the attribute of a file or directory, or of the file of a placeholder.
    func set(at file: String) throws {
        let failure = ExtendedAttributes.set(Self.attribute, to: Array(try JSONEncoder().encode(self)), at: file)
        guard failure == 0 else { throw CoordinationDirectory.error(failure, file) }
    }

    /// Notifies presenters of an item of the attributes that changed.
    static func notify(_ keys: Set<URLResourceKey>, at path: String) {
        NSFileCoordinator().item(at: URL(fileURLWithPath: path), didChangeUbiquityAttributes: keys)
    }

    /// Whether the item takes part in synchronization.
    static func isIncluded(_ path: String) -> Bool { !of(path).isExcluded }

    /// Whether the file or directory at a path is excluded. Quick for the many that are not.
    static func isExcluded(_ path: String) -> Bool {
        guard let bytes = ExtendedAttributes.value(of: attribute, at: path),
            Data(bytes).range(of: Data("\"isExcluded\":true".utf8)) != nil
        else { return false }
        return of(path).isExcluded
    }

    /// Returns the path of an item's placeholder.
    static func placeholder(of path: String) -> String {
        let path = path as NSString
        return (path.deletingLastPathComponent as NSString).appendingPathComponent(
            placeholderName(of: path.lastPathComponent))
    }

    /// The name of the placeholder of an item with a name.
    static func placeholderName(of name: String) -> String { ".\(name).icloud" }

    /// The item that a placeholder stands for; nil if the name is not one of a placeholder.
    static func item(ofPlaceholder path: String) -> String? {
        let name = (path as NSString).lastPathComponent
        guard name.hasPrefix("."), name.hasSuffix(".icloud"), name.utf8.count > ".x.icloud".utf8.count - 1 else {
            return nil
        }
        let directory = (path as NSString).deletingLastPathComponent as NSString
        return directory.appendingPathComponent(String(name.dropFirst().dropLast(".icloud".count)))
    }

    /// Whether contents of the item wait to be chosen from. Those of an item that is not here are not here either.
    func hasUnresolvedConflicts(at url: URL) -> Bool {
        NSFileVersion.unresolvedConflictVersionsOfItem(at: url).map { !$0.isEmpty } ?? (hasConflict == true)
    }

    /// Whether the item is here, and how new it is.
    func downloadingStatus(at path: String) -> Download {
        download ?? (FileManager.default.fileExists(atPath: path) ? .current : .notDownloaded)
    }
}

/// Whether the newest contents of an item are on this machine.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    /// The number that stands for the value.
    public let rawValue: String
    /// Takes the number.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The contents are not on this machine.
    public static let notDownloaded = Self(rawValue: UbiquityState.Download.notDownloaded.rawValue)
    /// This machine has contents, and newer ones are known.
    public static let downloaded = Self(rawValue: UbiquityState.Download.downloaded.rawValue)
    /// This machine has the newest contents that are known.
    public static let current = Self(rawValue: UbiquityState.Download.current.rawValue)
}
