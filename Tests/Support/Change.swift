/// Operations of `records/modify`, as dictionaries.
public enum Change {
    /// Any operation.
    public static func make(
        _ operationType: String, _ name: String?, type: String? = nil, tag: String? = nil, _ fields: JSON = .absent
    ) -> JSON {
        var record: JSON = [:]
        if let name { record["recordName"] = .string(name) }
        if let type { record["recordType"] = .string(type) }
        if let tag { record["recordChangeTag"] = .string(tag) }
        record["fields"] = fields
        return ["operationType": .string(operationType), "record": record]
    }

    /// `create`; without a name the server makes one.
    public static func create(_ type: String, _ name: String? = nil, _ fields: JSON = [:]) -> JSON {
        make("create", name, type: type, fields)
    }

    /// `update` of a record the server gave.
    public static func update(_ record: JSON, _ fields: JSON) -> JSON { on(record, "update", fields) }

    /// `replace` of a record the server gave.
    public static func replace(_ record: JSON, _ fields: JSON) -> JSON { on(record, "replace", fields) }

    /// `delete` of a record the server gave.
    public static func delete(_ record: JSON) -> JSON { on(record, "delete", .absent) }

    /// `forceUpdate`
    public static func forceUpdate(_ type: String, _ name: String, _ fields: JSON) -> JSON {
        make("forceUpdate", name, type: type, fields)
    }

    /// `forceReplace`
    public static func forceReplace(_ type: String, _ name: String, _ fields: JSON) -> JSON {
        make("forceReplace", name, type: type, fields)
    }

    /// `forceDelete`
    public static func forceDelete(_ name: String) -> JSON { make("forceDelete", name) }

    private static func on(_ record: JSON, _ operationType: String, _ fields: JSON) -> JSON {
        make(
            operationType, record["recordName"].string, type: record["recordType"].string,
            tag: record["recordChangeTag"].string, fields)
    }
}

/// Field dictionaries.
public enum Fields {
    /// Field values without types, as many clients send them.
    public static func untyped(_ values: [String: JSON]) -> JSON { .object(values.mapValues { ["value": $0] }) }

    /// One value with its type.
    public static func typed(_ type: String, _ value: JSON) -> JSON { ["value": value, "type": .string(type)] }
}

/// Conditions and orders of queries.
public enum Condition {
    /// A filter.
    public static func filter(_ field: String, _ comparator: String, _ value: JSON, type: String? = nil) -> JSON {
        var fieldValue: JSON = ["value": value]
        if let type { fieldValue["type"] = .string(type) }
        return ["fieldName": .string(field), "comparator": .string(comparator), "fieldValue": fieldValue]
    }

    /// A sort key.
    public static func sort(_ field: String, ascending: Bool = true) -> JSON {
        ["fieldName": .string(field), "ascending": .bool(ascending)]
    }
}
