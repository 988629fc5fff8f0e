import CoreData

/// A model with relationships of all kinds: notes in folders, with tags, a cover and other notes that they mention.
enum Notebook {
    static func model() -> NSManagedObjectModel {
        let note = entity("Note", ["title": .string, "text": .string, "pages": .integer64, "date": .date])
        let folder = entity("Folder", ["name": .string])
        let tag = entity("Tag", ["name": .string])
        let cover = entity("Cover", ["color": .string])
        relate(folder, "notes", toMany: true, .nullifyDeleteRule, note, "folder", toMany: false)
        relate(note, "tags", toMany: true, .nullifyDeleteRule, tag, "notes", toMany: true)
        relate(note, "cover", toMany: false, .cascadeDeleteRule, cover, "note", toMany: false)
        relate(note, "mentions", toMany: true, .nullifyDeleteRule, note, "mentionedBy", toMany: true)
        let model = NSManagedObjectModel()
        // A note that has more than others.
        let checklist = entity("Checklist", ["isDone": .boolean])
        note.subentities = [checklist]
        model.entities = [note, checklist, folder, tag, cover]
        return model
    }

    private static func entity(
        _ name: String, _ attributes: [String: NSAttributeDescription.AttributeType]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
            return attribute
        }
        return entity
    }

    private static func relate(
        _ first: NSEntityDescription, _ name: String, toMany: Bool, _ rule: NSDeleteRule,
        _ second: NSEntityDescription, _ inverseName: String, toMany isInverseToMany: Bool
    ) {
        let (relationship, inverse) = (NSRelationshipDescription(), NSRelationshipDescription())
        (relationship.name, relationship.destinationEntity, relationship.inverseRelationship) = (name, second, inverse)
        (inverse.name, inverse.destinationEntity, inverse.inverseRelationship) = (inverseName, first, relationship)
        relationship.maxCount = toMany ? 0 : 1
        inverse.maxCount = isInverseToMany ? 0 : 1
        (relationship.isOptional, inverse.isOptional) = (true, true)
        (relationship.deleteRule, inverse.deleteRule) = (rule, .nullifyDeleteRule)
        first.properties += [relationship]
        second.properties += [inverse]
    }
}
