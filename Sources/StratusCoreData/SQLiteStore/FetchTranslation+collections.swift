// Conditions and values over the members of to-many relationships.
extension FetchTranslation {
    /// Returns the condition that a member of a collection satisfies one.
    func exists(_ collection: SQLCollection, _ condition: (SQLTerm) throws -> String) throws -> String {
        try checkKeys(collection)
        let select = try select(collection) { member in
            let term = try value(collection, of: member)
            return ("1", try condition(term))
        }
        return "EXISTS (\(select))"
    }

    /// In memory an operator after other keys is one over the values of all members, such as a list of lists.
    func checkKeys(_ collection: SQLCollection) throws {
        guard !collection.rest.contains(where: { $0.hasPrefix("@") }) else {
            let path = ([collection.relationship.name] + collection.rest).joined(separator: ".")
            throw FetchFailure("'\(path)' has no translation to SQL")
        }
    }

    /// Returns the values of the members of a collection, as an expression over one of them.
    func value(_ collection: SQLCollection, of member: SQLScope) throws -> SQLTerm {
        let term = try term(collection.rest, in: member)
        if case .collection = term {
            throw FetchFailure(
                "a key path has a second to-many relationship after '\(collection.relationship.name)'")
        }
        return term
    }

    /// Returns a `SELECT` over the members of a collection.
    /// - Parameter parts: Returns what is selected of a member, and a condition besides those of subqueries.
    func select(
        _ collection: SQLCollection, _ parts: (SQLScope) throws -> (selected: String, condition: String?)
    ) throws -> String {
        let member = scope(try layout.entity(collection.relationship.destination))
        var conditions = try collection.filters.map { filter in
            depth += FetchLimits.depthOfSubquery
            defer { depth -= FetchLimits.depthOfSubquery }
            let hidden = variables.updateValue(member, forKey: filter.variable)
            defer { variables[filter.variable] = hidden }
            // Keys without the variable are those of the object that the whole predicate is asked of.
            return try condition(filter.predicate, in: filter.scope)
        }
        let (selected, further) = try parts(member)
        if let further { conditions.append(further) }
        return "SELECT \(selected) \(source(collection, member))" + conditions.map { " AND \($0)" }.joined()
    }

    /// `FROM` and `WHERE` of the members.
    private func source(_ collection: SQLCollection, _ member: SQLScope) -> String {
        let table = "\(quoted(member.entity.table)) \(member.alias)"
        switch collection.relationship.place {
        case .column(let column, _):
            return "FROM \(table)\(member.joins) WHERE \(member.alias).\(quoted(column)) = \(collection.owner)"
        case .table(let name, let owner, let key, _):
            let join = member.alias + "j"
            return "FROM \(quoted(name)) \(join) JOIN \(table) ON \(member.alias).Z_PK = \(join).\(quoted(key))"
                + "\(member.joins) WHERE \(join).\(quoted(owner)) = \(collection.owner)"
        }
    }
}
