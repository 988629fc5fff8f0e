import Foundation

/// Makes rows of values as stores of programs have them.
struct ValueRows {
    /// A value, or nil for none. Destinations are IDs or nodes.
    typealias Values = (NSPropertyDescription) throws -> Any?

    let table: PropertyTable
    let mapping: RowMapping

    func row(_ key: RowKey, version: Int64, _ values: Values) throws -> StoredRow {
        var stored = [StoredValue](repeating: .null, count: mapping.layout.properties.count)
        for (property, place) in zip(table.properties, mapping.places) {
            switch property.kind {
            case .attribute(let attribute):
                guard let value = Self.present(try values(attribute)) else { continue }
                guard let held = AttributeConversion.value(value, for: attribute.attributeType),
                    attribute.attributeType.accepts(held)
                else {
                    throw CocoaError.make(
                        .coreData, "the store has a \(type(of: value)) for the attribute '\(attribute.name)'")
                }
                try RowEncoder.set(held, of: attribute, at: place, in: &stored)
            case .toOne(let relationship):
                guard case .value(let index) = place, let id = Self.ids(try values(relationship)).first else {
                    continue
                }
                stored[index] = .reference(id.key)
            case .toMany: continue
            }
        }
        return StoredRow(key: key, version: version, values: stored)
    }

    /// Returns the IDs in the value of a relationship.
    static func ids(_ value: Any?) -> [NSManagedObjectID] {
        switch value {
        case let id as NSManagedObjectID: [id]
        case let node as NSAtomicStoreCacheNode: [node.objectID]
        case let members as NSOrderedSet: members.array.flatMap(ids)
        case let members as NSSet: members.allObjects.flatMap(ids)
        case let members as Set<AnyHashable>: members.flatMap { ids($0.base) }
        case let members as [Any]: members.flatMap(ids)
        case let members as NSArray: members.map { $0 }.flatMap(ids)
        default: []
        }
    }

    private static func present(_ value: Any?) -> Any? { value is NSNull ? nil : value }
}
