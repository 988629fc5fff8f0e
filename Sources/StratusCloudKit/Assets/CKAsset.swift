import Foundation
import StratusCloudModel
import StratusWorkers

/// A file beside a record. Only its bytes are stored, not its name.
///
/// `@unchecked Sendable`: what changes is under a lock.
public final class CKAsset: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The bytes on the server, and the field that they stand in: there they need not be sent again.
    struct Stored: Sendable, Hashable {
        var asset: Asset
        var recordID: CKRecord.ID
        var fieldKey: CKRecord.FieldKey
    }

    /// Where the bytes are: the file that was given, or a copy of what the server has, which the system may remove later.
    /// nil where the bytes were not fetched, as in the server's record of a conflict.
    public let fileURL: URL?
    private let place: Lock<Stored?>
    private let kept = Lock<URL?>(nil)
    private let tracked = Lock<AssetUploadTracking?>(nil)

    /// An asset of a file, which must stay as it is until the record is saved. Anything but a file URL is a fault of the
    /// program.
    public convenience init(fileURL: URL) {
        ProgramFault.check(fileURL.isFileURL, "An asset needs a file URL.")
        self.init(fileURL: fileURL, stored: nil)
    }

    init(fileURL: URL?, stored: Stored?) {
        self.fileURL = fileURL
        place = Lock(stored)
    }

    /// Where the server has the bytes, as far as is known.
    var stored: Stored? {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }

    /// A copy of the file that is sent in its place, while a long-lived operation is to save it.
    var keptURL: URL? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    /// The record of the upload of the file; nil if nobody keeps one.
    package var tracking: AssetUploadTracking? {
        get { tracked.withLock { $0 } }
        set { tracked.withLock { $0 = newValue } }
    }

    /// Archives hold it; the bytes stay in the file.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        if let path = coder.decoded(NSString.self, "FilePath") as String? {
            self.init(fileURL: path.isEmpty ? nil : URL(fileURLWithPath: path), stored: nil)
        } else if coder.containsValue(forKey: Self.appleFileKey) {
            let url = coder.decoded(NSURL.self, Self.appleFileKey) as URL?
            guard url?.isFileURL ?? !coder.hasFailed else { return nil }
            self.init(fileURL: url, stored: nil)
        } else {
            return nil
        }
    }

    private static let appleFileKey = "AssetFileURL"

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode((fileURL?.path ?? "") as NSString, forKey: "FilePath")
    }

    /// The same object.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// For logs.
    public override var description: String { "<CKAsset: fileURL=\(fileURL?.path ?? "nil")>" }
}
