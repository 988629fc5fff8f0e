import Foundation

/// The state of a document's file, or of a package with everything in it.
struct DocumentStamp: Hashable, Sendable {
    /// The stamps of the item, under an empty path, and of everything in it.
    private let stamps: [String: FileStamp]

    /// The stamp of what is at a URL; nil if there is nothing.
    init?(_ url: URL) {
        guard let stamp = FileStamp(url.path) else { return nil }
        var stamps = ["": stamp]
        for path in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String }) ?? [] {
            stamps[path] = FileStamp(url.path + "/" + path)
        }
        self.stamps = stamps
    }
}
