import StratusCloudModel

extension JSONReader {
    /// A field of an answer, where `type` says what the value is; nil for `null`.
    func typedField() throws(CloudError) -> Field? {
        let input = try field()
        switch (input.value, input.declaredType) {
        case (.null, _): return nil
        case (.list(let members), let declared):
            let type = try listType(declared, members)
            var elements: [ScalarValue] = []
            elements.reserveCapacity(members.count)
            for member in members { elements.append(try typed(member, type)) }
            return Field(.list(of: type, elements: elements), isEncrypted: input.isEncrypted)
        case (let value, .scalar(let type)?):
            return Field(.scalar(try typed(value, type)), isEncrypted: input.isEncrypted)
        case (let value, nil):
            return Field(.scalar(try typed(value, value.likelyType)), isEncrypted: input.isEncrypted)
        case (_, .list?): throw refusal("is declared as a list, but holds none")
        }
    }

    private func listType(_ declared: DeclaredType?, _ members: [InputValue]) throws(CloudError) -> ScalarType {
        switch declared {
        case .list(let type?): return type
        case .scalar: throw refusal("is a list, but is not declared as one")
        // Nothing tells the type of an empty list that does not say it.
        case .list(nil), nil: return members.first?.likelyType ?? .string
        }
    }

    private func typed(_ value: InputValue, _ type: ScalarType) throws(CloudError) -> ScalarValue {
        switch (value, type) {
        case (.text(let text), .string): return .string(text)
        case (.integer(let number), .int64): return .int64(number)
        case (.boolean(let flag), .int64): return .int64(flag ? 1 : 0)
        case (.integer(let number), .timestamp): return .timestamp(Timestamp(milliseconds: number))
        case (.decimal(let number), .double), (.largeInteger(let number), .double): return .double(number)
        case (.integer(let number), .double): return .double(Double(number))
        case (.scalar(let value), _) where value.type == type: return value
        case (.text(let text), .int64):
            if let number = Int64(text) { return .int64(number) }
        case (.text(let text), .timestamp):
            if let number = Int64(text) { return .timestamp(Timestamp(milliseconds: number)) }
        case (.text(let text), .double):
            if let number = Double(text), number.isFinite { return .double(number) }
        default: break
        }
        throw refusal("does not hold a value of its type")
    }
}

extension InputValue {
    /// The type of a value that does not say it.
    fileprivate var likelyType: ScalarType {
        switch self {
        case .null, .text, .list: .string
        case .boolean, .integer: .int64
        case .decimal, .largeInteger: .double
        case .scalar(let value): value.type
        }
    }
}
