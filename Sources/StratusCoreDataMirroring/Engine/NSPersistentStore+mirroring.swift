import Foundation
import StratusCoreData

extension NSPersistentStore {
    /// The folder for values on their way, which only one mirror of the process uses.
    var stagingFolder: URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("stratus-mirroring-\(UUID().uuidString)")
    }
}
