import Foundation
import Glibc
import StratusDeviceCredentials

/// A store in another directory, whose values a program takes over because nobody else uses it any more.
struct FormerKeyValueFile: Sendable {
    let directory: String
    /// The person that signed in, if their name is known. Values of other people stay.
    let user: String?

    /// Renames the directory.
    /// - Returns: false if it does not exist, is in use, or is somebody else's.
    func move(to place: String) -> Bool {
        using { _, _ in rename(directory, place) == 0 } ?? false
    }

    /// Passes on the changes that wait to be sent, and then removes the store.
    /// - Parameter take: Returns whether it has taken the changes over.
    func takeOver(_ take: ([String: KeyValueContents.Pending]) -> Bool) {
        _ = using { file, contents in
            let pending = contents.entries.compactMapValues(\.pending)
            guard pending.isEmpty || take(pending) else { return }
            unlink(file.path)
        }
    }

    /// Runs `body` while no process synchronizes the store.
    private func using<Result>(_ body: (KeyValueFile, KeyValueContents) -> Result) -> Result? {
        let file = KeyValueFile(directory: directory)
        // A store that cannot be read or locked stays as it is.
        guard FileManager.default.fileExists(atPath: file.path), let lock = try? FileLock.trying(file.syncLockPath),
            let contents = try? file.read(), contents.account == nil || contents.account == user
        else { return nil }
        return withExtendedLifetime(lock) { body(file, contents) }
    }
}
