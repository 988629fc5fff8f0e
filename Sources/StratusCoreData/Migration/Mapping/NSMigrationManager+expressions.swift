import Foundation
import StratusCompatibility

/// The methods of a migration manager that expressions call.
enum MigrationSelector: String {
    case destinations = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    case sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"
    case destinationsOfRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    case fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
}

extension NSMigrationManager {
    /// Returns the objects of the source that a mapping is of.
    func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
        guard mapping.mappingType != .addEntityMappingType, mapping.mappingType != .removeEntityMappingType,
            let name = mapping.sourceEntityName
        else { return [] }
        let value = try mapping.source.flatMap { try evaluate($0, bindings(mapping, nil, nil, nil)) }
        switch value {
        case nil: return try sourceContext.fetch(try fetchRequest(name, "TRUEPREDICATE"))
        case let request as NSFetchRequest<NSManagedObject>: return try sourceContext.fetch(request)
        case let value?: return Self.objects(value)
        }
    }

    /// Makes the policy of a mapping.
    func policy(of mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let short = name.split(separator: ".").last.map(String.init) ?? name
        let modules = sourceModel.modules + destinationModel.modules + [ProcessInfo.processInfo.processName]
        let names = [name] + modules.map { "\($0).\(short)" }
        for name in names {
            if let found = NSClassFromString(name) as? NSEntityMigrationPolicy.Type { return found.init() }
        }
        throw CocoaError.make(.entityMigrationPolicy, "mapping '\(mapping.name ?? "")': there is no policy '\(name)'")
    }

    /// Gives a property of an object the value of its mapping. A mapping without a value leaves the default one.
    func setValue(
        of property: NSPropertyMapping, in mapping: NSEntityMapping, source: NSManagedObject?,
        destination: NSManagedObject
    ) throws {
        guard let name = property.name, let expression = property.value else { return }
        let value = try evaluate(expression, bindings(mapping, property, source, destination))
        guard let relationship = destination.entity.relationshipsByName[name] else {
            destination.setValue(value is NSNull ? nil : value, forKey: name)
            return
        }
        let objects = value.map(Self.objects) ?? []
        guard relationship.isToMany else {
            destination.setValue(objects.first, forKey: name)
            return
        }
        destination.setValue(
            relationship.isOrdered ? NSOrderedSet(array: objects) : Set(objects) as Any, forKey: name)
    }

    private func bindings(
        _ mapping: NSEntityMapping, _ property: NSPropertyMapping?, _ source: NSManagedObject?,
        _ destination: NSManagedObject?
    ) -> [String: Any] {
        var bindings: [String: Any] = [
            NSMigrationManagerKey: MethodTarget(self) { [unowned self] in try value(forSelector: $0, arguments: $1) },
            NSMigrationEntityMappingKey: mapping,
        ]
        if let policy = currentPolicy {
            bindings[NSMigrationEntityPolicyKey] = MethodTarget(self) {
                try policy.value(forSelector: $0, arguments: $1)
            }
        }
        bindings[NSMigrationPropertyMappingKey] = property
        bindings[NSMigrationSourceObjectKey] = source
        bindings[NSMigrationDestinationObjectKey] = destination
        return bindings
    }

    private func evaluate(_ expression: NSObject, _ bindings: [String: Any]) throws -> Any? {
        guard let operand = PredicateOperand(expression: expression) else {
            throw CocoaError.make(.migration, "a mapping has a \(type(of: expression)) in the place of an expression")
        }
        // A plain key gives the value as it is, whatever class it has.
        if case .member(.variable(NSMigrationSourceObjectKey), let key) = operand, !key.contains("."),
            let source = bindings[NSMigrationSourceObjectKey] as? NSManagedObject
        {
            return source.value(forKey: key)
        }
        let value = PredicateCall.value(of: operand, bindings: bindings)
        if let failure { throw failure }
        return value
    }

    private func value(forSelector selector: String, arguments: [Any?]) throws -> Any? {
        let objects = arguments.last.flatMap { $0 }.map(Self.objects) ?? []
        let name = arguments.first.flatMap { $0 } as? String ?? ""
        switch MigrationSelector(rawValue: selector) {
        case .destinations: return destinationInstances(forEntityMappingName: name, sourceInstances: objects)
        case .sources: return sourceInstances(forEntityMappingName: name, destinationInstances: objects)
        case .destinationsOfRelationship: return associations.destinations(of: objects)
        case .fetchRequest: return try fetchRequest(name, arguments.last.flatMap { $0 } as? String ?? "TRUEPREDICATE")
        case nil:
            throw CocoaError.make(.migration, "an expression calls '\(selector)', which the migration manager lacks")
        }
    }

    private func fetchRequest(_ entity: String, _ predicate: String) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        request.predicate = try NSPredicate(validating: predicate)
        return request
    }

    /// Returns the objects of a value: itself or the members of a collection.
    private static func objects(_ value: Any) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let objects as NSOrderedSet: objects.array.compactMap { $0 as? NSManagedObject }
        case let objects as NSSet: objects.compactMap { $0 as? NSManagedObject }
        case let objects as Set<NSManagedObject>: Array(objects)
        case let objects as [Any]: objects.compactMap { $0 as? NSManagedObject }
        case let objects as NSArray: objects.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}

/// An object whose methods expressions call. An error of a method ends the migration.
private final class MethodTarget: NSObject, PredicateMethodTarget {
    private let manager: NSMigrationManager
    private let call: (String, [Any?]) throws -> Any?

    init(_ manager: NSMigrationManager, _ call: @escaping (String, [Any?]) throws -> Any?) {
        self.manager = manager
        self.call = call
    }

    func value(forSelector selector: String, arguments: [Any?]) -> Any? {
        do {
            return try call(selector, arguments)
        } catch {
            manager.cancelMigrationWithError(error)
            return nil
        }
    }
}
