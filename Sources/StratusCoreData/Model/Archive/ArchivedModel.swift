import Foundation
import StratusModelFiles

/// Reads the archive of a model, a `.mom`, as Xcode compiles it. The meaning of the keys follows files in public
/// repositories whose sources are there, too.
struct ArchivedModel {
    private let file: String

    /// Returns the model of a file's bytes.
    static func read(_ bytes: [UInt8], file: String) throws(ModelFileError) -> ModelDocument {
        let root = try KeyedArchive(bytes, file: file).root()
        guard root.className == "NSManagedObjectModel" else {
            throw ModelFileError(file: file, reason: "is an archive of a '\(root.className)'")
        }
        let reader = ArchivedModel(file: file)
        var model = ModelDocument()
        model.versionIdentifier = root.object("NSVersionIdentifiers")?.elements.compactMap(\.text).min()
        for (name, element) in root.entries("NSEntities") {
            guard let object = element.object else { throw reader.error("entity '\(name)'", "cannot be read") }
            try model.entities.append(reader.entity(object, into: &model.composites))
        }
        for (name, element) in root.entries("NSFetchRequestTemplates") {
            guard let object = element.object else { continue }
            model.fetchRequests.append(try reader.fetchRequest(object, name))
        }
        for (name, element) in root.entries("NSConfigurations") {
            model.configurations[name] = element.object?.elements.compactMap { $0.object?.text("NSEntityName") }
                .sorted()
        }
        try reader.checkNames(in: model)
        reader.removeInherited(from: &model)
        return model
    }

    /// Removes copies of inherited properties, which entities have in the models of store files.
    private func removeInherited(from model: inout ModelDocument) {
        let entities = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for index in model.entities.indices {
            var inherited: Set<String> = []
            var next = model.entities[index].parent
            while let parent = next.flatMap({ entities[$0] }) {
                inherited.formUnion(parent.attributes.map(\.name))
                inherited.formUnion(parent.relationships.map(\.name))
                inherited.formUnion(parent.fetchedProperties.map(\.name))
                next = parent.parent
            }
            model.entities[index].attributes.removeAll { inherited.contains($0.name) }
            model.entities[index].relationships.removeAll { inherited.contains($0.name) }
            model.entities[index].fetchedProperties.removeAll { inherited.contains($0.name) }
        }
    }

    private func error(_ element: String, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, element: element, reason: reason)
    }

    private func checkNames(in model: ModelDocument) throws(ModelFileError) {
        let parents = Dictionary(
            model.entities.map { ($0.name, $0.parent) }, uniquingKeysWith: { first, _ in first })
        guard parents.count == model.entities.count else { throw error("the model", "has two entities of one name") }
        for entity in model.entities {
            var known: Set<String> = [entity.name]
            var next = entity.parent
            while let parent = next {
                guard known.insert(parent).inserted, let further = parents[parent] else {
                    throw error("entity '\(entity.name)'", "inherits from '\(parent)', which is not possible")
                }
                guard known.count <= ModelFileLimits.inheritance else {
                    throw error(
                        "entity '\(entity.name)'", "inherits from more than \(ModelFileLimits.inheritance) entities")
                }
                next = further
            }
            for relationship in entity.relationships where parents[relationship.destination] == nil {
                throw error(
                    "relationship '\(relationship.name)' of entity '\(entity.name)'",
                    "leads to entity '\(relationship.destination)', which the model does not have")
            }
        }
    }

    private func entity(
        _ object: ArchivedObject, into composites: inout [String: [ModelAttribute]]
    ) throws(ModelFileError) -> ModelEntity {
        guard let name = object.text("NSEntityName") else { throw error("an entity", "has no name") }
        var entity = ModelEntity(name: name)
        entity.className = object.text("NSClassNameForEntity")
        entity.isAbstract = object.flag("NSIsAbstract")
        entity.parent = object.object("NSSuperentity")?.text("NSEntityName")
        entity.versionHashModifier = object.text("NSVersionHashModifier")
        entity.renamingIdentifier = object.text("NSRenamingIdentifier")
        entity.userInfo = userInfo(object)
        for (key, element) in object.entries("NSProperties") {
            let place = "property '\(key)' of entity '\(name)'"
            guard let property = element.object else { throw error(place, "cannot be read") }
            switch property.className {
            case "NSRelationshipDescription": entity.relationships.append(try relationship(property, key, place))
            case "NSFetchedPropertyDescription":
                guard let request = property.object("NSFetchRequest") else {
                    throw error(place, "has no fetch request")
                }
                var fetched = ModelFetchedProperty(name: key, request: try fetchRequest(request, key))
                fetched.options = options(property)
                entity.fetchedProperties.append(fetched)
            default: entity.attributes.append(try attribute(property, key, place, &composites, depth: 0))
            }
        }
        entity.uniquenessConstraints = object.elements("NSUniqueTuples").compactMap {
            $0.object?.elements.compactMap(propertyName)
        }
        entity.indexes = try indexes(of: object, entity.name)
        return entity
    }

    /// Returns the name of a property that an archive refers to by name or as the object that it is.
    private func propertyName(_ element: ArchivedElement) -> String? {
        element.text ?? element.object?.text("NSPropertyName")
    }

    private func userInfo(_ object: ArchivedObject) -> [String: String] {
        let entries = object.entries("NSUserInfo").map { ($0.key, $0.value.text ?? "") }
        return Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }

    private func options(_ object: ArchivedObject) -> ModelPropertyOptions {
        var options = ModelPropertyOptions()
        options.isOptional = object.flag("NSIsOptional")
        options.isTransient = object.flag("NSIsTransient")
        options.renamingIdentifier = object.text("NSRenamingIdentifier")
        options.versionHashModifier = object.text("NSVersionHashModifier")
        options.userInfo = userInfo(object)
        return options
    }

    private func relationship(
        _ object: ArchivedObject, _ name: String, _ place: String
    ) throws(ModelFileError) -> ModelRelationship {
        let entity =
            object.text("_NSDestinationEntityName") ?? object.object("NSDestinationEntity")?.text("NSEntityName")
        guard let entity else { throw error(place, "leads to no entity") }
        var relationship = ModelRelationship(name: name, destination: entity)
        relationship.options = options(object)
        relationship.inverse =
            object.text("_NSInverseRelationshipName") ?? object.object("NSInverseRelationship")?.text("NSPropertyName")
        relationship.minimumCount = object.number("NSMinCount")
        relationship.maximumCount = object.number("NSMaxCount")
        relationship.isOrdered = object.flag("NSIsOrdered")
        guard let rule = NSDeleteRule(rawValue: UInt(max(0, object.number("NSDeleteRule")))) else {
            throw error(place, "has an unknown delete rule")
        }
        relationship.deleteRule = ModelDeleteRule.allCases.first { $0.description == rule } ?? .nullify
        return relationship
    }

    private func attribute(
        _ object: ArchivedObject, _ name: String, _ place: String, _ composites: inout [String: [ModelAttribute]],
        depth: Int
    ) throws(ModelFileError) -> ModelAttribute {
        let number = NSAttributeType(rawValue: UInt(max(0, object.number("NSAttributeType"))))
        guard let type = ModelAttributeType.allCases.first(where: { $0.attributeType == number }) else {
            throw error(place, "has an unknown type")
        }
        var attribute = ModelAttribute(name: name, type: type)
        attribute.options = options(object)
        attribute.transformerName = object.text("NSValueTransformerName")
        let valueClass = object.text("NSAttributeValueClassName")
        attribute.valueClassName = valueClass == type.attributeType.valueClassName ? nil : valueClass
        attribute.allowsExternalStorage = object.number("NSFlagsKey") & 4 != 0
        attribute.defaultValue = try defaultValue(object, type, place)
        if let expression = object.object("NSDerivationExpression") {
            attribute.derivation = try format(place) { () throws(ArchivedPredicates.Unreadable) in
                try ArchivedPredicates.format(ofExpression: expression)
            }
        }
        if type == .composite {
            guard depth < ModelFileLimits.elementDepth else { throw error(place, "is nested too deeply") }
            var parts: [ModelAttribute] = []
            for part in object.attributes {
                parts.append(
                    try self.attribute(part, part.text("NSPropertyName") ?? "", place, &composites, depth: depth + 1))
            }
            // An archive may refer to one object many times.
            guard composites.values.reduce(parts.count, { $0 + $1.count }) <= ModelFileLimits.elements else {
                throw error(place, "has too many composite attributes")
            }
            let type = "\(place) \(composites.count)"
            composites[type] = parts
            attribute.composite = type
        }
        return attribute
    }

    private func defaultValue(
        _ object: ArchivedObject, _ type: ModelAttributeType, _ place: String
    ) throws(ModelFileError) -> ModelValue? {
        guard let node = object.value("NSDefaultValue") else { return nil }
        let value = object.object("NSDefaultValue").flatMap(ArchivedValue.init)
        switch (type, node, value) {
        case (.integer16, .integer(let number), _), (.integer32, .integer(let number), _),
            (.integer64, .integer(let number), _):
            return .integer(number)
        case (.boolean, .boolean(let flag), _): return .boolean(flag)
        case (.boolean, .integer(let number), _): return .boolean(number != 0)
        case (.string, .string(let text), _), (.string, _, .string(let text)?): return .string(text)
        case (.decimal, _, .decimal(let number)?): return .decimal(number)
        case (.date, _, .date(let date)?): return .date(date)
        case (.uuid, _, .uuid(let uuid)?): return .uuid(uuid)
        case (.uri, _, .url(let url)?): return .url(url)
        case (.binary, _, .data(let data)?): return .data(data)
        case (.double, _, _), (.float, _, _):
            if let number = ArchivedValue.number(node) { return .double(number) }
        // Objects of classes that an archive names are never made.
        case (.transformable, _, _), (.undefined, _, _): return nil
        default: break
        }
        throw error(place, "has a default value that is not of its type")
    }

    private func indexes(of object: ArchivedObject, _ entity: String) throws(ModelFileError) -> [ModelIndex] {
        guard object.object("NSFetchIndexDescriptions") != nil else { return olderIndexes(of: object) }
        var indexes: [ModelIndex] = []
        for element in object.elements("NSFetchIndexDescriptions") {
            guard let archived = element.object else { continue }
            var index = ModelIndex(name: archived.text("NSIndexName") ?? "")
            let place = "fetchIndex '\(index.name)' of entity '\(entity)'"
            if let predicate = archived.object("NSPartialIndexPredicate") {
                index.partialPredicate = try format(place) { () throws(ArchivedPredicates.Unreadable) in
                    try ArchivedPredicates.format(ofPredicate: predicate)
                }
            }
            for part in archived.elements("NSIndexElements").compactMap(\.object) {
                guard let name = part.text("NSPropertyName") else {
                    throw error(place, "has a part without a property")
                }
                var made = ModelIndexElement(.property(name))
                made.isRTree = part.number("NSFetchIndexElementType") == 1
                made.isAscending = part.flag("NSAscending")
                index.elements.append(made)
            }
            indexes.append(index)
        }
        return indexes
    }

    /// Returns the indexes in the form that models had before there were descriptions of indexes.
    private func olderIndexes(of object: ArchivedObject) -> [ModelIndex] {
        let indexed = object.entries("NSProperties").filter { $0.value.object?.flag("NSIsIndexed") == true }
        let compounds = object.elements("NSCompoundIndexes").compactMap { $0.object?.elements.compactMap(propertyName) }
        return (compounds + indexed.map { [$0.key] }).map { names in
            var index = ModelIndex(name: names.joined(separator: "_"))
            index.elements = names.map { ModelIndexElement(.property($0)) }
            return index
        }
    }

    private func fetchRequest(_ object: ArchivedObject, _ name: String) throws(ModelFileError) -> ModelFetchRequest {
        let place = "fetchRequest '\(name)'"
        guard let entity = object.object("NSEntity")?.text("NSEntityName") else {
            throw error(place, "fetches no entity")
        }
        var request = ModelFetchRequest(name: name, entity: entity)
        if let predicate = object.object("NSPredicate") {
            request.predicate = try format(place) { () throws(ArchivedPredicates.Unreadable) in
                try ArchivedPredicates.format(ofPredicate: predicate)
            }
        }
        request.limit = object.number("NSFetchLimit")
        request.batchSize = object.number("NSBatchSize")
        request.resultType = UInt(max(0, object.number("NSResultType")))
        guard object.flag("NSHasFetchRequestFlags") else { return request }
        let flags = object.number("NSFetchRequestFlags")
        request.returnsDistinctResults = flags & 1 != 0
        request.includesSubentities = flags & 2 != 0
        request.includesPropertyValues = flags & 4 != 0
        request.returnsObjectsAsFaults = flags & 8 != 0
        request.includesPendingChanges = flags & 16 != 0
        return request
    }

    private func format(
        _ place: String, _ read: () throws(ArchivedPredicates.Unreadable) -> ModelFormat
    ) throws(ModelFileError) -> ModelFormat {
        do {
            return try read()
        } catch {
            throw self.error(place, error.reason)
        }
    }
}
