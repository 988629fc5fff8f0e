import StratusCompatibility

/// An attribute whose value the store computes.
struct DerivedLayout: Hashable, Sendable {
    /// The position of the attribute among the properties of its entity.
    let position: Int
    let expression: PredicateOperand

    /// The key paths that the value follows from.
    var paths: [String] { Self.paths(of: expression) }

    private static func paths(of operand: PredicateOperand) -> [String] {
        switch operand {
        case .keyPath(let path): [path]
        case .member(let owner, let path):
            // The members of what the owner is, such as those of a subquery.
            paths(of: owner).flatMap { [$0, "\($0).\(path)"] }
        case .element(let owner, _): paths(of: owner)
        case .function(_, let arguments), .aggregate(let arguments): arguments.flatMap(paths)
        case .subquery(let collection, _, _): paths(of: collection)
        case .conditional(_, let first, let second): paths(of: first) + paths(of: second)
        case .value, .evaluatedObject, .variable, .method, .set, .code: []
        }
    }
}

extension StoreLayout {
    /// Returns the derived attributes in an order in which each one follows those that its value depends on.
    func derivedInOrder() throws -> [(entity: EntityLayout, attribute: DerivedLayout)] {
        let all = entities.values.sorted { $0.number < $1.number }.flatMap { entity in
            entity.derived.map { (entity: entity, attribute: $0) }
        }
        var ordered: [(entity: EntityLayout, attribute: DerivedLayout)] = []
        var (done, waiting): (Set<DerivedKey>, Set<DerivedKey>) = ([], [])
        func add(_ entity: EntityLayout, _ attribute: DerivedLayout) throws {
            let key = DerivedKey(entity: entity.name, position: attribute.position)
            guard !done.contains(key) else { return }
            guard waiting.insert(key).inserted else {
                let name = entity.properties[attribute.position].name
                throw StoreFailure(.unsupported, "'\(name)' of '\(entity.name)' is derived from itself")
            }
            for path in attribute.paths {
                for (owner, other) in try derived(at: path, of: entity) { try add(owner, other) }
            }
            done.insert(key)
            ordered.append((entity, attribute))
        }
        for (entity, attribute) in all { try add(entity, attribute) }
        return ordered
    }

    /// Returns the derived attributes that a key path ends with: those of an entity and of all that inherit from it.
    func derived(at path: String, of entity: EntityLayout) throws -> [(EntityLayout, DerivedLayout)] {
        var (owner, keys) = (entity, FetchTranslation.keys(path))
        while let key = keys.popFirst() {
            if let relationship = owner.toMany[key] {
                owner = try self.entity(relationship.destination)
            } else if let position = owner.positions[key] {
                guard case .reference(let destination) = owner.properties[position].type else {
                    return try owner.family.compactMap { name in
                        let member = try self.entity(name)
                        return member.derived.first { member.properties[$0.position].name == key }.map { (member, $0) }
                    }
                }
                owner = try self.entity(destination)
            }
        }
        return []
    }
}

/// A derived attribute of an entity.
struct DerivedKey: Hashable {
    let entity: String
    let position: Int
}
