/// Everything that the processes of one user are coordinating: which claims wait and run, and who presents what.
///
/// A pure state machine. Its mutating functions return the names of the processes that have to look at their claims
/// again; `CoordinationPeer` keeps it in a file that all processes share, and notifies them.
struct CoordinationLedger: Codable, Hashable, Sendable {
    /// The processes with claims that got further.
    typealias Wakes = Set<String>

    /// The claims in the order of their tickets.
    private(set) var claims: [CoordinationClaim] = []
    private(set) var presenters: [RegisteredPresenter] = []
    private var latestTicket = 0

    /// The processes that have claims or presenters.
    var processes: Set<String> { Set(claims.map(\.process)).union(presenters.map(\.process)) }

    /// The claim with a ticket; nil after it ended.
    func claim(_ ticket: Int) -> CoordinationClaim? { claims.first { $0.ticket == ticket } }

    /// Adds a claim.
    mutating func request(
        process: String, purpose: String, presenter: String?, accesses: [CoordinatedAccess]
    ) -> (ticket: Int, wakes: Wakes) {
        latestTicket += 1
        claims.append(
            CoordinationClaim(
                ticket: latestTicket, process: process, purpose: purpose, presenter: presenter, accesses: accesses))
        return (latestTicket, advance())
    }

    /// Notes that all presenters that a claim asked have answered.
    mutating func answered(_ ticket: Int) -> Wakes {
        guard let index = claims.firstIndex(where: { $0.ticket == ticket }), case .asking = claims[index].phase else {
            return []
        }
        claims[index].phase = .answered
        return advance()
    }

    /// Removes a claim, whatever its phase.
    mutating func end(_ ticket: Int) -> Wakes {
        claims.removeAll { $0.ticket == ticket }
        return advance()
    }

    /// Removes everything of a process that is gone.
    mutating func end(process: String) -> Wakes {
        claims.removeAll { $0.process == process }
        presenters.removeAll { $0.process == process }
        return advance()
    }

    /// The claims that a claim waits for.
    ///
    /// A claim does not overtake an earlier one that waits, or readers who come and go would keep a writer waiting
    /// forever. It does where the earlier one may be waiting for it: inside of an accessor of the same purpose, and
    /// when its presenter saves because another claim asked it to.
    func blockers(of claim: CoordinationClaim) -> [CoordinationClaim] {
        if claim.phase == .answered { return claims.filter { $0.phase == .running && $0.conflicts(with: claim) } }
        let isInner = claims.contains {
            $0.phase == .running && $0.purpose == claim.purpose || $0.isAsking(claim.presenter)
        }
        return claims.filter { other in
            guard other.ticket != claim.ticket, other.conflicts(with: claim), !other.isAsking(claim.presenter) else {
                return false
            }
            return other.phase == .waiting ? other.ticket < claim.ticket && !isInner : true
        }
    }

    /// Moves every claim forward that nothing blocks.
    private mutating func advance() -> Wakes {
        var wakes: Wakes = []
        for index in claims.indices {
            let claim = claims[index]
            guard claim.phase == .waiting || claim.phase == .answered, blockers(of: claim).isEmpty else { continue }
            let asked = claim.phase == .answered ? [] : presentersToAsk(for: claim).map(\.name)
            claims[index].phase = asked.isEmpty ? .running : .asking(asked)
            wakes.insert(claim.process)
        }
        return wakes
    }
}

extension CoordinationLedger {
    /// Adds a presenter, or changes the path of one.
    mutating func setPresenter(_ presenter: RegisteredPresenter) {
        presenters.removeAll { $0.name == presenter.name }
        presenters.append(presenter)
    }

    /// Removes a presenter.
    mutating func removePresenter(_ name: String) { presenters.removeAll { $0.name == name } }

    /// Follows an item that was moved: claims that wait for it, and its presenters.
    mutating func move(from old: String, to new: String) {
        for claim in claims.indices {
            for access in claims[claim].accesses.indices { claims[claim].accesses[access].follow(from: old, to: new) }
        }
        for index in presenters.indices {
            presenters[index].path = CoordinatedPath.follow(presenters[index].path, from: old, to: new)
        }
    }
}
