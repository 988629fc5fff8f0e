import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the version hashes, by the names of the entities, in a store's metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

extension NSManagedObjectModel {
    /// Returns whether a store with some metadata was written with the entities of a configuration: with the same names
    /// and version hashes, and with no others.
    ///
    /// The hashes are those of this implementation, or those that Xcode recorded in the `.momd` that the model was read
    /// from. Metadata of a store that a Mac wrote has the latter.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let entities = entities(forConfigurationName: configuration),
            let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return false }
        return stored.count == entities.count && entities.allSatisfy { $0.accepts(versionHash: stored[$0.name ?? ""]) }
    }
}
