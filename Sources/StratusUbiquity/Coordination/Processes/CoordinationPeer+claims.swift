import Foundation
import StratusWorkers

/// A claim whose accessor may run.
struct HeldClaim: Sendable {
    let claim: CoordinationClaim
    fileprivate let conversations: [any PresenterConversation]
    fileprivate let existed: [Bool]
}

extension CoordinationPeer {
    /// Waits until some accesses may happen. Blocks.
    /// - Throws: `CocoaError.userCancelled` if the waiter is cancelled, and the error of a presenter that could not
    /// save.
    func acquire(
        purpose: String, presenter: String?, accesses: [CoordinatedAccess], waiter: CoordinationWaiter
    ) throws -> HeldClaim {
        add(waiter)
        defer { remove(waiter) }
        let name = name
        let ticket = try update {
            $0.request(process: name, purpose: purpose, presenter: presenter, accesses: accesses)
        }
        var conversations: [any PresenterConversation] = []
        do {
            while true {
                if waiter.isCancelled { throw CocoaError(.userCancelled) as NSError }
                let ledger = try file.read()
                guard let claim = ledger.claim(ticket) else {
                    throw CoordinationDirectory.error(ESTALE, file.directory)
                }
                switch claim.phase {
                case .running:
                    return HeldClaim(
                        claim: claim, conversations: conversations, existed: claim.accesses.map { Self.exists($0.item) }
                    )
                case .asking(let names):
                    conversations = names.compactMap { name in
                        guard let asked = ledger.presenters.first(where: { $0.name == name }) else { return nil }
                        return conversation(with: asked, ledger.questions(for: asked, before: claim))
                    }
                    try ask(conversations, waiter)
                    try update { ((), $0.answered(ticket)) }
                case .waiting, .answered:
                    watch(Set(ledger.blockers(of: claim).map(\.process)))
                    // Not for ever: a process with too many connections does not receive the message.
                    waiter.wait(until: Date(timeIntervalSinceNow: lostMessage))
                }
            }
        } catch {
            for conversation in conversations { conversation.finish() }
            try update { ((), $0.end(ticket)) }
            throw error
        }
    }

    /// Asks presenters, and waits for their answers, but not longer than ``replyLimit``.
    private func ask(_ conversations: [any PresenterConversation], _ waiter: CoordinationWaiter) throws {
        let answers = Lock<(left: Int, failure: CoordinationFailure?)>((conversations.count, nil))
        for conversation in conversations {
            conversation.start { failure in
                answers.withLock { answers in
                    answers.left -= 1
                    answers.failure = answers.failure ?? failure
                }
                waiter.signal()
            }
        }
        let end = Date(timeIntervalSinceNow: replyLimit)
        while true {
            let (left, failure) = answers.withLock { $0 }
            if let failure { throw failure.error }
            if waiter.isCancelled { throw CocoaError(.userCancelled) as NSError }
            guard left > 0, waiter.wait(until: end) else { return }
        }
    }

    /// Ends a claim: those that wait for it continue, and presenters are released and get messages about the changes.
    func release(_ held: HeldClaim) throws {
        let ledger = try update { ledger in
            // As it is now: the item may have been moved meanwhile.
            let claim = ledger.claim(held.claim.ticket) ?? held.claim
            let outcomes = zip(claim.accesses, held.existed).map { access, existed in
                AccessOutcome(access: access, existedBefore: existed, existsAfter: Self.exists(access.item))
            }
            let notices = ledger.notices(after: outcomes, by: claim.presenter)
            return (notices, ledger.end(claim.ticket))
        }
        for conversation in held.conversations { conversation.finish() }
        deliver(ledger)
    }

    /// Follows an item that a coordinator moved.
    func move(from old: String, to new: String, by presenter: String?) throws {
        let notices = try update { ledger in
            let notices = ledger.notices(ofMoveFrom: old, to: new, by: presenter)
            ledger.move(from: old, to: new)
            return (notices, [])
        }
        deliver(notices)
    }

    /// Whether there is an item, on this machine or elsewhere.
    private static func exists(_ path: String) -> Bool {
        [path, UbiquityState.placeholder(of: path)].contains { path in
            (try? FileManager.default.attributesOfItem(atPath: path)) != nil
        }
    }
}

extension CoordinationPeer {
    /// Adds a presenter. Its item is known to the other processes, too.
    func add(_ presenter: any NSFilePresenter) throws {
        let entry = presenters.entry(of: presenter) ?? LocalPresenter(presenter)
        if presenters[entry.name] == nil { presenters.add(entry) }
        guard let url = presenter.presentedItemURL else { return }
        let path = CoordinatedPath.canonical(url)
        let registered = RegisteredPresenter(name: entry.name, process: name, path: path)
        try update { ledger in
            ledger.setPresenter(registered)
            return ((), [])
        }
    }

    /// The canonical path of a presenter's item, also while the presenter is not notified of a move yet; nil if it was
    /// not added.
    func path(of presenter: any NSFilePresenter) throws -> String? {
        guard let entry = presenters.entry(of: presenter) else { return nil }
        return try file.read().presenters.first { $0.name == entry.name }?.path
    }

    /// Removes a presenter.
    func remove(_ presenter: any NSFilePresenter) throws {
        guard let entry = presenters.entry(of: presenter) else { return }
        presenters.remove(entry.name)
        try update { ledger in
            ledger.removePresenter(entry.name)
            return ((), [])
        }
    }

    /// Notifies the presenters of an item, and of the directories above it, of a change of its versions or attributes.
    func tell(_ event: PresenterEvent, about item: String, except presenter: String? = nil) throws {
        deliver(try file.read().notices(about: item, own: event, by: presenter))
    }
}
