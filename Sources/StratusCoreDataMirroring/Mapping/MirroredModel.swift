import Foundation
import StratusCloudKit
import StratusCoreData

/// The entities of a store as records of CloudKit.
struct MirroredModel: Sendable {
    let entities: [String: MirroredEntity]

    /// - Parameters:
    ///   - configuration: The configuration of the model whose entities the store has; nil for all of them.
    /// - Throws: An error of Cocoa's domain with the code 134060 that names everything in the model that cannot be mirrored.
    init(_ model: NSManagedObjectModel, configuration: String?, scope: CKDatabase.Scope) throws {
        let entities = model.entities(forConfigurationName: configuration) ?? []
        let mirrored = entities.map(Self.mirrored)
        let problems = ModelProblems(entities, scope).texts + FieldCollisions(mirrored).texts
        guard problems.isEmpty else {
            throw CocoaError.make(
                .coreData, "the model cannot be mirrored in CloudKit: " + problems.joined(separator: "; "))
        }
        self.entities = Dictionary(mirrored.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var entityNames: [String] { entities.keys.sorted() }

    /// Returns an entity; nil for one that the store does not have.
    func entity(named name: String) -> MirroredEntity? { entities[name] }

    /// Returns a new record for an object.
    func record(_ recordID: CKRecord.ID, of entityName: String) throws -> CKRecord {
        guard let entity = entities[entityName] else {
            throw CocoaError.make(.coreData, "entity '\(entityName)' is not mirrored")
        }
        let record = CKRecord(recordType: entity.recordType, recordID: recordID)
        record[Self.entityKey] = entity.name
        return record
    }

    static let entityKey = "CD_entityName"
    static let moveReceiptKey = "CD_moveReceipt"

    // MARK: - Reading the model

    private static func mirrored(_ entity: NSEntityDescription) -> MirroredEntity {
        let relationships = entity.relationshipsByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name }
        return MirroredEntity(
            name: entity.name ?? "", recordType: "CD_" + (entity.root.name ?? ""),
            fields: entity.attributesByName.values.sorted { $0.name < $1.name }.flatMap { fields(of: $0) },
            references: relationships.filter { !$0.isToMany }.map { MirroredReference(name: $0.name) },
            links: relationships.compactMap { link($0, of: entity) })
    }

    private static func fields(
        of attribute: NSAttributeDescription, in path: [String] = [], isEncrypted: Bool = false
    ) -> [MirroredField] {
        guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else { return [] }
        let (path, isEncrypted) = (path + [attribute.name], isEncrypted || attribute.allowsCloudEncryption)
        if let composite = attribute as? NSCompositeAttributeDescription {
            return composite.elements.flatMap { fields(of: $0, in: path, isEncrypted: isEncrypted) }
        }
        return [
            MirroredField(
                name: path.joined(separator: "."), key: "CD_" + path.joined(separator: "_"),
                type: attribute.attributeType, isOptional: path.count > 1 || attribute.isOptional,
                isEncrypted: isEncrypted)
        ]
    }

    private static func link(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) -> MirroredLink?
    {
        guard relationship.isToMany, let inverse = relationship.inverseRelationship, inverse.isToMany,
            let other = relationship.destinationEntity
        else { return nil }
        return MirroredLink(
            name: relationship.name, entity: entity.origin(ofRelationship: relationship.name).name ?? "",
            inverse: inverse.name, other: other.origin(ofRelationship: inverse.name).name ?? "")
    }
}

extension NSEntityDescription {
    /// The entity at the top of the tree of inheritance.
    fileprivate var root: NSEntityDescription {
        var entity = self
        while let above = entity.superentity { entity = above }
        return entity
    }

    /// Returns the entity that other ones inherit a relationship from.
    fileprivate func origin(ofRelationship name: String) -> NSEntityDescription {
        var entity = self
        while let above = entity.superentity, above.relationshipsByName[name] != nil { entity = above }
        return entity
    }
}
