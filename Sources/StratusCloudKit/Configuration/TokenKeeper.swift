import Foundation
import StratusDeviceCredentials
import StratusWorkers

/// Writes the web auth tokens that the server renews to where the first one came from.
final class TokenKeeper: Sendable {
    /// Seconds between two writes: every answer brings a new token, and the earlier ones stay good for weeks.
    static let interval: Int64 = 60

    private let file: CredentialsFile
    private let profile: String
    private let session: StoredSession
    private let written: Lock<Int64>
    private static let pool = WorkerPool(threads: 1)

    init(_ session: StoredSession, of profile: String, in file: CredentialsFile) {
        self.file = file
        self.profile = profile
        self.session = session
        written = Lock(session.renewed)
    }

    /// Takes a renewed token, and returns at once.
    func keep(_ token: String) {
        let now = Int64(Date().timeIntervalSince1970)
        let isDue = written.withLock { written in
            // A clock that was set back must not stop it.
            guard abs(now - written) >= Self.interval else { return false }
            written = now
            return true
        }
        guard isDue else { return }
        Self.pool.submit { [file, profile, session] in
            var renewed = session
            renewed.webAuthToken = token
            renewed.renewed = now
            // If it cannot be written, the one that is there is still good; the next is tried in its turn.
            try? file.renew(renewed, in: profile)
        }
    }
}
