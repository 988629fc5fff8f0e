import StratusCloudModel

extension JSONReader {
    /// A field dictionary: `{value, type, isEncrypted}`, and for exact dates `exactReferenceSeconds`.
    ///
    /// What the JSON settles is settled here: objects, text declared as BYTES and dates with exact seconds become
    /// values; other numbers and texts, and lists of them, wait for the schema. `"value": null` clears the field.
    func field() throws(CloudError) -> FieldInput {
        try requireObject()
        guard let value = memberOrNull("value") else { throw refusal("has no value") }
        // As most fields come.
        if count == 1 { return FieldInput(try value.input(declared: nil)) }
        var input = FieldInput(.null)
        if let type = member("type") { (input.declaredType, input.isEncrypted) = try type.declaredType() }
        if try flag("isEncrypted") == true { input.isEncrypted = true }
        if let exact = member(WireNames.exactReferenceSeconds) {
            input.value = try value.exactDate(exact, declared: input.declaredType)
        } else {
            input.value = try value.input(declared: input.declaredType)
        }
        return input
    }

    /// The `type` beside a value.
    func declaredType() throws(CloudError) -> (DeclaredType, Bool) {
        // The usual words, without making a string.
        if isString("STRING") { return (.scalar(.string), false) }
        if isString("INT64") { return (.scalar(.int64), false) }
        if isString("DOUBLE") { return (.scalar(.double), false) }
        if isString("TIMESTAMP") { return (.scalar(.timestamp), false) }
        guard let named = DeclaredType.named(try string()) else { throw refusal("is not a known type") }
        return named
    }

    /// A value of a field that is declared as it may be.
    func input(declared: DeclaredType?) throws(CloudError) -> InputValue {
        guard node.kind == .array else {
            return switch declared {
            case .scalar(let type): try scalarInput(type)
            // A list type with a single value: the service says what it expects.
            case .list, nil: try scalarInput(nil)
            }
        }
        let type: ScalarType? =
            switch declared {
            case .scalar(let type), .list(let type?): type
            case .list(nil), nil: nil
            }
        var elements: [InputValue] = []
        elements.reserveCapacity(count)
        for element in try self.elements() { elements.append(try element.listMember(type)) }
        return .list(elements)
    }

    private func listMember(_ type: ScalarType?) throws(CloudError) -> InputValue {
        switch node.kind {
        case .null: throw refusal("must not be null in a list")
        case .array: throw refusal("must not be a list in a list")
        default: return try scalarInput(type)
        }
    }

    private func scalarInput(_ type: ScalarType?) throws(CloudError) -> InputValue {
        let node = node
        switch node.kind {
        case .null: return .null
        case .no: return .boolean(false)
        case .yes: return .boolean(true)
        case .integer: return .integer(try integer())
        case .decimal:
            let value = document.double(node)
            guard type == .int64 || type == .timestamp else {
                return document.isWholeNumber(node) ? .largeInteger(value) : .decimal(value)
            }
            // Some languages write 1.0 for 1.
            guard let whole = Int64(whole: value) else { throw integerRefusal }
            return .integer(whole)
        case .string:
            return type == .bytes ? .scalar(.bytes(try base64())) : .text(document.text(node))
        case .array: throw refusal("must not be a list")
        case .object: return .scalar(try object(as: type))
        }
    }

    func base64() throws(CloudError) -> [UInt8] {
        guard node.kind == .string else { throw refusal("must be base64") }
        let node = node
        let bytes =
            node.isEscaped
            ? Base64.decode(JSONText.unescaped(document.bytes[node.range])) : Base64.decode(document.bytes[node.range])
        guard let bytes else { throw refusal("must be base64") }
        return bytes
    }

    // MARK: Exact dates

    /// A date, or a list of dates, with the exact seconds that stand beside it.
    private func exactDate(_ exact: JSONReader, declared: DeclaredType?) throws(CloudError) -> InputValue {
        switch declared {
        case .scalar(.timestamp), .list(.timestamp?), .list(nil), nil: break
        default: throw exact.refusal("belongs to fields of type TIMESTAMP only")
        }
        guard node.kind == .array else {
            return isNull ? .null : .scalar(.timestamp(try timestamp(exact: exact)))
        }
        guard exact.kind == .array, exact.count == count else {
            throw exact.refusal("must be an array as long as the value")
        }
        var dates: [InputValue] = []
        dates.reserveCapacity(count)
        for (date, seconds) in zip(try elements(), try exact.elements()) {
            dates.append(
                seconds.isNull
                    ? .integer(try date.integerOrText()) : .scalar(.timestamp(try date.timestamp(exact: seconds))))
        }
        return .list(dates)
    }
}

extension Int64 {
    /// The integer a double is, if it is one. (`init(exactly:)` would make every executable link the C library of
    /// mathematics.)
    fileprivate init?(whole value: Double) {
        // 2^63, the first double that is too large.
        guard value.magnitude < 9_223_372_036_854_775_808, Double(Int64(value)) == value else { return nil }
        self = Int64(value)
    }
}
