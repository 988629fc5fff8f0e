/// An item of the server that is ready to be made here.
struct DrivePlacement {
    let id: String
    let remote: DriveEntry.Remote
    /// The names on the way to it, from the container on.
    let names: [String]
    /// The content; nil for an item without one, and where a placeholder stands for it.
    let staged: DriveStaged?
    let isPlaceholder: Bool
}

/// Changes that are made together, so that the disk is waited for once for all of them: items that are made here, and
/// what is only noted of others.
struct DrivePlacements {
    private(set) var items: [DrivePlacement] = []
    private(set) var notes: [(id: String, change: (inout DriveEntry) -> Void)] = []
    private var ids: Set<String> = []
    private var bytes: Int64 = 0
    /// Whether one of the items is a package. No comparison recognizes a package of which the database does not know, so
    /// it takes its place by itself.
    private var hasPackage = false
    private var begun: ContinuousClock.Instant?

    var isEmpty: Bool { items.isEmpty && notes.isEmpty }

    mutating func add(_ item: DrivePlacement) {
        items.append(item)
        ids.insert(item.id)
        if item.staged != nil { bytes += item.remote.size }
        if item.remote.shape.kind == .package { hasPackage = true }
        begun = begun ?? .now
    }

    /// Notes a change of which nothing is to be seen on the disk.
    mutating func note(_ id: String, _ change: @escaping (inout DriveEntry) -> Void) {
        notes.append((id, change))
        begun = begun ?? .now
    }

    /// Whether an item is one of those that are made.
    func makes(_ id: String) -> Bool { ids.contains(id) }

    /// Whether no further changes should be waited for.
    /// - Parameter delay: How long changes may wait.
    func isDue(after delay: Duration) -> Bool {
        items.count + notes.count >= DriveLimits.placements || bytes >= DriveLimits.placementBytes
            || hasPackage || begun.map { ContinuousClock.now - $0 >= delay } ?? false
    }

    /// The same changes, each item by itself.
    var separated: [DrivePlacements] {
        var onlyNotes = DrivePlacements()
        onlyNotes.notes = notes
        let single = items.map { item in
            var part = DrivePlacements()
            part.add(item)
            return part
        }
        return notes.isEmpty ? single : [onlyNotes] + single
    }
}
