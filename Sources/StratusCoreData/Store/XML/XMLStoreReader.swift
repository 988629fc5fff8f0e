import Foundation
import StratusXML

/// Makes nodes of the objects in an XML store. Names of entities are in capitals there, and those of properties are not.
struct XMLStoreReader {
    private let objects: [XMLElement]
    private let entities: [String: NSEntityDescription]

    init(_ document: XMLStoreDocument, _ model: NSManagedObjectModel?) {
        objects = document.objects
        entities = Dictionary(
            (model?.entities ?? []).map { (($0.name ?? "").uppercased(), $0) }, uniquingKeysWith: { $1 })
    }

    /// - Parameter makeID: Makes the ID of an object of an entity with a number.
    func nodes(_ makeID: (NSEntityDescription, Int) -> NSManagedObjectID) throws -> Set<NSAtomicStoreCacheNode> {
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for object in objects {
            let type = object.attribute("type") ?? ""
            guard let entity = entities[type], let id = object.attribute("id"), let number = Self.number(id),
                nodes[id] == nil
            else { throw failure("an object of the type '\(type)' on line \(object.line) has no entity or no ID") }
            nodes[id] = NSAtomicStoreCacheNode(objectID: makeID(entity, number))
        }
        for object in objects {
            guard let node = nodes[object.attribute("id") ?? ""] else { continue }
            try fill(node, from: object, nodes)
        }
        return Set(nodes.values)
    }

    private func fill(
        _ node: NSAtomicStoreCacheNode, from object: XMLElement, _ nodes: [String: NSAtomicStoreCacheNode]
    ) throws {
        let properties = Dictionary(
            node.objectID.entity.propertiesByName.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        for element in object.elements {
            let name = element.attribute("name") ?? ""
            switch (element.name.local, properties[name.lowercased()]) {
            case ("attribute", let attribute as NSAttributeDescription):
                guard let value = XMLStoreValue.value(element.text, of: attribute) else {
                    throw failure("the value of '\(name)' on line \(element.line) is not of the attribute's type")
                }
                node.setValue(value, forKey: attribute.name)
            case ("relationship", let relationship as NSRelationshipDescription):
                let names = (element.attribute("idrefs") ?? "").split(separator: " ").map(String.init)
                let destinations = try names.map { name in
                    guard let found = nodes[name] else {
                        throw failure("'\(name)' on line \(element.line) is not the ID of an object")
                    }
                    return found
                }
                node.setValue(NSOrderedSet(array: destinations), forKey: relationship.name)
            default: throw failure("'\(name)' on line \(element.line) is not a property of the entity")
            }
        }
    }

    /// Returns the number in an ID, such as 102 of `z102`.
    private static func number(_ id: String) -> Int? {
        guard id.first == "z", let number = Int(id.dropFirst()), number > 0 else { return nil }
        return number
    }

    private func failure(_ reason: String) -> NSError { CocoaError.make(.fileReadCorruptFile, reason) }
}
