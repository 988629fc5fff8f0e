import CloudKit
import Foundation
import StratusCoreData
import Testing

@testable import StratusCoreDataMirroring

/// Models that cannot be mirrored.
@Suite struct RestrictionTests {
    private func reason(
        _ model: NSManagedObjectModel, _ scope: CKDatabase.Scope = .private, configuration: String? = nil
    ) -> String? {
        do {
            _ = try MirroredModel(model, configuration: configuration, scope: scope)
            return nil
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain && (error as NSError).code == 134_060)
            return error.localizedDescription
        }
    }

    @Test func everyOffenderIsNamed() throws {
        let (post, tag) = (MappedModel.entity("Post"), MappedModel.entity("Tag"))
        let (required, untyped) = (
            MappedModel.attribute("required", .stringAttributeType),
            MappedModel.attribute("untyped", .undefinedAttributeType)
        )
        required.isOptional = false
        let withDefault = MappedModel.attribute("withDefault", .integer64AttributeType)
        (withDefault.isOptional, withDefault.defaultValue) = (false, 3)
        let pointer = MappedModel.attribute("pointer", .objectIDAttributeType)
        post.properties = [required, untyped, withDefault, pointer]
        post.uniquenessConstraints = [["required"]]
        MappedModel.connect(post, "tags", 0, tag, "posts", 0)
        let tags = try #require(post.relationshipsByName["tags"])
        (tags.isOptional, tags.isOrdered, tags.deleteRule) = (false, true, .denyDeleteRule)
        let alone = NSRelationshipDescription()
        (alone.name, alone.destinationEntity, alone.maxCount, alone.isOptional) = ("alone", tag, 1, true)
        post.properties.append(alone)
        let sub = MappedModel.entity("Article")
        post.subentities = [sub]

        let text = try #require(reason(MappedModel.model([post, sub, tag])))
        for part in [
            "entity 'Post' has uniqueness", "'Post.required' is neither", "'Post.untyped' has no type",
            "'Post.pointer' holds an object ID", "'Post.tags' is not optional", "'Post.tags' is ordered",
            "'Post.tags' has the delete rule Deny", "'Post.alone' has no inverse",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("withDefault") && !text.contains("Article") && !text.contains("Tag.posts"))
    }

    @Test func fieldsBelongToOneProperty() {
        let post = MappedModel.entity("Post")
        let place = NSCompositeAttributeDescription()
        (place.name, place.isOptional) = ("place", true)
        place.elements = [MappedModel.attribute("city", .stringAttributeType)]
        post.properties = [
            MappedModel.attribute("entityName", .stringAttributeType), place,
            MappedModel.attribute("place_city", .integer64AttributeType),
            MappedModel.attribute("text", .stringAttributeType),
            MappedModel.attribute("text_ckAsset", .integer64AttributeType),
        ]
        let (article, film) = (MappedModel.entity("Article"), MappedModel.entity("Film"))
        article.properties = [
            MappedModel.attribute("length", .integer64AttributeType),
            MappedModel.attribute("year", .integer16AttributeType),
        ]
        film.properties = [
            MappedModel.attribute("length", .doubleAttributeType),
            MappedModel.attribute("year", .integer16AttributeType),
        ]
        post.subentities = [article, film]
        let text = reason(MappedModel.model([post, article, film])) ?? ""
        for part in ["Post.entityName", "Post.place_city", "Post.text_ckAsset", "Film.length"] {
            #expect(text.contains("property '\(part)' needs the field"), "\(part)")
        }
        #expect(!text.contains("year"))
    }

    @Test func propertiesOfAnEntityOutsideOfTheStoreAreChecked() {
        let (post, article) = (MappedModel.entity("Post"), MappedModel.entity("Article"))
        let required = MappedModel.attribute("required", .stringAttributeType)
        required.isOptional = false
        post.properties = [required]
        post.subentities = [article]
        let model = MappedModel.model([post, article])
        model.setEntities([article], forConfigurationName: "Articles")
        #expect(reason(model, configuration: "Articles")?.contains("'Article.required' is neither") == true)
    }

    @Test func relationshipsStayInTheirConfiguration() {
        let (post, tag) = (MappedModel.entity("Post"), MappedModel.entity("Tag"))
        MappedModel.connect(post, "tags", 0, tag, "posts", 0)
        let model = MappedModel.model([post, tag])
        model.setEntities([post], forConfigurationName: "Private")
        #expect(reason(model) == nil)
        #expect(reason(model, configuration: "Private")?.contains("'Post.tags' leads to an entity of another") == true)
    }

    @Test func publicDatabasesEncryptNothing() {
        #expect(reason(MappedModel.posts()) == nil)
        let text = reason(MappedModel.posts(), .public) ?? ""
        #expect(text.contains("'Post.secret' allows encryption") && text.contains("'Post.secretNumber'"))
    }

    @Test func representativeRecordsHaveAllFields() throws {
        let model = try MirroredModel(MappedModel.posts(), configuration: nil, scope: .private)
        let staging = AssetStaging(FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString))
        let records = try RepresentativeRecords(model: model, zoneID: .default, staging: staging).make()
        #expect(Set(records.map(\.recordType)) == ["CD_Post", "CD_Tag", "CD_Cover", "CDMR"])
        let post = try #require(records.first { $0.recordType == "CD_Post" })
        for key in [
            "CD_entityName", "CD_small", "CD_edition", "CD_text_ckAsset", "CD_words_ckAsset", "CD_place_city",
            "CD_cover",
            "CD_answered", "CD_moveReceipt", "CD_moveReceipt_ckAsset", "CD_secret_ckAsset",
        ] {
            #expect(post[key] != nil, "\(key)")
        }
        #expect(post.encryptedValues["CD_secret"] == "text" && post["CD_passing"] == nil)
    }
}
