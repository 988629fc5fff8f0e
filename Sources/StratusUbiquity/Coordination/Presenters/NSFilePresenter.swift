import Foundation

/// An object that shows or edits a file or directory, and gets messages about the work of others on it.
///
/// Messages come on ``presentedItemOperationQueue``, from coordinators of this process and of the user's other
/// processes. Everything but the first two members is optional, as Apple's are: there are default implementations.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The file or directory; nil while it has none. Read from any thread.
    var presentedItemURL: URL? { get }
    /// The queue of the messages. Read from any thread.
    var presentedItemOperationQueue: OperationQueue { get }
    /// The item that this one belongs to, such as the movie of a file with subtitles.
    var primaryPresentedItemURL: URL? { get }
    /// The attributes whose changes the presenter gets messages about.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Another program wants to read the item. The presenter calls `reader` when it may, with a block to be called
    /// afterwards.
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void)
    /// Another program wants to write the item. The presenter calls `writer` when it may, with a block to be called
    /// afterwards.
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void)
    /// The presenter saves its changes before another program reads the item.
    func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void)
    /// The item is about to be deleted.
    func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void)
    /// The item was moved.
    func presentedItemDidMove(to newURL: URL)
    /// Contents or attributes of the item changed.
    func presentedItemDidChange()
    /// Attributes among ``observedPresentedItemUbiquityAttributes`` changed.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
    /// The item has another version.
    func presentedItemDidGain(_ version: NSFileVersion)
    /// A version of the item was removed.
    func presentedItemDidLose(_ version: NSFileVersion)
    /// A conflict of the item was resolved.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)

    /// An item in the directory is about to be deleted.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping ((any Error)?) -> Void)
    /// The directory has a further item.
    func presentedSubitemDidAppear(at url: URL)
    /// An item of the directory was moved.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)
    /// An item in the directory changed.
    func presentedSubitemDidChange(at url: URL)
    /// An item in the directory has another version.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)
    /// A version of an item in the directory was removed.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)
    /// A conflict of an item in the directory was resolved.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}

// The protocol documents the members; these make them optional.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension NSFilePresenter {
    public var primaryPresentedItemURL: URL? { nil }
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }
    public func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) { reader(nil) }
    public func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) { writer(nil) }
    public func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) { completionHandler(nil) }
    public func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    public func presentedItemDidMove(to newURL: URL) {}
    public func presentedItemDidChange() {}
    public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    public func presentedItemDidGain(_ version: NSFileVersion) {}
    public func presentedItemDidLose(_ version: NSFileVersion) {}
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping ((any Error)?) -> Void
    ) { completionHandler(nil) }
    public func presentedSubitemDidAppear(at url: URL) {}
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}
    public func presentedSubitemDidChange(at url: URL) {}
    public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}
