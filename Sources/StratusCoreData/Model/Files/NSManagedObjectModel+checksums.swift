import Foundation

extension NSManagedObjectModel {
    /// Returns the checksums of all versions of a model, by the names of the versions.
    /// - Parameter modelURL: A `.momd` or an `.xcdatamodeld`.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        let versions = try ModelVersions(at: modelURL).all.map { version in
            (version.name, try NSManagedObjectModel(version).versionChecksum)
        }
        return Dictionary(versions, uniquingKeysWith: { $1 })
    }
}
