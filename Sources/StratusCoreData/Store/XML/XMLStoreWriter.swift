import Foundation
import StratusXML

/// Makes elements of the nodes of an XML store.
struct XMLStoreWriter {
    /// Returns the number of an object.
    let number: (NSManagedObjectID) -> Int

    init(number: @escaping (NSManagedObjectID) -> Int) { self.number = number }

    func object(_ node: NSAtomicStoreCacheNode, _ id: Int) throws -> XMLElement {
        let entity = node.objectID.entity
        var object = XMLElement("object", ["type": (entity.name ?? "").uppercased(), "id": "z\(id)"])
        for (name, property) in entity.propertiesByName.sorted(by: { $0.key < $1.key }) where !property.isTransient {
            switch property {
            case let attribute as NSAttributeDescription:
                guard let value = node.value(forKey: name), !(value is NSNull) else { continue }
                object.children.append(.element(try element(value, of: attribute)))
            case let relationship as NSRelationshipDescription:
                object.children.append(.element(element(node.value(forKey: name), of: relationship)))
            default: continue
            }
        }
        return object
    }

    private func element(_ value: Any, of attribute: NSAttributeDescription) throws -> XMLElement {
        let text = try XMLStoreValue.text(value, of: attribute)
        guard text.unicodeScalars.allSatisfy({ $0.value >= 32 || $0 == "\t" || $0 == "\n" || $0 == "\r" }) else {
            throw CocoaError.make(
                .persistentStoreSave, "'\(attribute.name)' has a control character, which XML cannot contain")
        }
        return XMLElement(
            "attribute",
            ["name": attribute.name.lowercased(), "type": XMLStoreValue.typeName(attribute.attributeType)], text: text)
    }

    private func element(_ value: Any?, of relationship: NSRelationshipDescription) -> XMLElement {
        var element = XMLElement(
            "relationship",
            [
                "name": relationship.name.lowercased(), "type": "\(relationship.minCount)/\(relationship.maxCount)",
                "destination": (relationship.destinationEntity?.name ?? "").uppercased(),
            ])
        let references = ValueRows.ids(value).map { "z\(number($0))" }
        if !references.isEmpty {
            let name = XMLName(namespace: "", local: "idrefs")
            element.attributes.append(XMLAttribute(name: name, value: references.joined(separator: " ")))
        }
        return element
    }
}
