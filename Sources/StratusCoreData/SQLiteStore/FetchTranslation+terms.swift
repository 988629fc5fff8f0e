import Foundation
import StratusCompatibility

// Operands: key paths, variables, subqueries and lists.
extension FetchTranslation {
    func term(_ operand: PredicateOperand, in scope: SQLScope) throws -> SQLTerm {
        switch operand {
        case .value(let value): return .constant(value)
        case .evaluatedObject: return .scalar("\(scope.alias).Z_PK", .reference(scope.entity.root))
        case .keyPath(let path):
            if let expression = named[path] {
                return try ofProperties { try term(expression, in: scope) }
            }
            return try term(Self.keys(path), in: scope)
        case .variable(let name): return try term([], in: try variable(name))
        case .member(.variable(let name), let path): return try term(Self.keys(path), in: try variable(name))
        case .member(let owner, let path): return try member(path, of: try term(owner, in: scope), operand)
        case .subquery(let collection, variable: let variable, let predicate):
            guard case .collection(var members) = try term(collection, in: scope), members.rest.isEmpty else {
                throw FetchFailure("'\(collection.outline)': SUBQUERY needs a to-many relationship")
            }
            members.filters.append(.init(variable: variable, predicate: predicate, scope: scope))
            return .collection(members)
        case .element(let owner, .size):
            guard case .collection(let members) = try term(owner, in: scope) else { break }
            return try statistics(.count, of: members)
        case .aggregate(let operands): return Self.list(try operands.map { try term($0, in: scope) })
        case .function(let name, let arguments):
            guard let function = PredicateFunction(rawValue: name) else { break }
            let terms =
                function.isOverLists
                ? try ofProperties { try arguments.map { try term($0, in: scope) } }
                : try arguments.map { try term($0, in: scope) }
            return try term(function, terms, operand)
        case .conditional(let predicate, let first, let second):
            return try conditional(
                try condition(predicate, in: scope), try term(first, in: scope), try term(second, in: scope), operand)
        default: break
        }
        throw FetchFailure("'\(operand.outline)' has no translation to SQL")
    }

    /// Inside a named expression and a function over a group, the name is the property's.
    private func ofProperties<Value>(_ body: () throws -> Value) rethrows -> Value {
        let all = named
        named = [:]
        defer { named = all }
        return try body()
    }

    private static func list(_ members: [SQLTerm]) -> SQLTerm {
        let constants = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        return constants.count == members.count ? .constant(.list(constants)) : .list(members)
    }

    func term(_ keys: ArraySlice<String>, in scope: SQLScope) throws -> SQLTerm {
        switch try resolve(keys, in: scope) {
        case .object(let alias, let entity): return .scalar("\(alias).Z_PK", .reference(entity.root))
        case .property(let alias, let property):
            let column = alias + "." + quoted(property.column)
            if property.type == .decimal { decimals.insert(column) }
            guard case .reference(let name) = property.type else { return .scalar(column, SQLKind(property.type)) }
            return .scalar(column, .reference(try layout.entity(name).root))
        case .keyed(let alias, let property, let rest):
            let column = SQLTerm.scalar("\(alias).\(quoted(property.column))", SQLKind(property.type))
            guard let term = try keyed(rest, column) else {
                throw FetchFailure("attribute '\(property.name)' has no keys: '\(rest)'")
            }
            return term
        case .collection(let collection): return try term(collection)
        }
    }

    static func keys(_ path: String) -> ArraySlice<String> {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return [path] }
        return path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    }

    private func variable(_ name: String) throws -> SQLScope {
        guard let scope = variables[name] else { throw FetchFailure("variable '$\(name)' has no value") }
        return scope
    }

    /// Returns keys of something that is not the row of a scope.
    private func member(_ path: String, of owner: SQLTerm, _ operand: PredicateOperand) throws -> SQLTerm {
        if case .collection(var members) = owner {
            members.rest += Self.keys(path)
            return try term(members)
        }
        guard let term = try keyed(path, owner) else {
            throw FetchFailure("'\(operand.outline)' has no translation to SQL")
        }
        return term
    }

    /// A collection, or a value over all of its members.
    private func term(_ collection: SQLCollection) throws -> SQLTerm {
        guard let position = collection.rest.firstIndex(where: { $0.hasPrefix("@") }) else {
            return .collection(collection)
        }
        let (before, after) = (collection.rest[..<position], collection.rest[(position + 1)...])
        guard let function = Self.operators[collection.rest[position]], function != .count || after.isEmpty,
            try isOneValue(before, ofMembersOf: collection)
        else {
            let path = ([collection.relationship.name] + collection.rest).joined(separator: ".")
            throw FetchFailure("'\(path)' has no translation to SQL")
        }
        var members = collection
        members.rest = before + after
        let value = try statistics(function, of: members)
        guard collection.filters.isEmpty, case .scalar(let sql, let kind) = value else { return value }
        return .scalar("CASE WHEN \(collection.owner) IS NOT NULL THEN \(sql) END", kind)
    }

    /// Whether keys lead from each member to one value, so that an operator after them is over as many values as there
    /// are members.
    private func isOneValue(_ keys: ArraySlice<String>, ofMembersOf collection: SQLCollection) throws -> Bool {
        guard !keys.isEmpty else { return true }
        let member = scope(try layout.entity(collection.relationship.destination))
        if case .collection = try resolve(keys, in: member) { return false }
        return true
    }

    private static let operators: [String: PredicateFunction] = [
        "@count": .count, "@sum": .sum, "@avg": .average, "@min": .min, "@max": .max,
    ]
}

/// The end of a key path.
enum ResolvedPath {
    /// A row of an entity.
    case object(alias: String, EntityLayout)
    case property(alias: String, PropertyLayout)
    /// Keys of an attribute's value.
    case keyed(alias: String, PropertyLayout, rest: String)
    case collection(SQLCollection)
}

extension FetchTranslation {
    /// Follows keys from a row on.
    func resolve(_ keys: ArraySlice<String>, in scope: SQLScope) throws -> ResolvedPath {
        var (alias, entity, keys) = (scope.alias, scope.entity, keys)
        while let key = keys.popFirst() {
            if key.utf8.count == 4, key.lowercased() == "self" { continue }
            if let toMany = entity.toMany[key] {
                return .collection(SQLCollection(relationship: toMany, owner: "\(alias).Z_PK", rest: keys))
            }
            guard let property = property(key, &keys, of: entity) else {
                throw FetchFailure("entity '\(entity.name)' has no stored property '\(key)'")
            }
            guard !keys.isEmpty else { return .property(alias: alias, property) }
            guard case .reference(let name) = property.type else {
                return .keyed(alias: alias, property, rest: keys.joined(separator: "."))
            }
            let destination = try layout.entity(name)
            alias = try scope.join(property, from: alias, to: destination)
            entity = destination
        }
        return .object(alias: alias, entity)
    }

    /// An element of a composite attribute has its keys in one name.
    private func property(
        _ key: String, _ keys: inout ArraySlice<String>, of entity: EntityLayout
    ) -> PropertyLayout? {
        var name = key
        var rest = keys
        while true {
            if let position = entity.positions[name] {
                keys = rest
                return entity.properties[position]
            }
            guard let next = rest.popFirst() else { return nil }
            name += "." + next
        }
    }
}
