import StratusCloudKit
import StratusCoreData

/// One fetch or export of the store of a public database.
struct PublicMirrorTurn: Sendable {
    /// Ends a turn, without an event.
    enum Interrupted: Error {
        case engineEnded
        case accountChanged
    }

    let engine: PublicMirrorEngine
    let mirror: StoreMirror

    var database: CKDatabase { mirror.plan.container.publicCloudDatabase }

    func run(_ work: SyncWork) async -> SyncOutcome {
        do {
            let account = try await noteAccount()
            if work.fetches {
                let outcome = try await importChanges(account)
                guard outcome == .done else { return outcome }
            }
            return work.sends && account != nil ? try await export(account) : .done
        } catch let interrupted as Interrupted {
            return interrupted == .engineEnded ? .dormant : .failed(retryAfter: nil)
        } catch {
            return Self.outcome(of: error)
        }
    }

    /// Does work on the store.
    /// - Throws: `Interrupted.engineEnded` if the engine has ended, also because the work has failed.
    @discardableResult
    func onStore<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        await mirror.controls?.reach(name)
        guard mirror.isCurrent(engine) else { throw Interrupted.engineEnded }
        let result = await mirror.work(for: engine, body)
        await mirror.controls?.reach(name + " done")
        guard let result, mirror.isCurrent(engine) else { throw Interrupted.engineEnded }
        return result
    }

    /// Returns the outcome of work that failed: whether it may succeed later.
    static func outcome(of error: any Error) -> SyncOutcome {
        let error = CKError(any: error)
        return error.isTransient ? .failed(retryAfter: error.retryAfter) : .done
    }

    // MARK: - The account

    /// Finds out who is signed in, and notes it in the store.
    private func noteAccount() async throws -> String? {
        let account = try await mirror.publicAccount()
        try await onStore("account") { try mirror.note(publicAccount: account) }
        return account
    }

    /// Throws `Interrupted.accountChanged` if somebody else is signed in than before: records name their creators
    /// differently for different people.
    func check(_ account: String?) async throws {
        guard try await mirror.publicAccount() == account else { throw Interrupted.accountChanged }
    }
}

extension CKError {
    /// The time to wait before a retry.
    var retryAfter: Duration? {
        retryAfterSeconds.map { .milliseconds(Int64(min(max($0, 0), 86_400) * 1_000)) }
    }
}
