/// A question to a presenter before an access.
enum PresenterQuestion: Codable, Hashable, Sendable {
    case relinquishToReader
    case relinquishToWriter
    case save
    /// The item itself is about to be deleted or replaced.
    case accommodateDeletion
    /// An item inside of the presented directory is about to be deleted or replaced.
    case accommodateSubitemDeletion(String)
}

/// A message to a presenter after a change.
enum PresenterEvent: Codable, Hashable, Sendable {
    case changed
    case moved(String)
    case subitemAppeared(String)
    case subitemChanged(String)
    case subitemMoved(String, String)
    /// The raw values of the resource keys.
    case ubiquityAttributes([String])
    /// The path of an item and the identifier of its version.
    case gainedVersion(String, String)
    case lostVersion(String, String)
    case resolvedConflict(String, String)
}

/// The effect of an access on its item.
struct AccessOutcome: Hashable, Sendable {
    let access: CoordinatedAccess
    let existedBefore: Bool
    let existsAfter: Bool
}

/// An event for a presenter.
struct PresenterNotice: Hashable, Sendable {
    let presenter: RegisteredPresenter
    let event: PresenterEvent
}

extension CoordinationLedger {
    /// The presenters that have to make way for a claim.
    func presentersToAsk(for claim: CoordinationClaim) -> [RegisteredPresenter] {
        presenters.filter { !questions(for: $0, before: claim).isEmpty }
    }

    /// Returns the questions to a presenter before a claim runs, in their order.
    func questions(for presenter: RegisteredPresenter, before claim: CoordinationClaim) -> [PresenterQuestion] {
        guard presenter.name != claim.presenter else { return [] }
        var questions: [PresenterQuestion] = []
        for access in claim.accesses where access.concernsPresenters {
            for question in Self.questions(for: presenter.path, before: access) where !questions.contains(question) {
                questions.append(question)
            }
        }
        return questions
    }

    private static func questions(for path: String, before access: CoordinatedAccess) -> [PresenterQuestion] {
        let removes = access.isWriting && !access.writing.isDisjoint(with: [.forDeleting, .forReplacing])
        // A presenter of a directory is not disturbed by work on what lies inside, unless that is a package.
        guard CoordinatedPath.contains(access.unit, path) || CoordinatedPath.contains(access.item, path) else {
            let isAbove = CoordinatedPath.isInside(access.item, path)
            return removes && isAbove ? [.accommodateSubitemDeletion(access.item)] : []
        }
        guard access.isWriting else {
            return access.reading.contains(.withoutChanges) ? [.relinquishToReader] : [.relinquishToReader, .save]
        }
        var questions = [PresenterQuestion.relinquishToWriter]
        if access.writing.contains(.forMerging) { questions.append(.save) }
        if removes { questions.append(.accommodateDeletion) }
        return questions
    }

    /// Returns the messages to presenters after a claim.
    func notices(after outcomes: [AccessOutcome], by presenter: String?) -> [PresenterNotice] {
        var notices: [PresenterNotice] = []
        for outcome in outcomes where outcome.access.isWriting && outcome.access.concernsPresenters {
            for other in presenters where other.name != presenter {
                guard let event = Self.event(for: other.path, after: outcome) else { continue }
                let notice = PresenterNotice(presenter: other, event: event)
                if !notices.contains(notice) { notices.append(notice) }
            }
        }
        return notices
    }

    private static func event(for path: String, after outcome: AccessOutcome) -> PresenterEvent? {
        let (item, unit) = (outcome.access.item, outcome.access.unit)
        guard outcome.existsAfter else {
            if CoordinatedPath.isInside(item, path) { return .subitemChanged(item) }
            // A presenter that was asked about the deletion, or got a message about the move, knows already.
            let isAnnounced = !outcome.access.writing.isDisjoint(with: [.forDeleting, .forMoving])
            return CoordinatedPath.contains(item, path) && !isAnnounced ? .changed : nil
        }
        if CoordinatedPath.isInside(item, path) {
            return path == unit ? .changed : outcome.existedBefore ? .subitemChanged(unit) : .subitemAppeared(unit)
        }
        return CoordinatedPath.contains(unit, path) ? .changed : nil
    }

    /// Returns the messages to presenters after an item was moved, before the ledger follows the move.
    func notices(ofMoveFrom old: String, to new: String, by presenter: String?) -> [PresenterNotice] {
        presenters.compactMap { other in
            guard other.name != presenter else { return nil }
            if CoordinatedPath.contains(old, other.path) {
                let path = CoordinatedPath.follow(other.path, from: old, to: new)
                return PresenterNotice(presenter: other, event: .moved(path))
            }
            if CoordinatedPath.isInside(old, other.path) {
                return PresenterNotice(presenter: other, event: .subitemMoved(old, new))
            }
            return CoordinatedPath.isInside(new, other.path)
                ? PresenterNotice(presenter: other, event: .subitemAppeared(new)) : nil
        }
    }

    /// Returns the messages about an item to its presenters and those of directories above it, outside of a claim.
    func notices(about item: String, own: PresenterEvent, by presenter: String? = nil) -> [PresenterNotice] {
        presenters.filter { $0.name != presenter && CoordinatedPath.contains($0.path, item) }
            .map { PresenterNotice(presenter: $0, event: own) }
    }
}
