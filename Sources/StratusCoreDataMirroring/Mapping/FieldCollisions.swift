import StratusCoreData

/// The fields of records that two properties of a model would share.
struct FieldCollisions {
    private(set) var texts: [String] = []

    /// The properties by the fields that they have in the records of a type.
    private var owners: [String: [String: Owner]] = [:]

    private struct Owner: Equatable {
        var property: String
        /// Nil for references.
        var type: NSAttributeType?
        var isEncrypted = false
    }

    init(_ entities: [MirroredEntity]) {
        for entity in entities.sorted(by: { $0.name < $1.name }) {
            for key in [MirroredModel.entityKey, MirroredModel.moveReceiptKey] {
                owners[entity.recordType, default: [:]][key] = Owner(property: key)
            }
            for field in entity.fields {
                let owner = Owner(property: field.name, type: field.type, isEncrypted: field.isEncrypted)
                add(owner, field.key, entity)
                if let key = field.assetKey { add(owner, key, entity) }
            }
            for reference in entity.references { add(Owner(property: reference.name), reference.key, entity) }
        }
    }

    /// Subentities may share a field of one type.
    private mutating func add(_ owner: Owner, _ key: String, _ entity: MirroredEntity) {
        if let other = owners[entity.recordType]?[key], other != owner {
            texts.append("property '\(entity.name).\(owner.property)' needs the field '\(key)', which another one has")
        } else {
            owners[entity.recordType, default: [:]][key] = owner
        }
    }
}
