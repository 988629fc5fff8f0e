import CloudModel
import CloudWire

/// Makes records of JSON lines: plain objects whose members are the fields, or whole record dictionaries as exports
/// write them. A member `fields` that is an object beside a `recordType` tells the latter.
struct JSONMapper: Sendable {
    let rules: ColumnRules

    /// A record, and the zone that a record dictionary names.
    func record(_ line: [UInt8]) throws(RowError) -> (input: RecordInput, zoneName: String?) {
        do {
            let reader = try JSONReader(line, limit: ImportLimits.rowSize)
            guard reader.kind == .object else { throw RowError("the line is not a JSON object") }
            if reader.member("recordType") != nil, reader.member("fields")?.kind == .object {
                let record = try RecordLine.decode(line, limit: ImportLimits.rowSize)
                return (RecordInput(importing: record), record.zoneID.zoneName)
            }
            return (try plainRecord(reader), nil)
        } catch let error as RowError {
            throw error
        } catch let error as CloudError {
            throw RowError(error.reason)
        } catch {
            throw RowError("\(error)")
        }
    }

    private func plainRecord(_ reader: JSONReader) throws -> RecordInput {
        var input = RecordInput()
        var latitudes: [String: JSONReader] = [:]
        for (name, value) in try reader.members() {
            if name == rules.nameColumn { input.recordName = try text(value) }
            if rules.isPartOfLocation(name) {
                latitudes[name] = value
            } else if !value.isNull {
                input.fields.append((name, try field(name, value)))
            }
        }
        for rule in rules.locations {
            let parts = [latitudes[rule.latitude], latitudes[rule.longitude]].map { $0?.isNull == true ? nil : $0 }
            if parts[0] == nil, parts[1] == nil { continue }
            guard let latitude = parts[0], let longitude = parts[1] else {
                throw RowError("location '\(rule.field)': one of its two members is missing")
            }
            let value = try TextValue.location(try text(latitude), try text(longitude), rule.field)
            input.fields.append((rule.field, FieldInput(.scalar(.location(value)), declaredType: .scalar(.location))))
        }
        if let column = rules.nameColumn, input.recordName?.isEmpty ?? true {
            throw RowError("member '\(column)', which names the record, is missing or empty")
        }
        return input
    }

    /// A string, or a number as it would be written.
    private func text(_ value: JSONReader) throws -> String {
        switch value.kind {
        case .string: return try value.string()
        case .number:
            switch try number(value) {
            case .integer(let number): return String(number)
            case .decimal(let number): return String(number)
            default: throw RowError("\(value.path) must be a string or a number")
            }
        default: throw RowError("\(value.path) must be a string or a number")
        }
    }

    private func field(_ name: String, _ value: JSONReader) throws -> FieldInput {
        let type = rules.types[name]
        if let separator = rules.listSeparators[name], value.kind == .string {
            let elements = try TextValue.parts(try value.string(), separator).map { part in
                InputValue.scalar(try TextValue.parse(part, as: type ?? .string, column: name))
            }
            return FieldInput(.list(elements), declaredType: .list(type ?? .string))
        }
        guard value.kind == .array else {
            return FieldInput(try scalar(value, type, name), declaredType: type.map { .scalar($0) })
        }
        var elements: [InputValue] = []
        for element in try value.elements() { elements.append(try scalar(element, type, name)) }
        return FieldInput(.list(elements), declaredType: .list(type))
    }

    private func scalar(_ value: JSONReader, _ type: ScalarType?, _ name: String) throws -> InputValue {
        switch value.kind {
        case .string:
            let text = try value.string()
            guard let type else { return .text(text) }
            return .scalar(try TextValue.parse(text, as: type, column: name))
        case .number:
            return type == .double ? .decimal(try value.double()) : try number(value)
        case .boolean:
            return .boolean(try value.boolean())
        case .object:
            return .scalar(try object(value, name))
        case .null, .array:
            throw RowError("member '\(name)': lists hold strings, numbers and objects only")
        }
    }

    private func number(_ value: JSONReader) throws -> InputValue {
        let double = try value.double()
        // Beyond 2^63 and with a fraction it can only be a double.
        guard double.rounded() == double, abs(double) < 0x1p63 else { return .decimal(double) }
        do {
            return .integer(try value.integer())
        } catch {
            return .decimal(double)
        }
    }

    private func object(_ value: JSONReader, _ name: String) throws -> ScalarValue {
        if let latitude = value.member("latitude"), let longitude = value.member("longitude") {
            return .location(try TextValue.location(try latitude.double(), try longitude.double(), name))
        }
        if let target = value.member("recordName") {
            return .reference(Reference(recordName: try target.string()))
        }
        throw RowError(
            "member '\(name)': an object must be a location (latitude, longitude) or a reference (recordName)")
    }
}

extension RecordInput {
    /// What is needed to make the same record again elsewhere. Owners that exports do not name are the importer's.
    init(importing record: Record) {
        self.init(
            recordName: record.recordName, recordType: record.recordType,
            fields: record.fields.map { entry in
                var field = entry.field
                field.value = field.value.withoutDefaultOwner
                return (name: entry.name, field: FieldInput(field))
            },
            parent: record.parent?.withoutDefaultOwner)
    }
}

extension FieldValue {
    fileprivate var withoutDefaultOwner: FieldValue {
        switch self {
        case .scalar(let value): .scalar(value.withoutDefaultOwner)
        case .list(let type, let elements): .list(of: type, elements: elements.map(\.withoutDefaultOwner))
        }
    }
}

extension ScalarValue {
    fileprivate var withoutDefaultOwner: ScalarValue {
        if case .reference(let reference) = self { .reference(reference.withoutDefaultOwner) } else { self }
    }
}

extension Reference {
    /// The wire's word for "the owner of this database" is a name like any other when it comes back.
    fileprivate var withoutDefaultOwner: Reference {
        guard zoneID?.ownerRecordName == "_defaultOwner" else { return self }
        var reference = self
        reference.zoneID?.ownerRecordName = nil
        return reference
    }
}
