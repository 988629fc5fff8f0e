import Foundation
@_exported import StratusCompatibility
import StratusWorkers

/// Coordinates reading and writing of files among the programs of a user, and with their presenters.
///
/// Reading happens together, writing alone. Coordinating a directory covers everything in it, and a package is one
/// item. It holds between all processes of the user that use Stratus: see `Documentation/sdk/documents.md`.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: everything that changes is under a lock. The class is open, as Apple's is.

    /// Options for reading an item.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Presenters are not asked to save their changes first.
        public static let withoutChanges = ReadingOptions(rawValue: 1)
        /// A symbolic link is followed.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
        /// Only what is known without downloading is read.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
        /// A copy is read, which does not change and whose directories are one zip file.
        public static let forUploading = ReadingOptions(rawValue: 8)
    }

    /// Options for writing an item.
    public struct WritingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The item is to be deleted.
        public static let forDeleting = WritingOptions(rawValue: 1)
        /// The item is to be moved.
        public static let forMoving = WritingOptions(rawValue: 2)
        /// Presenters are asked to save their changes first.
        public static let forMerging = WritingOptions(rawValue: 4)
        /// The item is to be replaced by another one.
        public static let forReplacing = WritingOptions(rawValue: 8)
        /// Attributes are to be changed that say nothing about the contents.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)
    }

    private struct State {
        var purpose: String?
        var waiters: [ObjectIdentifier: CoordinationWaiter] = [:]
    }

    private let state = Lock(State())
    private let ownPurpose = UUID().uuidString
    private let presenterName: String?

    /// Makes a coordinator.
    /// - Parameter filePresenterOrNil: The presenter that the coordinator works for, which gets no messages about its
    /// work.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)? = nil) {
        presenterName = filePresenterOrNil.flatMap { try? CoordinationPeer.current().presenters.entry(of: $0)?.name }
    }

    /// An identifier of the coordinator's purpose. Coordinators with equal ones do not wait for each other. It may be
    /// set once.
    open var purposeIdentifier: String {
        get { state.withLock { $0.purpose } ?? ownPurpose }
        set {
            let isFirst = state.withLock { state in
                defer { state.purpose = state.purpose ?? newValue }
                return state.purpose == nil
            }
            precondition(isFirst, "the purpose identifier of a coordinator can be set only once")
        }
    }

    /// Ends waiting claims with `CocoaError.userCancelled`. Accessors that run already continue.
    open func cancel() {
        for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.cancel() }
    }
}

extension NSFileCoordinator {
    /// Makes a presenter known. It is kept until ``removeFilePresenter(_:)``.
    public class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        report { try CoordinationPeer.current().add(filePresenter) }
    }

    /// Ends messages to a presenter.
    public class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        report { try CoordinationPeer.current().remove(filePresenter) }
    }

    /// The presenters of this process.
    public class var filePresenters: [any NSFilePresenter] {
        (try? CoordinationPeer.current().presenters.all.map(\.presenter)) ?? []
    }

    /// Prepares others for a move that is about to happen. Nothing has to be done for it on Linux, where a program
    /// needs no permission for the new place.
    public func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Notifies presenters that an item was moved. Claims that wait for the item follow it.
    public func item(at oldURL: URL, didMoveTo newURL: URL) {
        let (old, new) = (CoordinatedPath.canonical(oldURL), CoordinatedPath.canonical(newURL))
        Self.report { try FileVersions.store.move(from: old, to: new) }
        Self.report { try CoordinationPeer.current().move(from: old, to: new, by: presenterName) }
    }

    /// Notifies presenters that attributes of an item in iCloud changed.
    public func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        Self.report {
            try CoordinationPeer.current().tell(
                .ubiquityAttributes(attributes.map(\.rawValue).sorted()), about: CoordinatedPath.canonical(url),
                except: presenterName)
        }
    }

    /// Runs what has no way to report that the directory of coordination cannot be used. The next coordination reports
    /// it.
    class func report(_ body: () throws -> Void) {
        do { try body() } catch {
            FileHandle.standardError.write(Data("file coordination: \(error)\n".utf8))
        }
    }
}

extension NSFileCoordinator {
    /// Runs `body` while the targets are held. Blocks.
    func hold<Result>(
        _ targets: [CoordinatedTarget], _ body: ([URL], _ release: @escaping @Sendable () -> Void) throws -> Result
    ) throws -> Result {
        let waiter = CoordinationWaiter()
        state.withLock { $0.waiters[ObjectIdentifier(waiter)] = waiter }
        let peer = try CoordinationPeer.current()
        let held: HeldClaim
        do {
            defer { _ = state.withLock { $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) } }
            held = try acquire(targets.map(\.access), peer, waiter)
        }
        let isReleased = Lock(false)
        let release: @Sendable () -> Void = {
            guard
                !isReleased.withLock({ isReleased in
                    defer { isReleased = true }; return isReleased
                })
            else { return }
            Self.report { try peer.release(held) }
        }
        return try body(zip(targets, held.claim.accesses).map { $0.url(after: $1) }, release)
    }

    /// Waits until the accesses may happen and what they read is on this machine.
    private func acquire(
        _ accesses: [CoordinatedAccess], _ peer: CoordinationPeer, _ waiter: CoordinationWaiter
    ) throws -> HeldClaim {
        var absent = accesses.compactMap(\.absentItem)
        while true {
            try Self.download(absent, waiter)
            let held = try peer.acquire(
                purpose: purposeIdentifier, presenter: presenterName, accesses: accesses, waiter: waiter)
            absent = held.claim.accesses.compactMap(\.absentItem)
            if absent.isEmpty { return held }
            // It was evicted meanwhile.
            try peer.release(held)
        }
    }
}
