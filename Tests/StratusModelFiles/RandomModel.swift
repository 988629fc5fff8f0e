import Foundation
import StratusModelFiles
import StratusSeeds

/// Models with everything that files can say, drawn at random.
struct RandomModel {
    private var random: SeededRandom
    private let names: [String]

    static func draw(_ random: inout SeededRandom) -> ModelDocument {
        var drawing = RandomModel(
            random: random, names: (0..<Int.random(in: 1...5, using: &random)).map { "Entity\($0)" })
        defer { random = drawing.random }
        return drawing.model()
    }

    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func text() -> String {
        ["a", "é <&>", "\"quoted\"", "line\nfeed", "ü😀"].randomElement(using: &random) ?? ""
    }
    private mutating func maybe(_ text: String) -> String? { flag() ? text : nil }
    private mutating func entity() -> String { names.randomElement(using: &random) ?? "" }

    private mutating func model() -> ModelDocument {
        var model = ModelDocument()
        model.versionIdentifier = maybe("2.0")
        if flag() { model.composites = ["Inner": attributes(), "Empty": []] }
        for (position, name) in names.enumerated() {
            model.entities.append(entity(name, position, composites: Array(model.composites.keys).sorted()))
        }
        if flag() { model.configurations = ["Cloud": [entity()], "Local": []] }
        if flag() { model.fetchRequests = [request("All"), request("Some")] }
        return model
    }

    private mutating func entity(_ name: String, _ position: Int, composites: [String]) -> ModelEntity {
        var entity = ModelEntity(name: name)
        entity.className = [nil, name, ".\(name)", "App.\(name)"].randomElement(using: &random) ?? nil
        entity.isAbstract = flag()
        // An earlier one, so that none inherits from itself.
        if position > 0, flag() { entity.parent = names[number(0...position - 1)] }
        entity.codeGeneration = ModelCodeGeneration.allCases.randomElement(using: &random) ?? .manual
        entity.renamingIdentifier = maybe("Old\(name)")
        entity.versionHashModifier = maybe(text())
        entity.userInfo = userInfo()
        entity.attributes = attributes()
        if let composite = composites.randomElement(using: &random) {
            var attribute = ModelAttribute(name: "composite", type: .composite)
            attribute.composite = composite
            entity.attributes.append(attribute)
        }
        entity.relationships = (0..<number(0...3)).map { relationship("relationship\($0)") }
        if flag() {
            var property = ModelFetchedProperty(name: "fetched", request: request("inner"))
            property.options.isOptional = flag()
            entity.fetchedProperties = [property]
        }
        if flag() { entity.indexes = [index(of: entity.attributes.map(\.name))] }
        if flag() { entity.uniquenessConstraints = [["a", "b"], ["c"]] }
        return entity
    }

    private mutating func userInfo() -> [String: String] { flag() ? ["key": text(), "é": ""] : [:] }

    private mutating func attributes() -> [ModelAttribute] {
        (0..<number(0...6)).map { position in
            let types = ModelAttributeType.allCases.filter { $0 != .composite }
            return attribute("attribute\(position)", types.randomElement(using: &random) ?? .string)
        }
    }

    private mutating func attribute(_ name: String, _ type: ModelAttributeType) -> ModelAttribute {
        var attribute = ModelAttribute(name: name, type: type)
        attribute.options.isOptional = flag()
        attribute.options.isTransient = flag()
        attribute.options.isIndexedBySpotlight = flag()
        attribute.options.isStoredInExternalRecord = flag()
        attribute.options.renamingIdentifier = maybe("former")
        attribute.options.versionHashModifier = maybe("3")
        attribute.options.userInfo = userInfo()
        attribute.usesScalarType = flag()
        attribute.transformerName = maybe("NSSecureUnarchiveFromData")
        attribute.valueClassName = maybe("NSArray")
        attribute.allowsExternalStorage = flag()
        attribute.allowsCloudEncryption = flag()
        attribute.preservesValueInHistory = flag()
        if flag() { attribute.derivation = ModelFormat("canonical:(name)") }
        if flag() { attribute.defaultValue = value(type) }
        if type == .string {
            if flag() { (attribute.minimum, attribute.maximum) = (.integer(1), .integer(9)) }
            attribute.regularExpression = maybe("^[a-z\"]{1,64}$")
        } else if ![.boolean, .uuid, .uri].contains(type), flag() {
            (attribute.minimum, attribute.maximum) = (value(type), value(type))
        }
        return attribute
    }

    private mutating func value(_ type: ModelAttributeType) -> ModelValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(.random(in: .min ... .max, using: &random))
        case .double, .float: .double(.random(in: -1e9...1e9, using: &random))
        case .decimal: .decimal(Decimal(number(-1_000_000...1_000_000)) / 8)
        case .boolean: .boolean(flag())
        case .string: .string(flag() ? text() : "")
        case .date: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
        case .uuid: .uuid(UUID())
        case .uri: URL(string: "https://example.org/?q=\(number(0...9))").map { .url($0) }
        case .undefined, .binary, .transformable, .objectID, .composite: nil
        }
    }

    /// The inverse is left out: it would have to exist.
    private mutating func relationship(_ name: String) -> ModelRelationship {
        var relationship = ModelRelationship(name: name, destination: entity())
        relationship.options.isOptional = flag()
        relationship.options.userInfo = userInfo()
        relationship.minimumCount = number(0...3)
        relationship.maximumCount = number(0...3)
        relationship.isOrdered = flag()
        relationship.deleteRule = ModelDeleteRule.allCases.randomElement(using: &random) ?? .nullify
        return relationship
    }

    private mutating func request(_ name: String) -> ModelFetchRequest {
        var request = ModelFetchRequest(name: name, entity: entity())
        if flag() { request.predicate = ModelFormat("name == $NAME && count > 3") }
        request.limit = number(0...9)
        request.batchSize = number(0...9)
        request.resultType = UInt(number(0...2))
        if flag() { (request.includesSubentities, request.returnsDistinctResults) = (flag(), flag()) }
        if flag() { (request.includesPropertyValues, request.includesPendingChanges) = (flag(), flag()) }
        if flag() { request.returnsObjectsAsFaults = flag() }
        return request
    }

    private mutating func index(of names: [String]) -> ModelIndex {
        var index = ModelIndex(name: "byAll")
        index.elements = names.map { ModelIndexElement(.property($0)) }
        index.elements.append(
            ModelIndexElement(.expression(ModelFormat("lowercase:(name)"), result: .string)))
        for position in index.elements.indices {
            index.elements[position].isAscending = flag()
            index.elements[position].isRTree = flag()
        }
        if flag() { index.partialPredicate = ModelFormat("count > 3") }
        return index
    }
}
