import Foundation
import StratusCoreData

/// An attribute of an entity, or one of the parts of a composite attribute, with the field of its record.
struct MirroredField: Hashable, Sendable {
    /// The name of the attribute; of a part, the names on the way to it with dots between them.
    let name: String
    /// The key of the record.
    let key: String
    let type: NSAttributeType
    let isOptional: Bool
    let isEncrypted: Bool

    /// The key of the asset that has the value if it is too large for the record; nil for values of a fixed size.
    var assetKey: String? { hasAsset ? key + "_ckAsset" : nil }

    /// The names on the way to the value.
    private var path: [String] { name.split(separator: ".").map(String.init) }
    /// The name of the attribute, also of a part.
    var property: String { path.first ?? name }

    private var hasAsset: Bool {
        switch type {
        case .stringAttributeType, .binaryDataAttributeType, .transformableAttributeType: true
        default: false
        }
    }

    /// Returns the value of an object; nil for none.
    func value(of object: NSManagedObject) throws -> MirroredValue? {
        guard let attribute = attribute(of: object.entity) else { return nil }
        var value = object.value(forKey: property)
        for name in path.dropFirst() { value = (value as? [String: Any])?[name] }
        guard let value, !(value is NSNull) else { return nil }
        return try AttributeMapping.mirrored(value, attribute)
    }

    /// Gives an object a value; nil for none.
    /// - Throws: `MirroredRecordError` if the attribute cannot hold it.
    func set(_ value: MirroredValue?, of object: NSManagedObject) throws {
        guard let attribute = attribute(of: object.entity) else { return }
        let converted = try value.map { try AttributeMapping.value($0, attribute) }
        guard path.count > 1 else { return object.setValue(converted, forKey: property) }
        let whole = object.value(forKey: property) as? [String: Any] ?? [:]
        let changed = Self.setting(converted, at: path.dropFirst(), in: whole)
        object.setValue(changed.isEmpty ? nil : changed, forKey: property)
    }

    private static func setting(_ value: Any?, at path: ArraySlice<String>, in whole: [String: Any]) -> [String: Any] {
        guard let name = path.first else { return whole }
        var whole = whole
        if path.count == 1 {
            whole[name] = value
        } else {
            let part = setting(value, at: path.dropFirst(), in: whole[name] as? [String: Any] ?? [:])
            whole[name] = part.isEmpty ? nil : part
        }
        return whole
    }

    private func attribute(of entity: NSEntityDescription) -> NSAttributeDescription? {
        var attribute = entity.attributesByName[property]
        for name in path.dropFirst() {
            attribute = (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
        return attribute
    }
}

/// A to-one relationship whose record names the record of its destination.
struct MirroredReference: Hashable, Sendable {
    let name: String
    var key: String { "CD_" + name }
}

/// A many-to-many relationship, whose pairs are records of their own.
struct MirroredLink: Hashable, Sendable {
    let name: String
    /// The entity that has the relationship, above those that inherit it.
    let entity: String
    let inverse: String
    let other: String

    /// Returns the pair of two records.
    /// - Parameters:
    ///   - from: The name of the record whose object has the relationship.
    ///   - to: The name of the record of the destination.
    func pair(from: String, to: String) -> LinkedPair {
        let (here, there) = ([entity, name], [other, inverse])
        let isFirst = here == there ? from <= to : here.lexicographicallyPrecedes(there)
        return isFirst
            ? LinkedPair(relationship: (here + there).joined(separator: "."), first: from, second: to)
            : LinkedPair(relationship: (there + here).joined(separator: "."), first: to, second: from)
    }
}

/// An entity with the record type of its objects.
struct MirroredEntity: Hashable, Sendable {
    let name: String
    let recordType: String
    let fields: [MirroredField]
    let references: [MirroredReference]
    let links: [MirroredLink]

    /// The names of the properties whose values are in the records of objects.
    var recordProperties: Set<String> { Set(fields.map(\.property) + references.map(\.name)) }

    /// Returns the values of an object, by the names of its fields.
    func values(of object: NSManagedObject) throws -> [String: MirroredValue] {
        var values: [String: MirroredValue] = [:]
        for field in fields { values[field.name] = try field.value(of: object) }
        return values
    }
}

/// The mirrored values of an object.
struct MirroredRow: Equatable, Sendable {
    var entity: String
    /// The values by the names of their fields. A field without a value is absent.
    var values: [String: MirroredValue] = [:]
    /// The names of the records that to-one relationships lead to.
    var references: [String: String] = [:]
}
