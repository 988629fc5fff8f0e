import Foundation
import StratusWorkers

/// A presenter of this process, under the name that all processes know it by.
///
/// `@unchecked Sendable`: the presenter is only sent messages on its own queue, and its two properties that are read
/// elsewhere may be read from any thread.
final class LocalPresenter: @unchecked Sendable {
    let name = UUID().uuidString
    let presenter: any NSFilePresenter

    init(_ presenter: any NSFilePresenter) { self.presenter = presenter }

    /// Sends the presenter an event.
    func tell(_ event: PresenterEvent) {
        presenter.presentedItemOperationQueue.addOperation { self.send(event) }
    }

    private func send(_ event: PresenterEvent) {
        switch event {
        case .changed: presenter.presentedItemDidChange()
        case .moved(let path): presenter.presentedItemDidMove(to: URL(fileURLWithPath: path))
        case .subitemAppeared(let path): presenter.presentedSubitemDidAppear(at: URL(fileURLWithPath: path))
        case .subitemChanged(let path): presenter.presentedSubitemDidChange(at: URL(fileURLWithPath: path))
        case .subitemMoved(let old, let new):
            presenter.presentedSubitem(at: URL(fileURLWithPath: old), didMoveTo: URL(fileURLWithPath: new))
        case .ubiquityAttributes(let names):
            let keys = Set(names.map(URLResourceKey.init(rawValue:)))
                .intersection(presenter.observedPresentedItemUbiquityAttributes)
            if !keys.isEmpty { presenter.presentedItemDidChangeUbiquityAttributes(keys) }
        case .gainedVersion(let path, let identifier):
            send(path, identifier, presenter.presentedItemDidGain, presenter.presentedSubitem(at:didGain:))
        case .lostVersion(let path, let identifier):
            send(path, identifier, presenter.presentedItemDidLose, presenter.presentedSubitem(at:didLose:))
        case .resolvedConflict(let path, let identifier):
            send(
                path, identifier, presenter.presentedItemDidResolveConflict, presenter.presentedSubitem(at:didResolve:))
        }
    }

    /// Sends the message about a version of the presented item, or of one inside of it.
    private func send(
        _ path: String, _ identifier: String, _ own: (NSFileVersion) -> Void, _ inside: (URL, NSFileVersion) -> Void
    ) {
        let url = URL(fileURLWithPath: path)
        let version = NSFileVersion(item: path, identifier: identifier)
        if presenter.presentedItemURL.map({ CoordinatedPath.canonical($0) }) == path {
            own(version)
        } else {
            inside(url, version)
        }
    }
}

/// The presenters of this process.
final class LocalPresenters: Sendable {
    private let presenters = Lock<[LocalPresenter]>([])

    /// All of them, in the order in which they were added.
    var all: [LocalPresenter] { presenters.withLock { $0 } }

    /// The presenter with a name; nil once it was removed.
    subscript(name: String) -> LocalPresenter? { presenters.withLock { list in list.first { $0.name == name } } }

    /// The entry of a presenter that was added.
    func entry(of presenter: any NSFilePresenter) -> LocalPresenter? {
        presenters.withLock { list in list.first { $0.presenter === presenter } }
    }

    func add(_ presenter: LocalPresenter) { presenters.withLock { $0.append(presenter) } }

    func remove(_ name: String) { presenters.withLock { list in list.removeAll { $0.name == name } } }
}
