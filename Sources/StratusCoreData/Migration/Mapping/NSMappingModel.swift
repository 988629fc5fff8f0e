import Foundation

/// The way in which a store of one version of a model becomes one of another version.
open class NSMappingModel: NSObject {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The mappings of the entities, in the order in which a migration uses them. Apple declares it so, and code relies
    /// on it.
    open var entityMappings: [NSEntityMapping]!

    /// The mappings of the entities by their names.
    public var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The inference that the mappings come from, by which a store in a file can be changed in place.
    private(set) var inference: MappingInference?

    /// Makes a model without mappings.
    public override init() {
        entityMappings = []
        super.init()
    }

    init(_ mappings: [NSEntityMapping]) {
        entityMappings = mappings
        super.init()
    }

    /// Reads a compiled mapping model, a `.cdm`. Returns nil for a file that cannot be read.
    public convenience init?(contentsOf url: URL?) {
        guard let url, let mappings = try? ArchivedMapping.read(url) else { return nil }
        self.init(mappings)
    }

    /// Reads the mapping model in bundles that is for two models, a `.cdm` or an `.xcmappingmodel`; nil stands for the main
    /// bundle. Returns nil if the bundles lack one.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        let files = (bundles ?? [.main]).flatMap(ModelResources.folders).flatMap { folder -> [URL] in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().map { folder.appendingPathComponent($0) }
        }
        let compiled = files.lazy.filter { $0.pathExtension == "cdm" }.compactMap { try? ArchivedMapping.read($0) }
            .first { Self.fits($0, sourceModel, destinationModel) }
        let inProject = files.lazy.filter { $0.pathExtension == "xcmappingmodel" }.compactMap { file in
            (try? ProjectMapping.read(file, sourceModel, destinationModel)) ?? nil
        }
        guard let found = compiled ?? inProject.first else { return nil }
        self.init(found)
    }

    private static func fits(
        _ mappings: [NSEntityMapping], _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
    ) -> Bool {
        let (sources, destinations) = (source.entitiesByName, destination.entitiesByName)
        func fits(_ name: String?, _ hash: Data?, _ entities: [String: NSEntityDescription]) -> Bool {
            name.map { entities[$0]?.accepts(versionHash: hash) ?? false } ?? true
        }
        return mappings.allSatisfy { mapping in
            fits(mapping.sourceEntityName, mapping.sourceEntityVersionHash, sources)
                && fits(mapping.destinationEntityName, mapping.destinationEntityVersionHash, destinations)
        }
    }

    /// Returns the mapping between two versions of a model that their names and renaming identifiers imply.
    /// - Throws: An error with the code 134190 if a change cannot be inferred.
    public class func inferredMappingModel(
        forSourceModel source: NSManagedObjectModel, destinationModel destination: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let inference = try MappingInference(from: source.entities, to: destination.entities)
        let model = NSMappingModel(inference.entityMappings)
        model.inference = inference
        return model
    }
}
