import Foundation
import StratusModelFiles

/// Writes the XML of a model as Xcode does, for tests of the reader.
struct ModelWriter {
    private var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"

    static func xml(_ model: ModelDocument) -> String {
        var writer = ModelWriter()
        writer.element("model", ["userDefinedModelVersionIdentifier": model.versionIdentifier]) { writer in
            for entity in model.entities { writer.write(entity) }
            for (name, attributes) in model.composites.sorted(by: { $0.key < $1.key }) {
                writer.element("composite", ["name": name]) { writer in attributes.forEach { writer.write($0) } }
            }
            for request in model.fetchRequests { writer.write(request) }
            for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
                writer.element("configuration", ["name": name]) { writer in
                    for member in members { writer.element("memberEntity", ["name": member]) }
                }
            }
        }
        return writer.text
    }

    private mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String?>, _ content: (inout ModelWriter) -> Void = { _ in }
    ) {
        text += "<\(name)"
        for case (let key, let value?) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
        text += ">\n"
        content(&self)
        text += "</\(name)>\n"
    }

    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;"), ("\n", "&#10;")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    private func flag(_ value: Bool) -> String? { value ? "YES" : nil }
    private func flag(_ value: Bool?) -> String? { value.map { $0 ? "YES" : "NO" } }
    private func count(_ value: Int) -> String? { value == 0 ? nil : "\(value)" }

    private mutating func write(_ entity: ModelEntity) {
        let generation = entity.codeGeneration == .manual ? nil : entity.codeGeneration.rawValue
        element(
            "entity",
            [
                "name": entity.name, "representedClassName": entity.className, "isAbstract": flag(entity.isAbstract),
                "parentEntity": entity.parent, "elementID": entity.renamingIdentifier,
                "versionHashModifier": entity.versionHashModifier, "syncable": "YES",
                "codeGenerationType": generation,
                "coreSpotlightDisplayNameExpression": entity.spotlightName,
            ]
        ) { writer in
            for attribute in entity.attributes { writer.write(attribute) }
            for relationship in entity.relationships { writer.write(relationship) }
            for property in entity.fetchedProperties {
                writer.element(
                    "fetchedProperty", ["name": property.name, "optional": writer.flag(property.options.isOptional)]
                ) {
                    $0.write(property.request)
                    $0.write(property.options.userInfo)
                }
            }
            for index in entity.indexes { writer.write(index) }
            if !entity.uniquenessConstraints.isEmpty { writer.write(constraints: entity.uniquenessConstraints) }
            writer.write(entity.userInfo)
        }
    }

    private mutating func write(constraints: [[String]]) {
        element("uniquenessConstraints", [:]) { writer in
            for constraint in constraints {
                writer.element("uniquenessConstraint", [:]) { writer in
                    for member in constraint { writer.element("constraint", ["value": member]) }
                }
            }
        }
    }

    private mutating func write(_ userInfo: [String: String]) {
        guard !userInfo.isEmpty else { return }
        element("userInfo", [:]) { writer in
            for (key, value) in userInfo { writer.element("entry", ["key": key, "value": value]) }
        }
    }

    private mutating func write(_ attribute: ModelAttribute) {
        let isDate = attribute.type == .date
        let options = attribute.options
        element(
            "attribute",
            [
                "name": attribute.name, "optional": flag(options.isOptional), "transient": flag(options.isTransient),
                "attributeType": attribute.type == .undefined ? nil : attribute.type.rawValue,
                isDate ? "minDateTimeInterval" : "minValueString": attribute.minimum.map(value),
                isDate ? "maxDateTimeInterval" : "maxValueString": attribute.maximum.map(value),
                isDate ? "defaultDateTimeInterval" : "defaultValueString": attribute.defaultValue.map(value),
                "regularExpressionString": attribute.regularExpression,
                "usesScalarValueType": flag(attribute.usesScalarType), "customClassName": attribute.valueClassName,
                "valueTransformerName": attribute.transformerName, "composite": attribute.composite,
                "allowsExternalBinaryDataStorage": flag(attribute.allowsExternalStorage),
                "allowsCloudEncryption": flag(attribute.allowsCloudEncryption),
                "preserveAfterDeletion": flag(attribute.preservesValueInHistory),
                "spotlightIndexingEnabled": flag(options.isIndexedBySpotlight),
                "storedInTruthFile": flag(options.isStoredInExternalRecord),
                "derived": flag(attribute.derivation != nil), "derivationExpression": attribute.derivation?.text,
                "elementID": options.renamingIdentifier, "versionHashModifier": options.versionHashModifier,
            ]
        ) { $0.write(options.userInfo) }
    }

    private func value(_ value: ModelValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .boolean(let flag): flag ? "YES" : "NO"
        case .string(let text): text
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        case .data: ""
        }
    }

    private mutating func write(_ relationship: ModelRelationship) {
        let maximum = relationship.maximumCount
        element(
            "relationship",
            [
                "name": relationship.name, "optional": flag(relationship.options.isOptional),
                "toMany": flag(relationship.isToMany), "minCount": count(relationship.minimumCount),
                "maxCount": count(maximum), "deletionRule": relationship.deleteRule.rawValue,
                "ordered": flag(relationship.isOrdered), "destinationEntity": relationship.destination,
                "inverseName": relationship.inverse,
                "inverseEntity": relationship.inverse == nil ? nil : relationship.destination,
            ]
        ) { $0.write(relationship.options.userInfo) }
    }

    private mutating func write(_ request: ModelFetchRequest) {
        element(
            "fetchRequest",
            [
                "name": request.name, "entity": request.entity, "predicateString": request.predicate?.text,
                "fetchLimit": count(request.limit), "fetchBatchSize": count(request.batchSize),
                "resultType": count(Int(request.resultType)), "includeSubentities": flag(request.includesSubentities),
                "includePropertyValues": flag(request.includesPropertyValues),
                "includesPendingChanges": flag(request.includesPendingChanges),
                "returnObjectsAsFaults": flag(request.returnsObjectsAsFaults),
                "returnDistinctResults": flag(request.returnsDistinctResults),
            ])
    }

    private mutating func write(_ index: ModelIndex) {
        element("fetchIndex", ["name": index.name, "partialIndexPredicate": index.partialPredicate?.text]) { writer in
            for part in index.elements {
                let type = part.isRTree ? "RTree" : "Binary"
                let order = part.isAscending ? "ascending" : "descending"
                switch part.source {
                case .property(let name):
                    writer.element("fetchIndexElement", ["property": name, "type": type, "order": order])
                case .expression(let format, let result):
                    writer.element(
                        "fetchIndexElement",
                        [
                            "expression": format.text, "expressionType": result.rawValue, "type": type,
                            "order": order,
                        ])
                }
            }
        }
    }
}
