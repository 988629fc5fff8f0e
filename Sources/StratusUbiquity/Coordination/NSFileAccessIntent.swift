import Foundation

/// An item that `NSFileCoordinator.coordinate(with:queue:byAccessor:)` reads or writes.
///
/// `@unchecked Sendable`: the coordinator writes the URL before the accessor runs, and nobody does later.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    /// The place of the item. Accessors use this, because the item may have been moved meanwhile.
    open internal(set) var url: URL
    let target: CoordinatedTarget

    private init(_ target: CoordinatedTarget) {
        url = target.url
        self.target = target
    }

    /// An item to be read.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent {
        NSFileAccessIntent(CoordinatedTarget(reading: url, options))
    }

    /// An item to be written.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent {
        NSFileAccessIntent(CoordinatedTarget(writing: url, options))
    }
}

/// An item as a program names it, and the access to it.
struct CoordinatedTarget: Sendable {
    let url: URL
    let access: CoordinatedAccess

    init(reading url: URL, _ options: NSFileCoordinator.ReadingOptions) {
        let path = CoordinatedPath.canonical(url, followingLast: options.contains(.resolvesSymbolicLink))
        let isLink = path != CoordinatedPath.canonical(url)
        self.url = isLink ? URL(fileURLWithPath: path) : url
        access = CoordinatedAccess(
            item: path, unit: CoordinatedPath.unit(of: path), isWriting: false, options: options.rawValue)
    }

    init(writing url: URL, _ options: NSFileCoordinator.WritingOptions) {
        let path = CoordinatedPath.canonical(url)
        self.url = url
        access = CoordinatedAccess(
            item: path, unit: CoordinatedPath.unit(of: path), isWriting: true, options: options.rawValue)
    }

    /// Returns the place of the item according to a claim: the program's own URL, unless the item was moved.
    func url(after access: CoordinatedAccess) -> URL {
        access.item == self.access.item ? url : URL(fileURLWithPath: access.item)
    }
}
