import Foundation
import StratusCompatibility
import StratusModelFiles

/// Makes descriptions of a model that was read from a file.
struct ModelBuilder {
    private let document: ModelDocument
    private let file: String
    private var entities: [String: NSEntityDescription] = [:]

    /// - Parameter file: The path of the file, for errors.
    init(_ document: ModelDocument, file: String) {
        self.document = document
        self.file = file
    }

    /// Fills a model that is empty.
    mutating func build(into model: NSManagedObjectModel) throws(ModelFileError) {
        var sizes = CompositeSizes(document.composites)
        if let name = sizes.excessiveType() {
            let reason = "stands for more than \(ModelFileLimits.elements) attributes, or has too many levels"
            throw ModelFileError(file: file, element: "composite '\(name)'", reason: reason)
        }
        model.versionIdentifiers = [document.versionIdentifier ?? ""]
        for entity in document.entities { entities[entity.name] = try declaration(of: entity) }
        for entity in document.entities {
            guard let parent = entity.parent, let made = entities[entity.name] else { continue }
            entities[parent]?.subentities += [made]
        }
        for entity in document.entities { try connect(entity) }
        for entity in document.entities { try finish(entity) }
        model.entities = document.entities.compactMap { entities[$0.name] }
        for (name, members) in document.configurations {
            model.setEntities(members.compactMap { entities[$0] }, forConfigurationName: name)
        }
        for request in document.fetchRequests {
            model.setFetchRequestTemplate(try fetchRequest(request, "fetchRequest"), forName: request.name)
        }
    }

    /// Makes an entity with its attributes.
    private func declaration(of entity: ModelEntity) throws(ModelFileError) -> NSEntityDescription {
        let made = NSEntityDescription()
        made.name = entity.name
        made.managedObjectClassName = entity.className ?? "NSManagedObject"
        made.isAbstract = entity.isAbstract
        made.userInfo = entity.userInfo
        made.versionHashModifier = entity.versionHashModifier
        if let identifier = entity.renamingIdentifier { made.renamingIdentifier = identifier }
        made.properties = try entity.attributes.map { attribute throws(ModelFileError) in
            try self.attribute(attribute, of: entity.name, inside: [])
        }
        return made
    }

    /// Adds what refers to other parts of the model.
    private func connect(_ entity: ModelEntity) throws(ModelFileError) {
        guard let made = entities[entity.name] else { return }
        made.properties += entity.relationships.map(relationship)
        made.properties += try entity.fetchedProperties.map { property throws(ModelFileError) in
            let description = NSFetchedPropertyDescription()
            apply(property.options, name: property.name, to: description)
            // No store keeps it.
            description.isTransient = true
            description.fetchRequest = try fetchRequest(property.request, "fetchedProperty '\(property.name)'")
            return description
        }
    }

    /// Adds what refers to relationships of any entity.
    private func finish(_ entity: ModelEntity) throws(ModelFileError) {
        guard let made = entities[entity.name] else { return }
        let relationships = made.relationshipsByName
        for relationship in entity.relationships {
            let destination = entities[relationship.destination]
            relationships[relationship.name]?.inverseRelationship = relationship.inverse.flatMap { name in
                destination?.relationshipsByName[name]
            }
        }
        made.uniquenessConstraints = entity.uniquenessConstraints
        made.indexes = try entity.indexes.map { index throws(ModelFileError) in try self.index(index, of: made) }
    }

    private func relationship(_ relationship: ModelRelationship) -> NSRelationshipDescription {
        let made = NSRelationshipDescription()
        apply(relationship.options, name: relationship.name, to: made)
        made.destinationEntity = entities[relationship.destination]
        made.minCount = relationship.minimumCount
        made.maxCount = relationship.maximumCount
        made.isOrdered = relationship.isOrdered
        made.deleteRule = relationship.deleteRule.description
        return made
    }

    private func attribute(
        _ attribute: ModelAttribute, of owner: String, inside composites: [String]
    ) throws(ModelFileError) -> NSAttributeDescription {
        let made: NSAttributeDescription
        if let name = attribute.composite {
            let element = "attribute '\(attribute.name)' of '\(owner)'"
            guard !composites.contains(name) else {
                throw ModelFileError(file: file, element: element, reason: "contains itself")
            }
            let composite = NSCompositeAttributeDescription()
            composite.elements = try (document.composites[name] ?? []).map { part throws(ModelFileError) in
                try self.attribute(part, of: name, inside: composites + [name])
            }
            made = composite
        } else if let derivation = attribute.derivation {
            let derived = NSDerivedAttributeDescription()
            derived.expression = try operand(derivation, "attribute '\(attribute.name)' of '\(owner)'").expression
            made = derived
        } else {
            made = NSAttributeDescription()
        }
        apply(attribute.options, name: attribute.name, to: made)
        made.attributeType = attribute.type.attributeType
        if let name = attribute.valueClassName { made.attributeValueClassName = name }
        made.valueTransformerName = attribute.transformerName
        made.defaultValue = attribute.defaultValue?.object(for: attribute.type)
        made.allowsExternalBinaryDataStorage = attribute.allowsExternalStorage
        made.allowsCloudEncryption = attribute.allowsCloudEncryption
        made.preservesValueInHistoryOnDeletion = attribute.preservesValueInHistory
        let rules = ModelValidation.rules(of: attribute)
        made.setValidationPredicates(rules.map(\.predicate), withValidationWarnings: rules.map(\.code.rawValue))
        return made
    }

    private func apply(_ options: ModelPropertyOptions, name: String, to property: NSPropertyDescription) {
        property.name = name
        property.isOptional = options.isOptional
        property.isTransient = options.isTransient
        property.isIndexedBySpotlight = options.isIndexedBySpotlight
        property.isStoredInExternalRecord = options.isStoredInExternalRecord
        property.userInfo = options.userInfo
        property.versionHashModifier = options.versionHashModifier
        if let identifier = options.renamingIdentifier { property.renamingIdentifier = identifier }
    }

    private func index(
        _ index: ModelIndex, of entity: NSEntityDescription
    ) throws(ModelFileError) -> NSFetchIndexDescription {
        let place = "fetchIndex '\(index.name)' of entity '\(entity.name ?? "")'"
        let properties = entity.propertiesByName
        let elements = try index.elements.map { element throws(ModelFileError) in
            let property: NSPropertyDescription
            switch element.source {
            case .property(let name):
                guard let found = properties[name] else {
                    throw ModelFileError(
                        file: file, element: place, reason: "is of '\(name)', which the entity does not have")
                }
                property = found
            case .expression(let format, let type):
                let expression = NSExpressionDescription()
                expression.name = format.text
                expression.expressionResultType = type.attributeType
                expression.ownExpression = try operand(format, place).expression
                property = expression
            }
            let made = NSFetchIndexElementDescription(
                property: property, collationType: element.isRTree ? .rTree : .binary)
            made.isAscending = element.isAscending
            return made
        }
        let made = NSFetchIndexDescription(name: index.name, elements: elements)
        made.partialIndexPredicate = try index.partialPredicate.map { format throws(ModelFileError) in
            try predicate(format, place)
        }
        return made
    }

    private func fetchRequest(
        _ request: ModelFetchRequest, _ element: String
    ) throws(ModelFileError) -> NSFetchRequest<any NSFetchRequestResult> {
        let made = NSFetchRequest<any NSFetchRequestResult>()
        made.entity = entities[request.entity]
        made.predicate = try request.predicate.map { format throws(ModelFileError) in
            try predicate(format, "fetchRequest '\(request.name)'")
        }
        made.fetchLimit = request.limit
        made.fetchBatchSize = request.batchSize
        made.resultType = NSFetchRequestResultType(rawValue: request.resultType)
        made.includesSubentities = request.includesSubentities ?? made.includesSubentities
        // As Xcode compiles them, IDs come without values, and dictionaries without changes that are not saved.
        made.includesPropertyValues =
            request.includesPropertyValues ?? (made.resultType != .managedObjectIDResultType)
        made.includesPendingChanges = request.includesPendingChanges ?? (made.resultType != .dictionaryResultType)
        made.returnsObjectsAsFaults = request.returnsObjectsAsFaults ?? made.returnsObjectsAsFaults
        made.returnsDistinctResults = request.returnsDistinctResults ?? made.returnsDistinctResults
        return made
    }

    private func predicate(_ format: ModelFormat, _ element: String) throws(ModelFileError) -> NSPredicate {
        do {
            return try NSPredicate(validating: format.text)
        } catch {
            throw unreadable(format, element, "predicate", error)
        }
    }

    private func operand(_ format: ModelFormat, _ element: String) throws(ModelFileError) -> PredicateOperand {
        do {
            return try PredicateOperand(validating: format.text)
        } catch {
            throw unreadable(format, element, "expression", error)
        }
    }

    private func unreadable(
        _ format: ModelFormat, _ element: String, _ kind: String, _ error: PredicateFormatError
    ) -> ModelFileError {
        ModelFileError(
            file: file, line: format.line, element: element,
            reason: "has \(kind) '\(format.text)', which cannot be read at character \(error.position): \(error.reason)"
        )
    }
}
