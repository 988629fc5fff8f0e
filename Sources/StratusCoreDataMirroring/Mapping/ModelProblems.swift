import StratusCloudKit
import StratusCoreData

/// The parts of a model that CloudKit cannot mirror, each named with its reason.
struct ModelProblems {
    private(set) var texts: [String] = []

    private let entities: Set<String>
    private let scope: CKDatabase.Scope

    init(_ entities: [NSEntityDescription], _ scope: CKDatabase.Scope) {
        self.entities = Set(entities.compactMap(\.name))
        self.scope = scope
        for entity in entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) { check(entity) }
    }

    private mutating func check(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        if entity.uniquenessConstraints.count > entity.superentity?.uniquenessConstraints.count ?? 0 {
            texts.append("entity '\(name)' has uniqueness constraints")
        }
        // Each property is named once, with the first entity of the store that has it.
        let above = entity.superentity.flatMap { $0.name.map(entities.contains) == true ? $0 : nil }
        let inherited = above?.propertiesByName ?? [:]
        let properties = entity.propertiesByName.values.sorted { $0.name < $1.name }
        for property in properties where inherited[property.name] == nil && !property.isTransient {
            switch property {
            case let attribute as NSAttributeDescription: check(attribute, "\(name).\(attribute.name)")
            case let relationship as NSRelationshipDescription: check(relationship, "\(name).\(relationship.name)")
            default: break
            }
        }
    }

    private mutating func check(_ attribute: NSAttributeDescription, _ name: String) {
        guard !(attribute is NSDerivedAttributeDescription) else { return }
        if let composite = attribute as? NSCompositeAttributeDescription {
            for element in composite.elements { check(element, "\(name).\(element.name)") }
        }
        if !attribute.isOptional, attribute.defaultValue == nil {
            texts.append("attribute '\(name)' is neither optional nor has a default value")
        }
        switch attribute.attributeType {
        case .undefinedAttributeType: texts.append("attribute '\(name)' has no type")
        case .objectIDAttributeType: texts.append("attribute '\(name)' holds an object ID")
        default: break
        }
        if attribute.allowsCloudEncryption, scope == .public {
            texts.append("attribute '\(name)' allows encryption, which a public database does not have")
        }
    }

    private mutating func check(_ relationship: NSRelationshipDescription, _ name: String) {
        let reasons: [(Bool, String)] = [
            (!relationship.isOptional, "is not optional"),
            (relationship.inverseRelationship == nil, "has no inverse"),
            (relationship.isOrdered, "is ordered"),
            (relationship.deleteRule == .denyDeleteRule, "has the delete rule Deny"),
            (
                relationship.destinationEntity?.name.map { !entities.contains($0) } ?? true,
                "leads to an entity of another configuration"
            ),
        ]
        for (isBroken, reason) in reasons where isBroken { texts.append("relationship '\(name)' \(reason)") }
    }
}
