import Foundation
import StratusCoreData

/// Models for tests of the mapping.
enum MappedModel {
    static let attributes: [(String, NSAttributeType)] = [
        ("small", .integer16AttributeType), ("medium", .integer32AttributeType), ("large", .integer64AttributeType),
        ("flag", .booleanAttributeType), ("double", .doubleAttributeType), ("float", .floatAttributeType),
        ("decimal", .decimalAttributeType), ("date", .dateAttributeType), ("text", .stringAttributeType),
        ("data", .binaryDataAttributeType), ("words", .transformableAttributeType), ("identifier", .UUIDAttributeType),
        ("page", .URIAttributeType),
    ]

    static func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
        let entity = NSEntityDescription()
        (entity.name, entity.managedObjectClassName, entity.properties) = (name, "NSManagedObject", properties)
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
        if type == .transformableAttributeType { attribute.valueTransformerName = "NSSecureUnarchiveFromData" }
        return attribute
    }

    /// Adds a relationship and its inverse.
    /// - Parameters:
    ///   - most: The greatest number of destinations; 0 for any.
    static func connect(
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

    static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Posts with all types of attributes, tags, a cover and comments. Articles are posts.
    static func posts() -> NSManagedObjectModel {
        let all = attributes.map { attribute($0, $1) }
        let (post, article) = (entity("Post", all), entity("Article", [attribute("edition", .integer64AttributeType)]))
        let (tag, cover) = (entity("Tag", [attribute("name", .stringAttributeType)]), entity("Cover"))
        let secret = attribute("secret", .stringAttributeType)
        secret.allowsCloudEncryption = true
        let number = attribute("secretNumber", .integer64AttributeType)
        number.allowsCloudEncryption = true
        let place = NSCompositeAttributeDescription()
        (place.name, place.isOptional) = ("place", true)
        place.elements = [attribute("city", .stringAttributeType), attribute("floor", .integer16AttributeType)]
        let passing = attribute("passing", .stringAttributeType)
        passing.isTransient = true
        post.properties += [secret, number, place, passing]
        connect(post, "tags", 0, tag, "posts", 0)
        connect(post, "cover", 1, cover, "post", 1)
        connect(post, "answered", 1, post, "answers", 0)
        connect(post, "related", 0, post, "relatedBy", 0)
        post.subentities = [article]
        return model([post, article, tag, cover])
    }

    /// Returns a context of an empty store in memory.
    static func context(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
