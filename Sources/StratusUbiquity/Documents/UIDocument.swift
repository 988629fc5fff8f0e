import Foundation
import StratusCompatibility
import StratusWorkers

/// A document in a file or package: opened, saved and closed in the background, coordinated with other programs.
///
/// Subclasses override ``contents(forType:)`` and ``load(fromContents:ofType:)``.
@MainActor open class UIDocument: NSObject, NSFilePresenter {
    /// The state that a document is in.
    public struct State: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The document is open and there is nothing to report.
        public static let normal: State = []
        /// The document is not open.
        public static let closed = State(rawValue: 1)
        /// The file has versions in conflict.
        public static let inConflict = State(rawValue: 2)
        /// The document could not be saved.
        public static let savingError = State(rawValue: 4)
        /// The document cannot be edited at the moment.
        public static let editingDisabled = State(rawValue: 8)
        /// A transfer is under way, and its progress is known.
        public static let progressAvailable = State(rawValue: 16)
    }

    /// The purpose of a save.
    public enum SaveOperation: Int, Sendable {
        case forCreating = 0
        case forOverwriting = 1
    }

    /// A kind of change that a person makes.
    public enum ChangeKind: Int, Sendable {
        case done = 0
        case undone = 1
        case redone = 2
        case cleared = 3
    }

    /// Posted when ``documentState`` changes. The object is the document.
    public nonisolated static let stateChangedNotification = Notification.Name("UIDocumentStateChangedNotification")

    /// The place of the file, which other threads than the main one use, too.
    struct Place {
        var url: URL
        var modificationDate: Date?
        /// The state of the file that was read or written last.
        var stamp: DocumentStamp?
        /// Whether contents that are read are loaded later, when no other program waits for the file.
        var isReading = false
        /// Contents that were read and are to be loaded.
        var contents: CarriedContents?
        /// Whether the document's own method has written it and noted the stamp.
        var isWritten = false
    }

    nonisolated let place: Lock<Place>
    /// Reading and writing, one after another.
    nonisolated let fileAccess = DispatchQueue(label: "org.stratus.document")
    /// The queue of the messages that the document gets as a file presenter.
    public nonisolated let presentedItemOperationQueue: OperationQueue
    private nonisolated(unsafe) var undoObservers: [any NSObjectProtocol] = []
    var changes = ChangeCount()
    /// Whether a revert that begins now follows another program, and nobody has decided to drop changes.
    var isFollowing = false
    var isClosing = false
    /// Calls that wait for the end of a close.
    var afterClosing: [() -> Void] = []
    var reading = Reading()
    private var autosaving: Task<Void, Never>?
    private var undo: UndoManager?
    var pendingErrors: [() -> Void] = []
    /// The time between a change and its autosave.
    var autosaveDelay = DocumentLimits.autosaveDelay

    /// A document that is closed until it is opened or created.
    public init(fileURL url: URL) {
        precondition(url.isFileURL && !url.path.isEmpty, "a document needs the URL of a file")
        place = Lock(Place(url: url))
        presentedItemOperationQueue = OperationQueue()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        super.init()
    }

    deinit { for observer in undoObservers { NotificationCenter.default.removeObserver(observer) } }

    /// The file of the document.
    public nonisolated var fileURL: URL { place.withLock { $0.url } }
    /// The place of the document: ``fileURL``.
    public nonisolated var presentedItemURL: URL? { fileURL }
    /// The modification date of the file when the document last read or wrote it.
    open var fileModificationDate: Date? {
        get { place.withLock { $0.modificationDate } }
        set { place.withLock { $0.modificationDate = newValue } }
    }
    /// The name to show.
    open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }
    /// The uniform type identifier.
    open var fileType: String? { ContentType.identifier(of: fileURL) }
    /// The type in which the document is saved.
    open var savingFileType: String? { fileType }
    /// The progress of a transfer; always nil, because documents are read from this machine.
    open var progress: Progress? { nil }

    /// The state that the document is in.
    public internal(set) var documentState: State = .closed {
        didSet {
            guard documentState != oldValue else { return }
            if oldValue.contains(.closed), hasUnsavedChanges { scheduleAutosave() }
            NotificationCenter.default.postOnMainQueue(Self.stateChangedNotification, object: self)
        }
    }

    // MARK: Contents

    /// Returns the contents to save: `Data` or a `FileWrapper`.
    open func contents(forType typeName: String) throws -> Any {
        throw CocoaError(
            .featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "contents(forType:) is not overridden"])
    }

    /// Takes the contents that were read: `Data` of a file, a `FileWrapper` of a package.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw CocoaError(
            .featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "load(fromContents:) is not overridden"])
    }

    /// Called when the person must not edit for a while.
    open func disableEditing() {}
    /// Called when the person may edit again.
    open func enableEditing() {}

    // MARK: Changes

    /// Whether there is something to save. Also while a group of the undo manager is open that has actions.
    open var hasUnsavedChanges: Bool { !changes.isSaved || undo?.hasOpenActions == true }

    /// Notes a change, which will be saved soon.
    open func updateChangeCount(_ change: ChangeKind) {
        changes.note(change)
        if hasUnsavedChanges { scheduleAutosave() } else { cancelAutosave() }
    }

    /// The changes that a save is about to write, for ``updateChangeCount(withToken:for:)``.
    open func changeCountToken(for saveOperation: SaveOperation) -> Any { changes.token }

    /// Takes off the changes that were saved. Those that came meanwhile stay.
    open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
        guard let token = changeCountToken as? ChangeCount.Token else { return }
        changes.save(token)
        if hasUnsavedChanges { scheduleAutosave() } else { cancelAutosave() }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The undo manager, whose groups count as changes. Implicitly unwrapped, as Apple's is.
    open var undoManager: UndoManager! {
        get {
            if undo == nil { observe(UndoManager()) }
            return undo
        }
        set { observe(newValue) }
    }

    /// Counts what the person did in this turn of the main queue, whose undo group is still open.
    func countOpenChanges() { undo?.endEventGroup() }

    private func observe(_ manager: UndoManager?) {
        for observer in undoObservers { NotificationCenter.default.removeObserver(observer) }
        undo = manager
        guard let manager else { return undoObservers = [] }
        let kinds: [(Notification.Name, ChangeKind)] = [
            (.NSUndoManagerDidCloseUndoGroup, .done), (.NSUndoManagerDidUndoChange, .undone),
            (.NSUndoManagerDidRedoChange, .redone),
        ]
        undoObservers = kinds.map { name, kind in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { [weak self] _ in
                // The manager of a document is used on the main actor, and posts where it is used.
                MainActor.assumeIsolated { self?.updateChangeCount(kind) }
            }
        }
    }

    func scheduleAutosave(after delay: Duration? = nil) {
        guard autosaving == nil, !documentState.contains(.closed) else { return }
        let delay = delay ?? autosaveDelay
        autosaving = Task { [weak self] in
            try? await Task.sleep(for: delay)
            guard let self, !Task.isCancelled else { return }
            self.autosaving = nil
            if !self.documentState.contains(.closed) { self.autosave(completionHandler: nil) }
        }
    }

    var isAutosaveScheduled: Bool { autosaving != nil }

    func cancelAutosave() {
        autosaving?.cancel()
        autosaving = nil
    }

    /// Forgets what could be undone, as the contents are others now.
    func forgetChanges() {
        changes.note(.cleared)
        cancelAutosave()
        undo?.removeAllActions()
    }

    // MARK: The life of a document

    /// Reads the document in the background, and presents it to other programs from then on.
    open func open(completionHandler: ((Bool) -> Void)? = nil) { startOpening(completionHandler) }

    /// Saves what is unsaved, and stops presenting the document.
    open func close(completionHandler: ((Bool) -> Void)? = nil) { startClosing(completionHandler) }

    /// Writes the document in the background.
    open func save(to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil) {
        startSaving(to: url, for: saveOperation, completionHandler)
    }

    /// Saves if there are unsaved changes. Called some seconds after a change, when another program wants to read the
    /// file, and when the document is closed.
    open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard hasUnsavedChanges else {
            completionHandler?(true)
            return
        }
        save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
    }

    /// Drops changes and reads a file.
    open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        startReverting(to: url, completionHandler)
    }

    /// Runs something in the background, but not while the document is read or written.
    public nonisolated func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) {
        fileAccess.async(execute: block)
    }

    // MARK: Errors

    /// Called when the document cannot be opened, saved or closed. Overriding methods call
    /// ``finishedHandlingError(_:recovered:)`` when they are done, or this one.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        finishedHandlingError(error, recovered: false)
    }

    /// Ends the operation that failed with the error.
    open func finishedHandlingError(_ error: any Error, recovered: Bool) {
        guard !pendingErrors.isEmpty else { return }
        pendingErrors.removeFirst()()
    }

    /// Called when a person cannot be asked about an error any more.
    open func userInteractionNoLongerPermitted(forError error: any Error) {}

    // MARK: Files

    /// Reads the document, in the background. While the document is opened or reverted, `load(fromContents:ofType:)` is
    /// called after this has returned, so that other programs do not wait for the main queue.
    nonisolated open func read(from url: URL) throws { try readContents(from: url) }

    /// Writes the document in the background so that the old contents stay if it fails.
    nonisolated open func writeContents(
        _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?, safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try replaceItem(contents, additionalFileAttributes, url, saveOperation)
    }

    /// Writes the document to a place where there is nothing yet, in the background.
    nonisolated open func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
    ) throws {
        try writeItem(contents, to: url, originalContentsURL)
    }

    /// Attributes that the file is to have.
    open func fileAttributesToWrite(to url: URL, for saveOperation: SaveOperation) throws -> [AnyHashable: Any] { [:] }

    /// The extension of the document's file.
    open func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String {
        fileURL.pathExtension
    }

    // MARK: What other programs do

    nonisolated open func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) { reader(nil) }
    nonisolated open func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) { writer(nil) }
    nonisolated open func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
        onMain(completionHandler) { $0.saveForOthers($1) }
    }
    nonisolated open func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
        onMain(completionHandler) { $0.closeDeleted($1) }
    }
    nonisolated open func presentedItemDidMove(to newURL: URL) { place.withLock { $0.url = newURL } }
    nonisolated open func presentedItemDidChange() { onMain { $0.followOutsideChange() } }
    nonisolated open func presentedItemDidGain(_ version: NSFileVersion) { onMain { $0.updateConflictState() } }
    nonisolated open func presentedItemDidLose(_ version: NSFileVersion) { onMain { $0.updateConflictState() } }
    nonisolated open func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        onMain { $0.updateConflictState() }
    }
}

extension UIDocument {
    /// Reads the document. False if it cannot be read.
    @discardableResult public func open() async -> Bool { await waitFor { self.open(completionHandler: $0) } }

    /// Saves and closes the document. False if it could not be saved.
    @discardableResult public func close() async -> Bool { await waitFor { self.close(completionHandler: $0) } }

    /// Writes the document. False if it could not be written.
    @discardableResult public func save(to url: URL, for saveOperation: SaveOperation) async -> Bool {
        await waitFor { self.save(to: url, for: saveOperation, completionHandler: $0) }
    }

    /// Saves if there are unsaved changes.
    @discardableResult public func autosave() async -> Bool { await waitFor { self.autosave(completionHandler: $0) } }

    /// Drops changes and reads a file.
    @discardableResult public func revert(toContentsOf url: URL) async -> Bool {
        await waitFor { self.revert(toContentsOf: url, completionHandler: $0) }
    }

    private func waitFor(_ start: (@escaping (Bool) -> Void) -> Void) async -> Bool {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }
}
