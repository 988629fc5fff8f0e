import Foundation

/// The entities of a program's managed objects, and configurations, which are named sets of them.
open class NSManagedObjectModel: NSObject, NSCopying, Freezable {
    /// Whether a coordinator uses the model.
    private(set) var isFrozen = false

    /// Names for the version of the model. Stores record them and never compare them.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { assertMutable() } }

    /// The fetch requests that the model has, by their names.
    public internal(set) var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] = [:] {
        willSet { assertMutable() }
    }

    /// Translations of names in the model, by keys such as `Entity/Book`. Messages of errors have the names themselves.
    open var localizationDictionary: [String: String]? { willSet { assertMutable() } }

    /// The modules whose classes the entities may have.
    var modules: [String] = []

    /// The files with all versions of the model that the model was read from.
    var versionFolders: [URL] = []

    private var ownEntities: [NSEntityDescription] = [] { willSet { assertMutable() } }
    private var namesByConfiguration: [String: [String]] = [:] { willSet { assertMutable() } }

    public override required init() { super.init() }

    /// Makes a model with copies of the entities of several models. Returns nil if two of them have different entities
    /// of the same name; the same entity may be in several models.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        self.init()
        var merged: [NSEntityDescription] = []
        var hashes: [String: Data] = [:]
        var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
        for model in models ?? [] {
            for entity in model.entities {
                let name = entity.name ?? ""
                guard let known = hashes[name] else {
                    hashes[name] = entity.versionHash
                    merged.append(entity)
                    continue
                }
                guard known == entity.versionHash else { return nil }
            }
            versionIdentifiers.formUnion(model.versionIdentifiers)
            modules += model.modules
            versionFolders += model.versionFolders
            templates.merge(model.fetchRequestTemplatesByName) { first, _ in first }
            for (configuration, names) in model.namesByConfiguration {
                let known = namesByConfiguration[configuration] ?? []
                namesByConfiguration[configuration] = known + names.filter { !known.contains($0) }
            }
        }
        entities = Self.copies(of: merged)
        fetchRequestTemplatesByName = copies(of: templates)
    }

    /// The entities, those that inherit from others included.
    open var entities: [NSEntityDescription] {
        get { ownEntities }
        set {
            var names = Set<String>()
            for entity in newValue {
                let name = entity.name ?? ""
                // The program's own mistake, for which Apple raises an exception.
                precondition(!name.isEmpty, "an entity of the model has no name")
                precondition(names.insert(name).inserted, "the model has two entities with the name '\(name)'")
                precondition(
                    entity.managedObjectModel == nil || entity.managedObjectModel === self,
                    "entity '\(name)' belongs to another model")
            }
            for entity in ownEntities { entity.managedObjectModel = nil }
            ownEntities = newValue
            for entity in newValue { entity.managedObjectModel = self }
        }
    }

    /// The entities by their names.
    public var entitiesByName: [String: NSEntityDescription] {
        Dictionary(ownEntities.compactMap { entity in entity.name.map { ($0, entity) } }, uniquingKeysWith: { $1 })
    }

    /// The names of the configurations.
    public var configurations: [String] { namesByConfiguration.keys.sorted() }

    /// The version hash of each entity.
    public var entityVersionHashesByName: [String: Data] { entitiesByName.mapValues(\.versionHash) }

    /// Apple's name for the configuration with all entities, which stores have that were opened without one.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// Returns the entities of a configuration, all of them for nil, or nil for an unknown configuration.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return entities }
        guard let names = namesByConfiguration[configuration] else { return nil }
        let known = entitiesByName
        return names.compactMap { known[$0] }
    }

    /// Sets the entities of a configuration, which are entities of this model.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        namesByConfiguration[configuration] = entities.map { entity in
            precondition(
                entity.managedObjectModel === self,
                "configuration '\(configuration)': entity '\(entity.name ?? "")' is not in the model")
            return entity.name ?? ""
        }
    }

    /// Whether another object is a model with equal entities in equal configurations.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return other === self
            || entityVersionHashesByName == other.entityVersionHashesByName
                && namesByConfiguration.mapValues(Set.init) == other.namesByConfiguration.mapValues(Set.init)
                && versionIdentifiers == other.versionIdentifiers
    }

    open override var hash: Int { Set(ownEntities.map(\.name)).hashValue }

    /// Makes the model immutable with all its parts. A coordinator does so before it uses the model.
    func freeze() {
        isFrozen = true
        for entity in ownEntities { entity.freeze() }
        for template in fetchRequestTemplatesByName.values { template.isFrozen = true }
    }

    /// Returns a copy with copies of all entities, whose relationships lead to each other.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.versionIdentifiers = versionIdentifiers
        copy.modules = modules
        copy.versionFolders = versionFolders
        copy.localizationDictionary = localizationDictionary
        copy.namesByConfiguration = namesByConfiguration
        copy.entities = Self.copies(of: entities)
        copy.fetchRequestTemplatesByName = copy.copies(of: fetchRequestTemplatesByName)
        return copy
    }

    /// Returns copies of entities that inherit from, lead to and are the inverse of each other as the originals. What
    /// leads to an entity outside of `entities` is found by its name.
    private static func copies(of entities: [NSEntityDescription]) -> [NSEntityDescription] {
        let copies = entities.map { $0.copyOfDeclaration() }
        let byName = Dictionary(zip(entities.map { $0.name ?? "" }, copies), uniquingKeysWith: { first, _ in first })
        for (original, copy) in zip(entities, copies) {
            copy.subentities = original.subentities.compactMap { byName[$0.name ?? ""] }
        }
        for copy in copies {
            copy.connectIndexes()
            for property in copy.properties {
                (property as? NSFetchedPropertyDescription)?.fetchRequest?.settings.subject.move(to: byName)
                guard let relationship = property as? NSRelationshipDescription, property.entity === copy else {
                    continue
                }
                let inverse = relationship.inverseRelationship?.name
                relationship.destinationEntity = relationship.destinationEntity.flatMap { byName[$0.name ?? ""] }
                relationship.inverseRelationship = inverse.flatMap {
                    relationship.destinationEntity?.relationshipsByName[$0]
                }
            }
        }
        return copies
    }
}
