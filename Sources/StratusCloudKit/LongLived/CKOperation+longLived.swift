import Foundation

/// Where copies of an operation's files go while it is written down.
struct OperationFiles {
    /// The directory now.
    var directory: String
    /// What the directory will be called when the operation is there.
    var later: String
}

extension CKOperation {
    /// Writes a long-lived operation down before it starts; or goes on with one that another process began.
    /// - Returns: how it ended, if it is over already and its blocks have been told; nil if it is to run.
    func beginLongLived() async throws -> Result<Void, any Error>? {
        if let kept { return try await goOn(with: kept) }
        guard effectiveValues.isLongLived ?? false, let name = longLivedName, let store = longLivedStore,
            let operation = self as? CKDatabaseOperation
        else { return nil }
        do {
            let seal = try await store.seal()
            kept = try await LocalFile.waiting { () -> KeptOperation in
                let kept = try store.add(operation, seal) { files in
                    try OperationArchive.data(
                        operation, named: name, in: operation.database?.databaseScope ?? .private, files: files)
                }
                try kept.begin()
                return kept
            }
        } catch {
            // What cannot be written down runs as any other; nobody is told that it was.
            return nil
        }
        await call { [self] in longLivedOperationWasPersistedBlock?() }
        if let kept { try await check(kept) }
        return nil
    }

    private var longLivedConnection: CloudConnection {
        (self as? CKDatabaseOperation)?.database?.source.connection ?? containerSource.connection
    }

    private var longLivedStore: OperationStore? { longLivedConnection.operations }

    private func goOn(with kept: KeptOperation) async throws -> Result<Void, any Error>? {
        if kept.isFinished {
            let events = try await LocalFile.waiting { kept.events() }
            if let end = events.last, end.kind == .end {
                try await check(kept, isOffline: true)
                for event in events.dropLast() { await handle(event) }
                return end.outcome
            }
        }
        try await LocalFile.waiting { try kept.begin() }
        try await check(kept)
        return nil
    }

    /// Makes sure that an operation runs, and tells its results, for whom it was added.
    /// - Parameter isOffline: whether it goes on where it cannot be found out who is signed in.
    private func check(_ kept: KeptOperation, isOffline: Bool = false) async throws {
        let connection = longLivedConnection
        let user: String?
        do throws(CloudTransportError) {
            user = try await connection.currentUserName(callOptions)
        } catch {
            if isOffline { return }
            throw NSError.cloudKit(error, container: connection.containerIdentifier, isMutating: false)
        }
        let owner = try await LocalFile.waiting { kept.user }
        guard let owner else {
            if let user { try await LocalFile.waiting { try kept.note(user: user) } }
            return
        }
        guard owner == user else {
            // It stays for its own account.
            self.kept = nil
            throw NSError.cloudKit(.notAuthenticated, "The operation is another account's.")
        }
    }

    /// Keeps and tells what became of something.
    func tell(_ events: [OperationEvent]) async {
        if events.contains(where: { $0.error?.cloudKitCode == .operationCancelled }) { noteCancelledItems() }
        if let kept {
            // If it cannot be kept, this process has it all the same.
            try? await LocalFile.waiting { kept.append(events, isLast: false) }
        }
        for event in events { await handle(event) }
    }

    /// Keeps how it ended, until its last block has been called.
    func keepEnd(_ result: Result<Void, any Error>) async {
        guard let kept, !isCancelled else { return }
        let end = OperationEvent(.end, nil, nil, result.failure)
        try? await LocalFile.waiting {
            if !kept.isFinished { kept.append([end], isLast: true) }
        }
    }

    /// Forgets an operation whose last block was called, or that was cancelled.
    func forgetLongLived() async {
        guard let kept else { return }
        try? await LocalFile.waiting { kept.remove() }
        self.kept = nil
    }
}
