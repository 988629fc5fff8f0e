import Foundation

extension NSManagedObjectModel {
    /// Returns one model of all models in bundles, or in the main bundle and the modules beside the program for nil.
    /// Returns nil if the bundles have no model, if one cannot be read, or if two have different entities of one name.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = urls(in: bundles).map { NSManagedObjectModel(contentsOf: $0) }
        guard !models.isEmpty, !models.contains(where: { $0 == nil }) else { return nil }
        return NSManagedObjectModel(byMerging: models.compactMap { $0 })
    }

    /// Returns one model of the versions of all models in bundles that a store was written with; nil if the bundles lack one.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        merged(from: urls(in: bundles), forStoreMetadata: metadata)
    }

    /// Returns one model of the versions in some files that a store was written with; nil if they lack one.
    static func merged(from files: [URL], forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
        let versions = files.flatMap { (try? ModelVersions(at: $0))?.all ?? [] }
        let models = versions.compactMap { try? NSManagedObjectModel($0) }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }

    /// Makes a model with those of several models whose entities a store was written with. Returns nil if they are not
    /// all of the store's entities.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        let whole = models.filter { model in
            !model.entities.isEmpty && model.entities.allSatisfy { $0.accepts(versionHash: stored[$0.name ?? ""]) }
        }
        // A store of one configuration lacks the other entities of its model.
        let isComplete = Set(whole.flatMap { $0.entities.compactMap(\.name) }).isSuperset(of: stored.keys)
        let fitting = isComplete ? whole : models.first { $0.accepts(versionHashes: stored) }.map { [$0] } ?? []
        self.init(byMerging: fitting)
        guard accepts(versionHashes: stored) else { return nil }
    }

    /// Whether a store with some version hashes was written with entities of the model.
    private func accepts(versionHashes stored: [String: Data]) -> Bool {
        let known = entitiesByName
        return !stored.isEmpty && stored.allSatisfy { known[$0]?.accepts(versionHash: $1) ?? false }
    }

    private static func urls(in bundles: [Bundle]?) -> [URL] {
        let folders = (bundles ?? [.main]).flatMap(ModelResources.folders)
        return folders.flatMap { folder -> [URL] in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().map { folder.appendingPathComponent($0) }
                .filter { ModelResources.extensions.contains($0.pathExtension) }
        }
    }
}
