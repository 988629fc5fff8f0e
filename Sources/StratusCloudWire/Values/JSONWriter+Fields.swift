import StratusCloudModel

/// Fields as clients send them.
extension JSONWriter {
    /// A field dictionary. A type is written where one is declared, and where without it the server could not know
    /// what the value is.
    mutating func field(_ field: FieldInput) {
        beginObject()
        key("value")
        input(field.value)
        switch field.value {
        case .list(let members): exactSeconds(members.map(\.exactReferenceSeconds))
        default: optional(WireNames.exactReferenceSeconds, field.value.exactReferenceSeconds)
        }
        let type = field.declaredType ?? field.value.hiddenType
        if let type {
            key("type")
            constant(type.wireName(isEncrypted: field.isEncrypted))
        }
        if field.isEncrypted, type?.saysEncrypted != true { optional("isEncrypted", true) }
        endObject()
    }

    private mutating func input(_ value: InputValue) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .decimal(let value): double(value)
        case .largeInteger(let value): largeInteger(value)
        case .text(let value): string(value)
        case .scalar(let value): scalar(value, .request)
        case .list(let members):
            beginArray()
            for member in members { input(member) }
            endArray()
        }
    }
}

extension DeclaredType {
    fileprivate func wireName(isEncrypted: Bool) -> StaticString {
        switch self {
        case .scalar(let type): type.wireName(isList: false, isEncrypted: isEncrypted)
        case .list(let type?): type.wireName(isList: true, isEncrypted: isEncrypted)
        case .list(nil): "LIST"
        }
    }

    /// Whether the type's name says that a field is encrypted, without a flag beside it.
    fileprivate var saysEncrypted: Bool { self == .scalar(.bytes) || self == .list(.bytes) }
}

extension InputValue {
    /// The exact seconds of a date.
    fileprivate var exactReferenceSeconds: Double? {
        if case .scalar(let value) = self { value.exactReferenceSeconds } else { nil }
    }

    /// The type that the JSON of a value does not show.
    fileprivate var hiddenType: DeclaredType? {
        switch self {
        case .scalar(let value): value.showsType ? nil : .scalar(value.type)
        case .list(let members):
            members.lazy.compactMap { member -> DeclaredType? in
                if case .scalar(let value) = member, !value.showsType { .list(value.type) } else { nil }
            }.first
        case .null, .boolean, .integer, .decimal, .largeInteger, .text: nil
        }
    }

    /// Whether all numbers in it can be written.
    var isFinite: Bool {
        switch self {
        case .decimal(let value), .largeInteger(let value), .scalar(.double(let value)): value.isFinite
        case .scalar(.timestamp(let date)): date.exactReferenceSeconds?.isFinite ?? true
        case .scalar(.location(let place)): place.isFinite
        case .list(let members): members.allSatisfy(\.isFinite)
        case .null, .boolean, .integer, .text, .scalar: true
        }
    }
}

extension ScalarValue {
    /// Whether the JSON of a value shows what it is.
    fileprivate var showsType: Bool {
        switch self {
        case .location, .reference, .asset: true
        case .timestamp: exactReferenceSeconds != nil
        case .string, .int64, .double, .bytes: false
        }
    }
}

extension Location {
    fileprivate var isFinite: Bool {
        let numbers = [
            latitude, longitude, horizontalAccuracy, verticalAccuracy, altitude, speed, course,
            timestamp?.exactReferenceSeconds,
        ]
        return numbers.allSatisfy { $0?.isFinite ?? true }
    }
}
