import StratusXML

/// Checks that the names in a model lead to something.
struct ModelReferences {
    private let model: ModelDocument
    private let root: XMLElement
    private let place: ModelPlace
    private let entities: [String: ModelEntity]

    init(_ model: ModelDocument, _ root: XMLElement, _ place: ModelPlace) {
        self.model = model
        self.root = root
        self.place = place
        entities = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func check() throws(ModelFileError) {
        var names = Set<String>()
        for (entity, element) in zip(model.entities, root.elements("entity")) {
            guard names.insert(entity.name).inserted else { throw place.error(element, "has the name of another one") }
            try checkInheritance(of: entity, element)
            try checkProperties(of: entity, element)
        }
        for (request, element) in zip(model.fetchRequests, root.elements("fetchRequest")) {
            try require(request.entity, element, "fetches")
        }
        for element in root.elements("configuration") {
            for member in element.elements("memberEntity") {
                try require(member.attribute("name") ?? "", element, "has")
            }
        }
    }

    private func require(_ entity: String, _ element: XMLElement, _ verb: String) throws(ModelFileError) {
        guard entities[entity] != nil else {
            throw place.error(element, "\(verb) entity '\(entity)', which the model does not have")
        }
    }

    private func checkInheritance(of entity: ModelEntity, _ element: XMLElement) throws(ModelFileError) {
        var known: Set<String> = [entity.name]
        var next = entity.parent
        while let parent = next {
            try require(parent, element, "inherits from")
            guard known.insert(parent).inserted else { throw place.error(element, "inherits from itself") }
            guard known.count <= ModelFileLimits.inheritance else {
                throw place.error(element, "inherits from more than \(ModelFileLimits.inheritance) entities")
            }
            next = entities[parent]?.parent
        }
    }

    private func checkProperties(of entity: ModelEntity, _ element: XMLElement) throws(ModelFileError) {
        let inside = place.inside(element, entity.name)
        var names = Set<String>()
        for child in element.elements where ["attribute", "relationship", "fetchedProperty"].contains(child.name.local)
        {
            guard let name = child.text("name"), names.insert(name).inserted else {
                throw inside.error(child, "has the name of another property")
            }
        }
        for (relationship, child) in zip(entity.relationships, element.elements("relationship")) {
            guard let destination = entities[relationship.destination] else {
                throw inside.error(
                    child, "leads to entity '\(relationship.destination)', which the model does not have")
            }
            guard let inverse = relationship.inverse else { continue }
            guard has(destination, inverse) else {
                throw inside.error(
                    child, "has the inverse '\(inverse)', which entity '\(destination.name)' does not have")
            }
        }
        for (attribute, child) in zip(entity.attributes, element.elements("attribute")) {
            guard let composite = attribute.composite, model.composites[composite] == nil else { continue }
            throw inside.error(child, "has the composite type '\(composite)', which the model does not have")
        }
    }

    private func has(_ entity: ModelEntity, _ relationship: String) -> Bool {
        var next: ModelEntity? = entity
        while let entity = next {
            if entity.relationships.contains(where: { $0.name == relationship }) { return true }
            next = entity.parent.flatMap { entities[$0] }
        }
        return false
    }
}
