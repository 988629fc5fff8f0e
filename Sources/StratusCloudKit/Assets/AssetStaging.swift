import Foundation
import Glibc

/// Where copies of assets that were fetched lie: a directory of the user's own, in a directory of the process.
///
/// The copies stay when the process ends, so that an app that noted a URL finds the file for a while; those of processes
/// that are gone are removed after ``CloudLimits/stagedAssetLifetime``.
enum AssetStaging {
    /// A place for the bytes of one asset. Nobody else can guess, read or replace it.
    static func newFile() throws -> URL { try directory.get().appendingPathComponent(UUID().uuidString) }

    private static let directory: Result<URL, any Error> = Result {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-assets-\(getuid())")
        try makeOwnDirectory(root)
        removeOld(in: root)
        let own = root.appendingPathComponent(UUID().uuidString)
        try makeOwnDirectory(own)
        return own
    }

    /// Makes a directory that only this user can enter, or makes sure that it is one: others may write beside it.
    private static func makeOwnDirectory(_ url: URL) throws {
        if mkdir(url.path, 0o700) == 0 { return }
        var status = stat()
        guard errno == EEXIST, lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == getuid(), status.st_mode & 0o077 == 0
        else {
            throw NSError.cloudKit(.assetNotAvailable, "'\(url.path)' cannot be used for copies of assets.")
        }
    }

    private static func removeOld(in root: URL) {
        let manager = FileManager.default
        let entries = (try? manager.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)) ?? []
        let limit = Date(timeIntervalSinceNow: -CloudLimits.stagedAssetLifetime)
        for entry in entries {
            let changed = (try? manager.attributesOfItem(atPath: entry.path))?[.modificationDate] as? Date
            // What cannot be removed now is removed another time.
            if let changed, changed < limit { try? manager.removeItem(at: entry) }
        }
    }
}
