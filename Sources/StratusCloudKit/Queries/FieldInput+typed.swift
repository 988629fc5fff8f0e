import StratusCloudModel

extension FieldInput {
    /// The same with values of the declared type, as they were before they were written as JSON.
    var typed: FieldInput {
        switch (value, declaredType) {
        case (.list(let members), .list(let type?)):
            FieldInput(.list(members.map { $0.typed(type) }), declaredType: declaredType, isEncrypted: isEncrypted)
        case (let value, .scalar(let type)?):
            FieldInput(value.typed(type), declaredType: declaredType, isEncrypted: isEncrypted)
        default: self
        }
    }
}

extension InputValue {
    fileprivate func typed(_ type: ScalarType) -> InputValue {
        switch (self, type) {
        case (.integer(let number), .int64): .scalar(.int64(number))
        case (.boolean(let flag), .int64): .scalar(.int64(flag ? 1 : 0))
        case (.integer(let number), .double): .scalar(.double(Double(number)))
        case (.decimal(let number), .double), (.largeInteger(let number), .double): .scalar(.double(number))
        case (.integer(let number), .timestamp): .scalar(.timestamp(Timestamp(milliseconds: number)))
        case (.text(let text), .string): .scalar(.string(text))
        default: self
        }
    }
}

extension Query {
    /// The same with the filters' values of their declared types.
    var typed: Query {
        var query = self
        for index in query.filters.indices { query.filters[index].value = query.filters[index].value.typed }
        return query
    }
}
