import Foundation
import StratusXML

/// Reads the XML of a data model: the file `contents` in an `.xcdatamodel`.
///
/// Elements and attributes that are not known are ignored, because each version of Xcode adds some.
package enum ModelReader {
    /// Returns the model of a file's bytes.
    /// - Parameter file: The path of the file, for errors.
    /// - Throws: ``ModelFileError``.
    package static func read(_ bytes: [UInt8], file: String) throws(ModelFileError) -> ModelDocument {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLDocumentReader.read(bytes, limits: ModelFileLimits.xml)
        } catch {
            throw ModelFileError(file: file, line: error.line, reason: error.reason)
        }
        let place = ModelPlace(file: file)
        guard root.name.local == "model" else { throw place.error(root, "is not the element of a model") }
        var model = ModelDocument()
        model.versionIdentifier = root.text("userDefinedModelVersionIdentifier")
        for element in root.elements {
            switch element.name.local {
            case "entity": model.entities.append(try entity(element, place))
            case "composite":
                let name = try place.name(of: element)
                guard model.composites[name] == nil else { throw place.error(element, "is there twice") }
                model.composites[name] = try attributes(of: element, place.inside(element, name))
            case "fetchRequest": model.fetchRequests.append(try fetchRequest(element, place))
            case "configuration":
                let name = try place.name(of: element)
                let members = element.elements("memberEntity")
                model.configurations[name] = try members.map { member throws(ModelFileError) in
                    try place.name(of: member)
                }
            default: break
            }
        }
        try ModelReferences(model, root, place).check()
        return model
    }

    private static func entity(_ element: XMLElement, _ model: ModelPlace) throws(ModelFileError) -> ModelEntity {
        var entity = ModelEntity(name: try model.name(of: element))
        let place = model.inside(element, entity.name)
        entity.className = element.text("representedClassName")
        entity.isAbstract = try place.flag(element, "isAbstract") ?? false
        entity.parent = element.text("parentEntity")
        entity.codeGeneration = try place.choice(element, "codeGenerationType") ?? .manual
        entity.renamingIdentifier = element.text("elementID") ?? element.text("renamingIdentifier")
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.spotlightName = element.text("coreSpotlightDisplayNameExpression")
        entity.userInfo = userInfo(of: element)
        entity.attributes = try attributes(of: element, place)
        entity.relationships = try element.elements("relationship").map { child throws(ModelFileError) in
            try relationship(child, place)
        }
        entity.fetchedProperties = try element.elements("fetchedProperty").map { child throws(ModelFileError) in
            try fetchedProperty(child, place)
        }
        entity.indexes = try indexes(of: element, place)
        for constraint in element.elements("uniquenessConstraints").flatMap({ $0.elements("uniquenessConstraint") }) {
            entity.uniquenessConstraints.append(
                try constraint.elements("constraint").map { child throws(ModelFileError) in
                    try place.required(child, "value")
                })
        }
        return entity
    }

    private static func relationship(
        _ element: XMLElement, _ entity: ModelPlace
    ) throws(ModelFileError) -> ModelRelationship {
        let name = try entity.name(of: element)
        var relationship = ModelRelationship(
            name: name, destination: try entity.required(element, "destinationEntity"))
        relationship.options = try options(of: element, entity)
        relationship.inverse = element.text("inverseName")
        relationship.minimumCount = try entity.count(element, "minCount") ?? 0
        let isToMany = try entity.flag(element, "toMany") ?? false
        relationship.maximumCount = try entity.count(element, "maxCount") ?? (isToMany ? 0 : 1)
        if !isToMany, relationship.maximumCount == 0 { relationship.maximumCount = 1 }
        relationship.isOrdered = try entity.flag(element, "ordered") ?? false
        relationship.deleteRule = try entity.choice(element, "deletionRule") ?? .nullify
        return relationship
    }

    private static func fetchedProperty(
        _ element: XMLElement, _ entity: ModelPlace
    ) throws(ModelFileError) -> ModelFetchedProperty {
        let name = try entity.name(of: element)
        guard let request = element.elements("fetchRequest").first else {
            throw entity.error(element, "has no fetch request")
        }
        var property = ModelFetchedProperty(name: name, request: try fetchRequest(request, entity))
        property.options = try options(of: element, entity)
        return property
    }

    private static func fetchRequest(
        _ element: XMLElement, _ place: ModelPlace
    ) throws(ModelFileError) -> ModelFetchRequest {
        var request = ModelFetchRequest(
            name: try place.name(of: element), entity: try place.required(element, "entity"))
        request.predicate = element.format("predicateString")
        request.limit = try place.count(element, "fetchLimit") ?? 0
        request.batchSize = try place.count(element, "fetchBatchSize") ?? 0
        request.resultType = UInt(try place.count(element, "resultType") ?? 0)
        request.includesSubentities = try place.flag(element, "includeSubentities")
        request.includesPropertyValues = try place.flag(element, "includePropertyValues")
        request.includesPendingChanges = try place.flag(element, "includesPendingChanges")
        request.returnsObjectsAsFaults = try place.flag(element, "returnObjectsAsFaults")
        request.returnsDistinctResults = try place.flag(element, "returnDistinctResults")
        return request
    }

    /// Reads the indexes of an entity, with those of the forms that models had before there were `fetchIndex` elements.
    private static func indexes(of element: XMLElement, _ place: ModelPlace) throws(ModelFileError) -> [ModelIndex] {
        var indexes = try element.elements("fetchIndex").map { child throws(ModelFileError) in
            var index = ModelIndex(name: try place.name(of: child))
            index.partialPredicate = child.format("partialIndexPredicate")
            index.elements = try child.elements("fetchIndexElement").map { part throws(ModelFileError) in
                try indexElement(part, place)
            }
            return index
        }
        let compounds = element.elements("compoundIndexes").flatMap { $0.elements("compoundIndex") }
        for compound in compounds {
            let names = try compound.elements("index").map { part throws(ModelFileError) in
                try place.required(part, "value")
            }
            indexes.append(index(of: names))
        }
        for attribute in element.elements("attribute") where try place.flag(attribute, "indexed") ?? false {
            indexes.append(index(of: [try place.name(of: attribute)]))
        }
        return indexes
    }

    private static func index(of properties: [String]) -> ModelIndex {
        var index = ModelIndex(name: properties.joined(separator: "_"))
        index.elements = properties.map { ModelIndexElement(.property($0)) }
        return index
    }

    private static func indexElement(
        _ element: XMLElement, _ place: ModelPlace
    ) throws(ModelFileError) -> ModelIndexElement {
        let source: ModelIndexElement.Source
        if let property = element.text("property") {
            source = .property(property)
        } else {
            let expression = try place.required(element, "expression")
            source = .expression(
                ModelFormat(expression, line: element.line),
                result: try place.choice(element, "expressionType") ?? .undefined)
        }
        var part = ModelIndexElement(source)
        switch element.text("type") {
        case nil, "Binary": break
        case "RTree": part.isRTree = true
        case let type?: throw place.error(element, "has an unknown type, '\(type)'")
        }
        switch element.text("order") {
        case nil, "ascending": break
        case "descending": part.isAscending = false
        case let order?: throw place.error(element, "has an unknown order, '\(order)'")
        }
        return part
    }

    static func options(
        of element: XMLElement, _ place: ModelPlace
    ) throws(ModelFileError) -> ModelPropertyOptions {
        var options = ModelPropertyOptions()
        options.isOptional = try place.flag(element, "optional") ?? false
        options.isTransient = try place.flag(element, "transient") ?? false
        options.isIndexedBySpotlight = try place.flag(element, "spotlightIndexingEnabled") ?? false
        options.isStoredInExternalRecord = try place.flag(element, "storedInTruthFile") ?? false
        options.renamingIdentifier = element.text("elementID") ?? element.text("renamingIdentifier")
        options.versionHashModifier = element.text("versionHashModifier")
        options.userInfo = userInfo(of: element)
        return options
    }

    private static func userInfo(of element: XMLElement) -> [String: String] {
        var info: [String: String] = [:]
        for entry in element.elements("userInfo").flatMap({ $0.elements("entry") }) {
            if let key = entry.attribute("key") { info[key] = entry.attribute("value") ?? "" }
        }
        return info
    }
}
