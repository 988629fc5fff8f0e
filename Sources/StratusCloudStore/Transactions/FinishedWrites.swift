/// What a transaction, or a group of them, has written to a partition, as an engine takes it: ranges to be cleared, then
/// keys to be set or cleared.
struct FinishedWrites: Sendable {
    private enum Content {
        case journal(WriteJournal)
        case overlay(WriteOverlay)
    }

    private let content: Content
    /// Disjoint, ascending.
    let clearedRanges: [KeyRange]

    init(_ overlay: WriteOverlay) {
        content = .overlay(overlay)
        clearedRanges = overlay.cleared.ranges
    }

    init(_ journal: WriteJournal) {
        content = .journal(journal)
        clearedRanges = []
    }

    var isEmpty: Bool {
        switch content {
        case .journal(let journal): journal.isEmpty
        case .overlay(let overlay): overlay.isEmpty
        }
    }

    /// Calls `body` for each key, in ascending order, with its value, nil where it is to be cleared. Both are valid until
    /// it returns.
    func forEach<Failure: Error>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(Failure) -> Void
    ) throws(Failure) {
        switch content {
        case .journal(let journal):
            let writes = journal.sorted()
            try journal.withMemory { (memory) throws(Failure) in
                for write in writes { try body(memory.part(write.key), write.value.map(memory.part)) }
            }
        case .overlay(let overlay):
            for (key, value) in overlay.writes {
                try key.bytes.withUnsafeBufferPointer { (key) throws(Failure) in
                    guard let value else { return try body(UnsafeRawBufferPointer(key), nil) }
                    try value.withUnsafeBufferPointer { (value) throws(Failure) in
                        try body(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
                    }
                }
            }
        }
    }
}
