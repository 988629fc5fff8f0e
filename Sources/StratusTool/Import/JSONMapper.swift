import StratusCloudModel
import StratusCloudWire

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
                return (try wholeRecord(line), try reader.member("zoneID")?.member("zoneName")?.string())
            }
            return (try plainRecord(reader), nil)
        } catch let error as RowError {
            throw error
        } catch let error as CloudError {
            throw RowError(Self.withoutPrefix(error.reason))
        } catch {
            throw RowError("\(error)")
        }
    }

    private static let place = "operations[0].record"

    /// Reads a record dictionary as a client would send it, with who made and changed the record and when: what an
    /// export says beyond that is left out.
    private func wholeRecord(_ line: [UInt8]) throws -> RecordInput {
        // The line was checked to be one JSON object.
        let start = Array(#"{"operations":[{"operationType":"forceReplace","record":"#.utf8)
        var decoder = RequestDecoder()
        decoder.readsHistory = rules.restoresHistory
        let request = try decoder.modifyRecords(start + line + Array("}]}".utf8)).request
        guard let operation = request.operations.first else { throw RowError("the line is not a record") }
        return operation.record
    }

    /// A reason that names a place in the line rather than in the request made of it.
    private static func withoutPrefix(_ reason: String) -> String {
        guard reason.hasPrefix(place) else { return reason }
        let rest = reason.dropFirst(place.count)
        return rest.hasPrefix(".") ? String(rest.dropFirst()) : "the line" + rest
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
            let value = try TextValue.location(try text(latitude), try text(longitude), "location '\(rule.field)'")
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
        let type = rules.types[name]?.scalar
        if let separator = rules.listSeparators[name], value.kind == .string {
            let elements = try TextValue.parts(try value.string(), separator).map { part in
                InputValue.scalar(try TextValue.parse(part, as: type ?? .string, "member '\(name)'"))
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
            return .scalar(try TextValue.parse(text, as: type, "member '\(name)'"))
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
            return .location(try TextValue.location(try latitude.double(), try longitude.double(), "member '\(name)'"))
        }
        if let target = value.member("recordName") {
            return .reference(Reference(recordName: try target.string()))
        }
        throw RowError(
            "member '\(name)': an object must be a location (latitude, longitude) or a reference (recordName)")
    }
}
