import StratusWorkers

/// Which engine took the place of another: the one that its delegate made for the same database since, as long as that one
/// is there.
///
/// Programs make their engine anew, for instance to forget everything. What the former one still says then, the state to keep
/// above all, would be taken for the new one's.
final class SyncSuccession: Sendable {
    private struct Reference {
        weak var engine: CKSyncEngine?
    }

    /// All engines of the process, in the order in which they were made.
    private static let engines = Lock<[Reference]>([])

    private let next = Lock(Reference())

    /// The engine in whose place the other one is now; nil for one that nothing took the place of.
    var successor: CKSyncEngine? { next.withLock { $0.engine } }

    /// Puts a new engine in the place of those that its delegate made before for the same database.
    static func add(_ engine: CKSyncEngine) {
        let former = engines.withLock { engines -> [CKSyncEngine] in
            engines.removeAll { $0.engine == nil }
            defer { engines.append(Reference(engine: engine)) }
            return engines.compactMap(\.engine)
        }
        // Outside of the lock, as what is looked at may be let go of here.
        guard let delegate = engine.delegate.delegate else { return }
        for former in former where former.delegate.delegate === delegate && former.hasDatabase(of: engine) {
            former.succession.next.withLock { $0.engine = engine }
            former.retire()
        }
    }
}

/// Thrown to end what an engine does when another one took its place.
struct Succeeded: Error {
    let successor: CKSyncEngine
}

extension CKSyncEngine {
    /// - Throws: ``Succeeded``, where nothing new may be begun.
    func checkSuccession() throws {
        if let successor = succession.successor { throw Succeeded(successor: successor) }
    }

    /// Does something here, or where this engine's work goes on.
    func run(
        _ work: @escaping @Sendable () async throws -> Void,
        orIn successors: (CKSyncEngine) async throws -> Void
    ) async throws {
        do {
            try await turns.run(work)
        } catch let succeeded as Succeeded {
            // Its turn here is over, so that nothing that waits for it waits for the other one as well.
            try await successors(succeeded.successor)
        }
    }

    fileprivate func hasDatabase(of other: CKSyncEngine) -> Bool {
        guard database.databaseScope == other.database.databaseScope else { return false }
        return database === other.database || database.source.connection === other.database.source.connection
    }

    /// Nothing is begun here any more.
    fileprivate func retire() {
        driver.cancel()
        pushes.close()
    }
}
