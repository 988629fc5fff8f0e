import Foundation
import StratusCoreData

extension NSPersistentStore {
    /// The file whose lock the mirroring process holds; nil for a store in memory.
    var lockPath: String? {
        guard let url, url.path != "/dev/null", type == NSSQLiteStoreType else { return nil }
        return url.path + "-mirroring"
    }

    /// The folder for values on their way, which only one mirror of the process uses.
    var stagingFolder: URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("stratus-mirroring-\(UUID().uuidString)")
    }
}
