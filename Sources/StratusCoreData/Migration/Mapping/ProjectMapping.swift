import Foundation
import StratusCompatibility
import StratusModelFiles
import StratusXML

/// Reads the mapping model of a project, an `.xcmappingmodel`, for two versions of a model. It is an XML store with the
/// objects of Xcode's editor.
struct ProjectMapping {
    private let file: String
    private let objects: [String: XMLElement]
    private let source: [String: NSEntityDescription]
    private let destination: [String: NSEntityDescription]
    /// The names of the mappings by the names of their destinations.
    private var names: [String: String] = [:]

    /// Returns the mappings; nil if the file is for other versions.
    static func read(
        _ folder: URL, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
    ) throws -> [NSEntityMapping]? {
        let file = folder.appendingPathComponent("xcmapping.xml")
        let document = try XMLStoreDocument(contentsOf: file)
        var reader = ProjectMapping(document, file.path, source.entitiesByName, destination.entitiesByName)
        return try reader.mappings()
    }

    private init(
        _ document: XMLStoreDocument, _ file: String, _ source: [String: NSEntityDescription],
        _ destination: [String: NSEntityDescription]
    ) {
        self.file = file
        self.source = source
        self.destination = destination
        objects = Dictionary(
            document.objects.map { ($0.attribute("id") ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func mappings() throws -> [NSEntityMapping]? {
        guard let root = objects.values.first(where: { $0.attribute("type") == "XDDEVMAPPINGMODEL" }) else {
            throw ModelFileError(file: file, reason: "has no mapping model")
        }
        let found = referenced("entitymappings", by: root).sorted { number($0) < number($1) }
        for object in found {
            guard let name = text("destinationname", of: object), names[name] == nil else { continue }
            names[name] = self.name(of: object)
        }
        var mappings: [NSEntityMapping] = []
        for object in found {
            guard let mapping = try entityMapping(object) else { return nil }
            mappings.append(mapping)
        }
        let mapped = Set(mappings.compactMap(\.sourceEntityName))
        return source.values.allSatisfy { $0.isAbstract || mapped.contains($0.name ?? "") } ? mappings : nil
    }

    /// Returns nil if the versions lack an entity or property.
    private func entityMapping(_ object: XMLElement) throws -> NSEntityMapping? {
        let (from, to) = (text("sourcename", of: object), text("destinationname", of: object))
        let (former, next) = (from.flatMap { source[$0] }, to.flatMap { destination[$0] })
        guard (from == nil) == (former == nil), (to == nil) == (next == nil), former != nil || next != nil else {
            return nil
        }
        let mapping = NSEntityMapping()
        mapping.name = name(of: object)
        (mapping.sourceEntityName, mapping.destinationEntityName) = (from, to)
        mapping.sourceEntityVersionHash = former?.versionHash
        mapping.destinationEntityVersionHash = next?.versionHash
        mapping.entityMigrationPolicyClassName = text("migrationpolicyclassname", of: object)
        if former == nil {
            mapping.mappingType = .addEntityMappingType
        } else if next == nil {
            mapping.mappingType = .removeEntityMappingType
        } else {
            mapping.mappingType =
                former?.versionHash == next?.versionHash ? .copyEntityMappingType : .transformEntityMappingType
        }
        mapping.source = try sourceExpression(object, mapping)
        mapping.attributeMappings = try referenced("attributemappings", by: object).map { property in
            try propertyMapping(property, mapping) { name, _ in
                former?.attributesByName[name] == nil ? nil : Self.value(name)
            }
        }
        mapping.relationshipMappings = try referenced("relationshipmappings", by: object).map { property in
            try propertyMapping(property, mapping) { name, object in
                let key = text("sourcekeypath", of: object) ?? name
                let target = former?.relationshipsByName[key]?.destinationEntity?.name
                let through = text("sourcemappingname", of: object) ?? target.flatMap { names[$0] }
                return through.map { Self.destinations(of: key, through: $0) }
            }
        }
        let mapped = ((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])).compactMap(\.name)
        let needed = next?.properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) } ?? []
        return Set(mapped) == Set(needed.map(\.name)) ? mapping : nil
    }

    private func propertyMapping(
        _ object: XMLElement, _ mapping: NSEntityMapping, generated: (String, XMLElement) -> PredicateOperand?
    ) throws -> NSPropertyMapping {
        let property = NSPropertyMapping()
        property.name = text("name", of: object)
        if let own = try expression("valueexpressiondata", of: object, mapping) {
            property.value = own
        } else {
            property.value = property.name.flatMap { generated($0, object) }?.expression
        }
        return property
    }

    private func sourceExpression(_ object: XMLElement, _ mapping: NSEntityMapping) throws -> NSObject? {
        if let own = try expression("sourceexpressiondata", of: object, mapping) { return own }
        guard let predicate = text("sourcefilterpredicatestring", of: object), let name = mapping.sourceEntityName
        else { return nil }
        return PredicateOperand.method(
            .variable(NSMigrationManagerKey), selector: MigrationSelector.fetchRequest.rawValue,
            [.value(.string(name)), .value(.string(predicate))]
        ).expression
    }

    /// Returns an expression that the author wrote, which is an archive.
    private func expression(_ key: String, of object: XMLElement, _ mapping: NSEntityMapping) throws -> NSObject? {
        guard text("autogenerateexpression", of: object) != "1", let text = text(key, of: object),
            let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
        else { return nil }
        return try ArchivedMapping(file: file).expression(
            try KeyedArchive(Array(data), file: file).root(), of: mapping.name ?? "")
    }

    private static func value(_ key: String) -> PredicateOperand {
        .member(.variable(NSMigrationSourceObjectKey), keyPath: key)
    }

    private static func destinations(of key: String, through mapping: String) -> PredicateOperand {
        .method(
            .variable(NSMigrationManagerKey), selector: MigrationSelector.destinations.rawValue,
            [.value(.string(mapping)), value(key)])
    }

    private func name(of object: XMLElement) -> String {
        let parts = [text("sourcename", of: object), text("destinationname", of: object)].compactMap { $0 }
        return text("name", of: object) ?? parts.joined(separator: "To")
    }

    private func number(_ object: XMLElement) -> Int { text("mappingnumber", of: object).flatMap { Int($0) } ?? 0 }

    /// Returns the value of an attribute; nil if it is missing or empty.
    private func text(_ name: String, of object: XMLElement) -> String? {
        let text = object.elements.first { $0.name.local == "attribute" && $0.attribute("name") == name }?.text
        return text?.isEmpty == true ? nil : text
    }

    private func referenced(_ name: String, by object: XMLElement) -> [XMLElement] {
        let element = object.elements.first { $0.name.local == "relationship" && $0.attribute("name") == name }
        return (element?.attribute("idrefs") ?? "").split(separator: " ").compactMap { objects[String($0)] }
    }
}
