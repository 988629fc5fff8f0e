import Foundation
import StratusCompatibility

extension NSManagedObject {
    /// Validates each property through ``validateValue(_:forKey:)``, which classes override.
    func validateProperties() throws {
        var errors: [NSError] = []
        let isOfProgram = type(of: self) != NSManagedObject.self
        // Destinations that have not been read have not changed.
        for (position, property) in table.properties.enumerated() where !(property.isToMany && isFault(at: position)) {
            let current = state(at: position).publicValue
            do {
                // Without a class of the program nothing replaces the value.
                guard isOfProgram else {
                    try validate(current, of: property)
                    continue
                }
                let boxed = current.map { $0 as AnyObject }
                var value = boxed
                try validateValue(&value, forKey: property.name)
                if case .attribute = property.kind, value !== boxed, PredicateValue(value) != PredicateValue(current) {
                    setValue(value, forKey: property.name)
                }
            } catch {
                errors.append(error as NSError)
            }
        }
        try Self.throwTogether(errors)
    }

    func validate(_ value: Any?, of property: PropertyTable.Property) throws {
        switch property.kind {
        case .attribute(let attribute):
            try validatePresence(of: value, attribute)
            try validateRange(of: value, attribute)
        case .toOne(let relationship): try validatePresence(of: value, relationship)
        case .toMany(let relationship): try validateCount(of: value, relationship)
        }
        try validatePredicates(of: value, property.description)
    }

    func validateDeniedRelationships() throws {
        var errors: [NSError] = []
        for (position, property) in table.properties.enumerated() {
            guard let relationship = property.relationship, relationship.deleteRule == .denyDeleteRule,
                state(at: position).destinations.contains(where: { !$0.isDeleted })
            else { continue }
            let reason = "'\(property.name)' still leads to objects, which denies that the object is deleted"
            errors.append(
                error(.validationRelationshipDeniedDelete, property.name, state(at: position).publicValue, reason))
        }
        try Self.throwTogether(errors)
    }

    /// Validates that changed relationships have the destinations that they need.
    func validateChangedRelationships() throws {
        var errors: [NSError] = []
        for position in (changes?.committed ?? [:]).positions {
            let value = state(at: position).publicValue
            do {
                switch table.properties[position].kind {
                case .attribute: continue
                case .toOne(let relationship): try validatePresence(of: value, relationship)
                case .toMany(let relationship): try validateCount(of: value, relationship)
                }
            } catch {
                errors.append(error as NSError)
            }
        }
        try Self.throwTogether(errors)
    }

    private func validatePresence(of value: Any?, _ property: NSPropertyDescription) throws {
        guard value == nil, !property.isOptional else { return }
        throw error(.validationMissingMandatoryProperty, property.name, nil, "'\(property.name)' is a required value")
    }

    private func validateCount(of value: Any?, _ relationship: NSRelationshipDescription) throws {
        let count = (value as? NSOrderedSet)?.count ?? (value as? NSSet)?.count ?? 0
        if count == 0, relationship.isOptional { return }
        // A required relationship without a least number may be empty: apps save such objects on Apple's systems.
        if count < relationship.minCount {
            let reason = "'\(relationship.name)' has \(count) objects and needs at least \(relationship.minCount)"
            throw error(.validationRelationshipLacksMinimumCount, relationship.name, value, reason)
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            let reason = "'\(relationship.name)' has \(count) objects and may have \(relationship.maxCount)"
            throw error(.validationRelationshipExceedsMaximumCount, relationship.name, value, reason)
        }
    }

    /// Validates that a whole number is one that the attribute's type holds.
    func validateRange(of value: Any?, _ attribute: NSAttributeDescription) throws {
        guard let range = attribute.attributeType.range, let number = (value as? NSNumber)?.int64Value,
            !range.contains(number)
        else { return }
        let code: CocoaError.Code = number > range.upperBound ? .validationNumberTooLarge : .validationNumberTooSmall
        throw error(code, attribute.name, value, "'\(attribute.name)' is \(number), outside of \(range)")
    }

    private func validatePredicates(of value: Any?, _ property: NSPropertyDescription) throws {
        // As with Apple, a value that is missing and may be is not asked.
        guard let value else { return }
        for (predicate, warning) in zip(property.validationPredicates, property.validationWarnings)
        where !predicate.evaluate(with: value) {
            let number = (warning as? NSNumber)?.intValue ?? warning as? Int
            let code = number.map { CocoaError.Code(rawValue: $0) } ?? .managedObjectValidation
            let reason = warning as? String ?? "'\(property.name)' does not satisfy a condition of the model"
            throw error(code, property.name, value, reason, [NSValidationPredicateErrorKey: predicate])
        }
    }

    private func error(
        _ code: CocoaError.Code, _ key: String, _ value: Any?, _ reason: String, _ more: [String: Any] = [:]
    ) -> NSError {
        var info = more
        info[NSValidationObjectErrorKey] = self
        info[NSValidationKeyErrorKey] = key
        info[NSValidationValueErrorKey] = value
        info[NSLocalizedDescriptionKey] = reason
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }

    /// Throws one error as it is, and several within another.
    static func throwTogether(_ errors: [NSError]) throws {
        let single = errors.flatMap { $0.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [$0] }
        guard let first = single.first else { return }
        guard single.count > 1 else { throw first }
        let info: [String: Any] = [
            NSDetailedErrorsKey: single, NSLocalizedDescriptionKey: "Multiple validation errors occurred.",
        ]
        let code = CocoaError.Code.validationMultipleErrors.rawValue
        throw NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }
}
