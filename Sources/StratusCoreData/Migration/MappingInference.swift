import Foundation

/// The entities and properties of a model, each with the one of a former version of the model whose contents it takes
/// over.
struct MappingInference {
    /// A pair of entities.
    struct Pair {
        let source: NSEntityDescription
        let destination: NSEntityDescription
        /// The names of the properties of the source, by those of the destination.
        let properties: [String: String]
    }

    /// The pairs by the names of the entities of the destination.
    private(set) var pairs: [String: Pair] = [:]
    let source: [NSEntityDescription]
    let destination: [NSEntityDescription]

    /// - Throws: A Cocoa error with the code 134190 if a change cannot be inferred.
    init(from source: [NSEntityDescription], to destination: [NSEntityDescription]) throws {
        self.source = source
        self.destination = destination
        let sources = Dictionary(source.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
        let names = Self.matches(destination.map(Self.names), source.map(Self.names))
        for entity in destination {
            guard let name = names[entity.name ?? ""], let former = sources[name] else { continue }
            pairs[entity.name ?? ""] = Pair(
                source: former, destination: entity,
                properties: Self.matches(Self.stored(entity).map(Self.names), Self.stored(former).map(Self.names)))
        }
        try checkHierarchies()
        for pair in pairs.values { try check(pair) }
    }

    /// Returns the attributes and relationships that a store keeps.
    static func stored(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
        entity.propertiesByName.values.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
    }

    // MARK: - Names

    private struct Names {
        let name: String
        let identifier: String
    }

    private static func names(_ entity: NSEntityDescription) -> Names {
        Names(name: entity.name ?? "", identifier: entity.renamingIdentifier ?? "")
    }

    private static func names(_ property: NSPropertyDescription) -> Names {
        Names(name: property.name, identifier: property.renamingIdentifier ?? property.name)
    }

    /// Returns the name of the source of each destination that has one. Identifiers that differ from the name go first,
    /// because a new part may have taken over the name of a renamed one. No source is taken twice.
    private static func matches(_ destinations: [Names], _ sources: [Names]) -> [String: String] {
        let byName = Dictionary(sources.map { ($0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
        let byIdentifier = Dictionary(sources.map { ($0.identifier, $0.name) }, uniquingKeysWith: { first, _ in first })
        var matches: [String: String] = [:]
        var taken: Set<String> = []
        func take(_ source: String?, for destination: Names) {
            guard let source, matches[destination.name] == nil, taken.insert(source).inserted else { return }
            matches[destination.name] = source
        }
        let sorted = destinations.sorted { $0.name < $1.name }
        for names in sorted where names.identifier != names.name {
            take(byName[names.identifier] ?? byIdentifier[names.identifier], for: names)
        }
        for names in sorted { take(byName[names.name], for: names) }
        for names in sorted { take(byIdentifier[names.identifier], for: names) }
        return matches
    }

    // MARK: - Checks

    /// Keys of rows are unique among the entities that inherit from one, so that two hierarchies cannot become one.
    private func checkHierarchies() throws {
        var roots: [String: (NSEntityDescription, NSEntityDescription)] = [:]
        for pair in pairs.values.sorted(by: { ($0.destination.name ?? "") < ($1.destination.name ?? "") }) {
            let root = pair.destination.root.name ?? ""
            guard let (other, formerRoot) = roots[root] else {
                roots[root] = (pair.destination, pair.source.root)
                continue
            }
            guard formerRoot === pair.source.root else {
                throw Self.error(
                    pair.destination, nil,
                    "It inherits from the same entity as '\(other.name ?? "")', which it did not before")
            }
        }
    }

    private func check(_ pair: Pair) throws {
        let sources = pair.source.propertiesByName
        for property in Self.stored(pair.destination) {
            guard let former = pair.properties[property.name].flatMap({ sources[$0] }) else { continue }
            switch (former, property) {
            case (let former as NSAttributeDescription, let attribute as NSAttributeDescription):
                guard Self.converts(former, to: attribute) else {
                    throw Self.error(
                        pair.destination, property, "Source and destination attribute types are incompatible")
                }
            case (let former as NSRelationshipDescription, let relationship as NSRelationshipDescription):
                guard relationship.isToMany || !former.isToMany else {
                    throw Self.error(pair.destination, property, "A to-many relationship cannot become a to-one one")
                }
                guard leads(former, relationship) else {
                    throw Self.error(
                        pair.destination, property, "Source and destination relationships lead to different entities")
                }
            default:
                throw Self.error(pair.destination, property, "An attribute and a relationship are incompatible")
            }
        }
    }

    /// Whether values of an attribute can be those of another one: if the types are the same, or the new type has all
    /// values of the former one in the same form.
    private static func converts(_ former: NSAttributeDescription, to attribute: NSAttributeDescription) -> Bool {
        if let former = former as? NSCompositeAttributeDescription,
            let composite = attribute as? NSCompositeAttributeDescription
        {
            let elements = Dictionary(former.elements.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            return composite.elements.allSatisfy { element in
                elements[element.name].map { converts($0, to: element) } ?? true
            }
        }
        let widenings: [NSAttributeType: Set<NSAttributeType>] = [
            .integer16AttributeType: [.integer32AttributeType, .integer64AttributeType],
            .integer32AttributeType: [.integer64AttributeType],
            .floatAttributeType: [.doubleAttributeType],
        ]
        let (type, formerType) = (attribute.attributeType, former.attributeType)
        return type == formerType || widenings[formerType]?.contains(type) == true
    }

    /// Whether the objects that a relationship led to are among those that another one may lead to.
    private func leads(_ former: NSRelationshipDescription, _ relationship: NSRelationshipDescription) -> Bool {
        guard let formerDestination = former.destinationEntity, let destination = relationship.destinationEntity else {
            return former.destinationEntity == nil && relationship.destinationEntity == nil
        }
        return pairs.values.contains { pair in
            pair.destination.isKindOf(entity: destination)
                && (pair.source.isKindOf(entity: formerDestination) || formerDestination.isKindOf(entity: pair.source))
        }
    }

    private static func error(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription?, _ reason: String
    ) -> NSError {
        var info: [String: Any] = ["reason": "Can't infer mapping model: \(reason)", "entity": entity.name ?? ""]
        if let property { info["property"] = property.name }
        let name = [entity.name ?? "", property?.name].compactMap { $0 }.joined(separator: ".")
        return CocoaError.make(.inferredMappingModel, "\(name): \(reason)", info)
    }
}

extension NSEntityDescription {
    /// The entity without a superentity that this one inherits from, or itself.
    var root: NSEntityDescription { superentity?.root ?? self }
}

extension CocoaError.Code {
    /// A migration failed.
    public static let migration = CocoaError.Code(rawValue: 134_110)
    /// Values that the new model requires to be unique are not.
    public static let migrationConstraintViolation = CocoaError.Code(rawValue: 134_111)
    /// A program cancelled a migration.
    public static let migrationCancelled = CocoaError.Code(rawValue: 134_120)
    /// The model that a store was written with was not found.
    public static let migrationMissingSourceModel = CocoaError.Code(rawValue: 134_130)
    /// No mapping model was found for a migration.
    public static let migrationMissingMappingModel = CocoaError.Code(rawValue: 134_140)
    /// The store of a migration cannot be read.
    public static let migrationManagerSourceStore = CocoaError.Code(rawValue: 134_150)
    /// The new store of a migration cannot be written.
    public static let migrationManagerDestinationStore = CocoaError.Code(rawValue: 134_160)
    /// A policy of a migration failed.
    public static let entityMigrationPolicy = CocoaError.Code(rawValue: 134_170)
    /// No mapping can be inferred from two models.
    public static let inferredMappingModel = CocoaError.Code(rawValue: 134_190)
}
