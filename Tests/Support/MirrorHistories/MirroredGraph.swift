import CoreData
import Foundation

/// The model of the histories, and the graph of a store as text.
enum MirroredGraph {
    /// Notes with tags, a parent, and an image; tasks are notes.
    static func makeModel() -> NSManagedObjectModel {
        let (note, task, tag, image) = (entity("Note"), entity("Task"), entity("Tag"), entity("Image"))
        let attributes: [(MirrorAttribute, NSAttributeType)] = [
            (.title, .stringAttributeType), (.body, .stringAttributeType), (.count, .integer64AttributeType),
            (.secret, .stringAttributeType), (.data, .binaryDataAttributeType),
        ]
        note.properties = [attribute("name", .stringAttributeType)] + attributes.map { attribute($0.rawValue, $1) }
        tag.properties = [attribute("name", .stringAttributeType)]
        image.properties = [attribute("name", .stringAttributeType)]
        note.attributesByName["secret"]?.allowsCloudEncryption = true
        connect(note, "parent", 1, note, "children", 0)
        connect(note, "tags", 0, tag, "notes", 0)
        connect(note, "cover", 1, image, "note", 1)
        note.subentities = [task]
        let model = NSManagedObjectModel()
        let entry = entity("Entry")
        entry.properties = [attribute("name", .stringAttributeType), attribute("title", .stringAttributeType)]
        model.entities = [note, task, tag, image, entry]
        model.setEntities([note, task, tag, image], forConfigurationName: "Main")
        model.setEntities([entry], forConfigurationName: "Public")
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
        return attribute
    }

    /// - Parameters:
    ///   - most: The greatest number of destinations; 0 for any.
    private static func connect(
        _ one: NSEntityDescription, _ name: String, _ most: Int, _ other: NSEntityDescription, _ inverse: String,
        _ mostInverse: Int
    ) {
        let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        (there.name, there.destinationEntity, there.maxCount) = (name, other, most)
        (back.name, back.destinationEntity, back.maxCount) = (inverse, one, mostInverse)
        (there.inverseRelationship, back.inverseRelationship) = (back, there)
        for relationship in [there, back] {
            (relationship.isOptional, relationship.deleteRule) = (true, .nullifyDeleteRule)
        }
        one.properties.append(there)
        other.properties.append(back)
    }

    // MARK: - Objects

    /// The entries of the public store as lines.
    static func entries(in context: NSManagedObjectContext) throws -> [String] {
        try objects("Entry", in: context).map { "\(name($0)) title=\($0.value(forKey: "title") ?? "")" }
    }

    /// All objects of a context's stores, in the order of their names.
    static func objects(_ entityName: String, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    /// Each object as a line: entity, name, values and destinations.
    static func lines(in context: NSManagedObjectContext) throws -> [String] {
        try lines(in: context) { _ in "" }.map(\.line).sorted()
    }

    /// Each object that has a zone as a line, with its zone: entity, name, values and destinations in the same zone.
    static func lines(
        in context: NSManagedObjectContext, _ zone: (NSManagedObject) -> String?
    ) throws -> [(zone: String, line: String)] {
        let attributes = MirrorAttribute.allCases.map(\.rawValue)
        return try ["Note", "Tag", "Image"].flatMap { try objects($0, in: context) }.compactMap { object in
            guard let place = zone(object) else { return nil }
            var words = ["\(object.entity.name ?? "") \(name(object))"]
            for key in attributes where object.entity.attributesByName[key] != nil {
                guard let value = object.value(forKey: key) else { continue }
                words.append(
                    "\(key)=\((value as? Data).map { String(decoding: $0.prefix(20), as: UTF8.self) } ?? value)")
            }
            for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                let found = destinations(object.value(forKey: key), relationship).filter { zone($0) == place }
                let names = found.map(name).sorted()
                if !names.isEmpty { words.append("\(key)=[\(names.joined(separator: " "))]") }
            }
            return (place, words.joined(separator: " "))
        }
    }

    static func name(_ object: NSManagedObject) -> String { object.value(forKey: "name") as? String ?? "nameless" }

    private static func destinations(
        _ value: Any?, _ relationship: NSRelationshipDescription
    ) -> [NSManagedObject] {
        if relationship.isToMany { return (value as? Set<NSManagedObject>).map(Array.init) ?? [] }
        return (value as? NSManagedObject).map { [$0] } ?? []
    }
}
