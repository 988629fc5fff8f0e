import Foundation
import StratusCompatibility

/// Finds the names of the properties that a key path of Swift leads through.
///
/// Swift does not name computed properties, which the properties of managed objects are. The key path is therefore
/// applied to an object without values that notes the keys that are read.
final class KeyPathProbe {
    private var keys: [String] = []

    /// Returns the names, separated by dots; nil if the key path does not begin at managed objects.
    static func path(of keyPath: AnyKeyPath, _ entity: NSEntityDescription) -> String? {
        guard let root = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        let probe = KeyPathProbe()
        guard let object = probe.object(root, entity) else { return nil }
        _ = object[keyPath: keyPath]
        return probe.keys.isEmpty ? nil : probe.keys.joined(separator: ".")
    }

    private func object(_ type: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject? {
        guard let concrete = Self.concrete(entity) else { return nil }
        let object = type.init(entity: concrete, insertInto: nil)
        object.changesToWrite.probe = self
        return object
    }

    private static func concrete(_ entity: NSEntityDescription) -> NSEntityDescription? {
        guard entity.isAbstract else { return entity }
        return entity.subentities.lazy.compactMap { concrete($0) }.first
    }

    /// Notes a key and returns some value of the property's type, since accessors need not accept nil.
    func value(forKey key: String, at position: Int, of object: NSManagedObject) -> Any? {
        keys.append(key)
        switch object.table.properties[position].kind {
        case .attribute(let attribute): return Self.value(of: attribute.attributeType)
        case .toOne(let relationship):
            return relationship.destinationEntity.flatMap { self.object($0.objectClass, $0) }
        case .toMany: return object.table.properties[position].emptyState.publicValue
        }
    }

    /// Notes a key that the entity of the object does not have, because no model in use has the object's class.
    func note(_ key: String) { keys.append(key) }

    /// Returns some value of a type that accessors have; nil if no value of it is known.
    func value<Value>() -> Value? {
        if let type = Value.self as? NSManagedObject.Type { return object(type, NSEntityDescription()) as? Value }
        let values: [Any] = [
            Date.distantPast, Data(), UUID(), URL(fileURLWithPath: "/"), NSDecimalNumber.zero, NSSet(), NSOrderedSet(),
        ]
        return values.lazy.compactMap { $0 as? Value }.first
    }

    private static func value(of type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: NSNumber(value: 0)
        case .doubleAttributeType, .floatAttributeType: NSNumber(value: 0.0)
        case .decimalAttributeType: NSDecimalNumber.zero
        case .booleanAttributeType: NSNumber(value: false)
        case .stringAttributeType: ""
        case .dateAttributeType: Date.distantPast
        case .binaryDataAttributeType: Data()
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(fileURLWithPath: "/")
        case .objectIDAttributeType, .transformableAttributeType, .undefinedAttributeType, .compositeAttributeType: nil
        }
    }
}

extension NSManagedObject: KeyPathNaming {
    package static func names(in keyPath: AnyKeyPath) -> String? {
        KeyPathProbe.path(of: keyPath, ModelsInUse.entity(of: self) ?? NSEntityDescription())
    }
}
