/// A file or directory that a claim reads or writes.
struct CoordinatedAccess: Codable, Hashable, Sendable {
    /// The canonical path of the item.
    var item: String
    /// The path that decides who waits for whom: the package that the item lies in, or the item itself.
    var unit: String
    /// Whether the item is written; read otherwise.
    let isWriting: Bool
    /// The raw value of the reading or writing options.
    let options: UInt

    var reading: NSFileCoordinator.ReadingOptions { .init(rawValue: isWriting ? 0 : options) }
    var writing: NSFileCoordinator.WritingOptions { .init(rawValue: isWriting ? options : 0) }

    /// Whether the presenters of the item get questions before the access, and messages after it.
    var concernsPresenters: Bool {
        isWriting
            ? !writing.contains(.contentIndependentMetadataOnly) : !reading.contains(.immediatelyAvailableMetadataOnly)
    }

    /// Whether the two cannot happen at the same time: they meet on an item or inside of a directory, and one writes.
    func conflicts(with other: CoordinatedAccess) -> Bool {
        (isWriting || other.isWriting) && CoordinatedPath.meet(unit, other.unit)
    }

    /// Follows an item that was moved.
    mutating func follow(from old: String, to new: String) {
        let isOwnUnit = item == unit
        item = CoordinatedPath.follow(item, from: old, to: new)
        unit = isOwnUnit ? item : CoordinatedPath.follow(unit, from: old, to: new)
    }
}

/// A request of a coordinator to read and write some items, all at the same time.
struct CoordinationClaim: Codable, Hashable, Sendable {
    /// The state of a claim.
    enum Phase: Codable, Hashable, Sendable {
        /// Other claims come first.
        case waiting
        /// The presenters with these names are asked to make way.
        case asking([String])
        /// The presenters have answered, but one of them still writes.
        case answered
        /// The accessor runs.
        case running
    }

    /// The number of the claim; claims are served in its order.
    let ticket: Int
    /// The process that made the claim.
    let process: String
    /// The purpose identifier of the coordinator. Claims of one purpose do not wait for each other.
    let purpose: String
    /// The presenter that the coordinator belongs to. It gets no questions and no messages.
    let presenter: String?
    var accesses: [CoordinatedAccess]
    var phase = Phase.waiting

    func conflicts(with other: CoordinationClaim) -> Bool {
        purpose != other.purpose
            && accesses.contains { own in other.accesses.contains { own.conflicts(with: $0) } }
    }

    /// Whether the claim waits for an answer of a presenter, which may write meanwhile.
    func isAsking(_ presenter: String?) -> Bool {
        guard let presenter, case .asking(let asked) = phase else { return false }
        return asked.contains(presenter)
    }
}

/// A file presenter of some process.
struct RegisteredPresenter: Codable, Hashable, Sendable {
    let name: String
    let process: String
    /// The canonical path of its item.
    var path: String
}
