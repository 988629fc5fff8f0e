import Foundation
import StratusCompatibility

// Operands: key paths, variables and subqueries.
extension FetchTranslation {
    func term(_ operand: PredicateOperand, in scope: SQLScope) throws -> SQLTerm {
        switch operand {
        case .value(let value): return .constant(value)
        case .evaluatedObject: return .scalar("\(scope.alias).Z_PK", .reference(scope.entity.root))
        case .keyPath(let path):
            return try term(Self.keys(path), in: scope)
        case .variable(let name): return try term([], in: try variable(name))
        case .member(.variable(let name), let path): return try term(Self.keys(path), in: try variable(name))
        case .member(.subquery(let collection, variable: let variable, let predicate), "@count"),
            .element(.subquery(let collection, variable: let variable, let predicate), .size):
            return try count(collection, variable, predicate, in: scope)
        case .function(PredicateFunction.count.rawValue, let arguments):
            guard arguments.count == 1, case .subquery = arguments[0] else {
                throw FetchFailure("'\(operand.outline)' has no translation to SQL")
            }
            return try term(.member(arguments[0], keyPath: "@count"), in: scope)
        default: throw FetchFailure("'\(operand.outline)' has no translation to SQL")
        }
    }

    func term(_ keys: ArraySlice<String>, in scope: SQLScope) throws -> SQLTerm {
        var (alias, entity, keys) = (scope.alias, scope.entity, keys)
        while let key = keys.popFirst() {
            if key.lowercased() == "self" { continue }
            if let toMany = entity.toMany[key] { return try term(toMany, keys, owner: "\(alias).Z_PK") }
            guard let property = property(key, &keys, of: entity) else {
                throw FetchFailure("entity '\(entity.name)' has no stored property '\(key)'")
            }
            let column = "\(alias).\(quoted(property.column))"
            guard case .reference(let name) = property.type else {
                guard keys.isEmpty else {
                    throw FetchFailure("attribute '\(property.name)' has no keys: '\(keys.joined(separator: "."))'")
                }
                return .scalar(column, SQLKind(property.type))
            }
            let destination = try layout.entity(name)
            guard !keys.isEmpty else { return .scalar(column, .reference(destination.root)) }
            alias = try scope.join(property, from: alias, to: destination)
            entity = destination
        }
        return .scalar("\(alias).Z_PK", .reference(entity.root))
    }

    private static func keys(_ path: String) -> ArraySlice<String> {
        path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    }

    private func variable(_ name: String) throws -> SQLScope {
        guard let scope = variables[name] else { throw FetchFailure("variable '$\(name)' has no value") }
        return scope
    }

    /// Returns how many members of a relationship satisfy the predicate of a subquery.
    private func count(
        _ collection: PredicateOperand, _ variable: String, _ predicate: PredicateTree, in scope: SQLScope
    ) throws -> SQLTerm {
        guard case .collection(let members) = try term(collection, in: scope), members.rest.isEmpty else {
            throw FetchFailure("'\(collection.outline)': SUBQUERY needs a to-many relationship")
        }
        depth += FetchLimits.depthOfSubquery
        defer { depth -= FetchLimits.depthOfSubquery }
        let member = self.scope(try layout.entity(members.relationship.destination))
        let hidden = variables.updateValue(member, forKey: variable)
        defer { variables[variable] = hidden }
        // Keys without the variable are those of the object that the whole predicate is asked of.
        let condition = try condition(predicate, in: scope)
        return .scalar("(SELECT count(*) \(source(members, member)) AND \(condition))", .number)
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

    func term(_ toMany: ToManyLayout, _ keys: ArraySlice<String>, owner: String) throws -> SQLTerm {
        let collection = SQLCollection(relationship: toMany, owner: owner, rest: keys)
        guard let function = keys.first, function.hasPrefix("@") else { return .collection(collection) }
        let member = scope(try layout.entity(toMany.destination))
        if function == "@count", keys.count == 1 {
            return .scalar(
                "CASE WHEN \(owner) IS NOT NULL THEN (SELECT count(*) \(source(collection, member))) END", .number)
        }
        guard let name = ["@min": "min", "@max": "max"][function],
            case .scalar(let value, let kind) = try term(keys.dropFirst(), in: member), kind == .number || kind == .date
        else { throw FetchFailure("'\(toMany.name).\(keys.joined(separator: "."))' has no translation to SQL") }
        return .scalar("(SELECT \(name)(\(value)) \(source(collection, member)))", kind)
    }
}
