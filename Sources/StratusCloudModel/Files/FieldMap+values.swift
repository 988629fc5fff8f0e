/// Values of fields whose types are known.
extension FieldMap {
    private func scalar(_ name: String) -> ScalarValue? {
        if case .scalar(let value)? = self[name]?.value { value } else { nil }
    }

    /// The members of a list field; none if it is absent or no list.
    package func list(_ name: String) -> [ScalarValue] {
        if case .list(_, let elements)? = self[name]?.value { elements } else { [] }
    }

    /// The text of a STRING field.
    package func string(_ name: String) -> String? {
        if case .string(let text)? = scalar(name) { text } else { nil }
    }

    /// The number of an INT64 field.
    package func integer(_ name: String) -> Int64? {
        if case .int64(let number)? = scalar(name) { number } else { nil }
    }

    /// The milliseconds of a TIMESTAMP field since 1970-01-01 UTC.
    package func time(_ name: String) -> Int64? {
        if case .timestamp(let time)? = scalar(name) { time.milliseconds } else { nil }
    }

    /// The asset of an ASSET field.
    package func asset(_ name: String) -> Asset? {
        if case .asset(let asset)? = scalar(name) { asset } else { nil }
    }

    /// The reference of a REFERENCE field.
    package func reference(_ name: String) -> Reference? {
        if case .reference(let reference)? = scalar(name) { reference } else { nil }
    }
}
