import CoreData

/// The models of the documents' examples.
enum DocumentModel {
    /// Posts with tags, and a location that allows encryption.
    static func posts(encrypted: Bool = true) -> NSManagedObjectModel {
        let post = entity("Post", ["title": .string, "location": .transformable])
        post.attributesByName["location"]?.allowsCloudEncryption = encrypted
        let tag = entity("Tag", ["name": .string])
        let (tags, posts) = (NSRelationshipDescription(), NSRelationshipDescription())
        (tags.name, tags.destinationEntity, tags.inverseRelationship) = ("tags", tag, posts)
        (posts.name, posts.destinationEntity, posts.inverseRelationship) = ("posts", post, tags)
        for relationship in [tags, posts] {
            (relationship.isOptional, relationship.maxCount) = (true, 0)
            relationship.deleteRule = .nullifyDeleteRule
        }
        post.properties += [tags]
        tag.properties += [posts]
        let model = NSManagedObjectModel()
        model.entities = [post, tag]
        return model
    }

    /// Items of the configuration "public", and memos of the configuration "private".
    static func items() -> NSManagedObjectModel {
        let item = entity("Item", ["title": .string, "isRemoved": .boolean])
        let memo = entity("Memo", ["title": .string])
        let model = NSManagedObjectModel()
        model.entities = [item, memo]
        model.setEntities([item], forConfigurationName: "public")
        model.setEntities([memo], forConfigurationName: "private")
        return model
    }

    private static func entity(
        _ name: String, _ attributes: KeyValuePairs<String, NSAttributeDescription.AttributeType>
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
            return attribute
        }
        return entity
    }
}
