import StratusCloudModel

/// Settles what a client's value means: by the type the schema has, or, for a new field, by the type the client
/// declared or the shape of the value.
enum FieldCoercion {
    /// The value as the schema's type, or nil where the client clears the field.
    /// - Parameter subject: how messages name the field: "field 'f' in record 'T'".
    static func value(
        of input: FieldInput, as type: FieldType, subject: @autoclosure () -> String
    ) throws(CloudError) -> FieldValue? {
        if input.value.isNull { return nil }
        try checkDeclared(input, against: type, subject: subject)
        if type.isList {
            guard case .list(let members) = input.value else {
                throw mismatch(type, subject())
            }
            var elements: [ScalarValue] = []
            elements.reserveCapacity(members.count)
            for member in members {
                guard let element = scalar(member, as: type.scalar) else { throw mismatch(type, subject()) }
                elements.append(element)
            }
            return .list(of: type.scalar, elements: elements)
        }
        if case .list = input.value {
            throw CloudError(
                .badRequest, "Invalid value, expected type \(type) but actual value was a list, for \(subject())")
        }
        guard let value = scalar(input.value, as: type.scalar) else { throw mismatch(type, subject()) }
        return .scalar(value)
    }

    /// The type that a new field gets in development.
    static func inferredType(of input: FieldInput, field: String, recordType: String) throws(CloudError) -> FieldType {
        switch input.declaredType {
        case .scalar(let scalar)?:
            return FieldType(scalar, isEncrypted: input.isEncrypted)
        case .list(let scalar?)?:
            return FieldType(scalar, isList: true, isEncrypted: input.isEncrypted)
        case .list(nil)?, nil:
            break
        }
        try refuseLargeInteger(input, field: field, recordType: recordType)
        if case .list(let members) = input.value {
            try refuseEmptyList(input, field: field, recordType: recordType)
            let types = Set(members.compactMap(scalarType))
            if types.count == 1, let type = types.first, members.allSatisfy({ scalarType($0) != nil }) {
                return FieldType(type, isList: true, isEncrypted: input.isEncrypted)
            }
            // Whole numbers among fractions are fractions too.
            if types == [.int64, .double] { return FieldType(.double, isList: true, isEncrypted: input.isEncrypted) }
        } else if let type = scalarType(input.value) {
            return FieldType(type, isEncrypted: input.isEncrypted)
        }
        throw CloudError(
            .badRequest,
            "Cannot tell the type of new field '\(field)' in record '\(recordType)' from its value; send its type")
    }

    /// One value as one type; nil where it cannot be that.
    static func scalar(_ input: InputValue, as type: ScalarType) -> ScalarValue? {
        switch (input, type) {
        case (.scalar(let value), _) where value.type == type: value
        case (.scalar, _), (.null, _), (.list, _): nil
        case (.text(let text), .string): .string(text)
        case (.text(let text), .bytes): Base64.decode(text).map(ScalarValue.bytes)
        case (.text(let text), .int64): Int64(text).map(ScalarValue.int64)
        case (.text(let text), .timestamp): Int64(text).map { .timestamp(Timestamp(milliseconds: $0)) }
        case (.text(let text), .double): finite(Double(text)).map(ScalarValue.double)
        case (.text(let text), .reference): .reference(Reference(recordName: text))
        case (.boolean(let value), .int64): .int64(value ? 1 : 0)
        case (.integer(let value), .int64): .int64(value)
        case (.integer(let value), .double): .double(Double(value))
        case (.integer(let value), .timestamp): .timestamp(Timestamp(milliseconds: value))
        case (.decimal(let value), .double), (.largeInteger(let value), .double): .double(value)
        case (.decimal(let value), .int64): Int64(exactly: value).map(ScalarValue.int64)
        case (.decimal(let value), .timestamp):
            Int64(exactly: value).map { .timestamp(Timestamp(milliseconds: $0)) }
        case (.text, _), (.boolean, _), (.integer, _), (.decimal, _), (.largeInteger, _): nil
        }
    }

    /// The type a value shows by its shape.
    private static func scalarType(_ input: InputValue) -> ScalarType? {
        switch input {
        case .boolean, .integer: .int64
        case .decimal: .double
        case .text: .string
        case .scalar(let value): value.type
        case .null, .list, .largeInteger: nil
        }
    }

    /// A field that got its type from a number which was rounded first would have the wrong type from then on.
    private static func refuseLargeInteger(
        _ input: FieldInput, field: String, recordType: String
    ) throws(CloudError) {
        let members = if case .list(let members) = input.value { members } else { [input.value] }
        guard members.contains(where: { if case .largeInteger = $0 { true } else { false } }) else { return }
        throw CloudError(
            .badRequest,
            "the integer for new field '\(field)' in record '\(recordType)' does not fit 64 bits; send the field's type"
        )
    }

    private static func checkDeclared(
        _ input: FieldInput, against type: FieldType, subject: () -> String
    ) throws(CloudError) {
        let matches =
            switch input.declaredType {
            case nil: true
            case .scalar(let scalar)?: !type.isList && scalar == type.scalar
            case .list(let scalar)?: type.isList && (scalar == nil || scalar == type.scalar)
            }
        guard !matches, let declared = input.declaredType else { return }
        let name =
            switch declared {
            case .scalar(let scalar): FieldType(scalar).description
            case .list(let scalar?): FieldType(scalar, isList: true).description
            case .list(nil): "LIST"
            }
        throw CloudError(
            .badRequest, "invalid attempt to set value type \(name) for \(subject()), defined to be: \(type)")
    }

    private static func refuseEmptyList(_ input: FieldInput, field: String, recordType: String) throws(CloudError) {
        guard case .list(let members) = input.value, members.isEmpty else { return }
        throw CloudError(
            .badRequest,
            "cannot use an empty list to initialize a new field "
                + "(field '\(field)' in record type '\(recordType)' should be more precise)")
    }

    private static func mismatch(_ type: FieldType, _ subject: String) -> CloudError {
        CloudError(.badRequest, "Invalid value, expected type \(type) for \(subject)")
    }

    private static func finite(_ value: Double?) -> Double? {
        value.flatMap { $0.isFinite ? $0 : nil }
    }
}
