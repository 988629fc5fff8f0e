import Foundation
import StratusCoreDataMirroring

/// A change that waits to be sent, as it is printed.
struct MirrorWaitingReport: Encodable {
    var waiting: [MirroredRecordReport]
}

/// The state of an object or a link as it is printed.
struct MirroredRecordReport: Encodable {
    struct Link: Encodable {
        var relationship: String
        var first: String
        var second: String
    }

    var recordName: String
    var zone: String
    var object: String?
    var link: Link?
    var waits: String?
    var isRefused: Bool
    var isKnown: Bool
    var isLeftBehind: Bool

    init(_ record: InspectedRecord) {
        recordName = record.name
        zone = record.zone
        object = record.object
        link = record.link.map { Link(relationship: $0.relationship, first: $0.first, second: $0.second) }
        waits = record.waits
        isRefused = record.isRefused
        isKnown = record.isKnown
        isLeftBehind = record.isLeftBehind
    }

    static func text(_ records: [InspectedRecord]) -> String {
        guard !records.isEmpty else { return "nothing waits to be sent" }
        return TextTable.lines(
            header: ["change", "object", "record"],
            records.map { record in
                let change =
                    (record.waits ?? "") + (record.isRefused ? ", refused" : "")
                    + (record.isLeftBehind ? ", left behind" : "")
                return [change, shown(record), TerminalText.shown(record.name)]
            }
        ).joined(separator: "\n")
    }

    private static func shown(_ record: InspectedRecord) -> String {
        TerminalText.shown(record.object ?? record.link.map { "link \($0.relationship)" } ?? "")
    }
}

/// An object with its record, as it is printed.
struct MirroredObjectReport: Encodable {
    struct Server: Encodable {
        var recordType: String
        var recordChangeTag: String?
        /// As ISO 8601.
        var modified: String?
        var fields: [Field]
    }

    struct Field: Encodable {
        var name: String
        var isEncrypted: Bool
        var value: Value
    }

    struct Reference: Encodable {
        var relationship: String
        var target: String
    }

    /// Dates are ISO 8601, bytes their number.
    enum Value: Encodable {
        case text(String)
        case integer(Int64)
        case real(Double)

        init(_ value: InspectedObject.Value) {
            switch value {
            case .text(let text), .other(let text): self = .text(text)
            case .integer(let number): self = .integer(number)
            // JSON has no numbers for these.
            case .real(let number): self = number.isFinite ? .real(number) : .text("\(number)")
            case .date(let date): self = .text(DateText.text(date))
            case .bytes(let count): self = .text("\(count) bytes")
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .real(let number): try container.encode(number)
            }
        }

        var text: String {
            switch self {
            case .text(let text): text
            case .integer(let number): "\(number)"
            case .real(let number): "\(number)"
            }
        }
    }

    var record: MirroredRecordReport
    /// As ISO 8601.
    var changed: String?
    var server: Server?
    var waitingReferences: [Reference]
    var links: [MirroredRecordReport]

    init(_ object: InspectedObject) {
        record = MirroredRecordReport(object.record)
        changed = object.changed.map { DateText.text($0) }
        server = object.server.map { server in
            Server(
                recordType: server.type, recordChangeTag: server.changeTag,
                modified: server.modified.map { DateText.text($0) },
                fields: server.fields.map { Field(name: $0.name, isEncrypted: $0.isEncrypted, value: Value($0.value)) })
        }
        waitingReferences = object.references.map { Reference(relationship: $0.relationship, target: $0.target) }
        links = object.links.map(MirroredRecordReport.init)
    }

    var text: String {
        let waits = record.waits.map { "waits for its \($0 == "save" ? "save" : "deletion")" } ?? "nothing waits"
        var lines = TextTable.lines(
            [
                ["object", record.object ?? ""], ["record", record.recordName], ["zone", record.zone],
                ["export", waits + (record.isRefused ? ", which the cloud refused" : "")],
                ["changed", changed ?? "never on this device"],
            ].map { [$0[0], TerminalText.shown($0[1])] })
        lines += [""] + serverLines
        for reference in waitingReferences {
            lines.append(TerminalText.shown("\(reference.relationship) waits for record \(reference.target)"))
        }
        guard !links.isEmpty else { return lines.joined(separator: "\n") }
        lines += [""]
        lines += TextTable.lines(
            header: ["link", "record", "other record"],
            links.map { link in
                let other = link.link.map { $0.first == record.recordName ? $0.second : $0.first }
                return [link.link?.relationship ?? "", link.recordName, other ?? ""].map(TerminalText.shown)
            })
        return lines.joined(separator: "\n")
    }

    private var serverLines: [String] {
        guard let server else { return ["the cloud is not known to have the record"] }
        let tag = server.recordChangeTag.map { ", change tag \($0)" } ?? ""
        let head = "the cloud has \(server.recordType)\(tag), of \(server.modified ?? "unknown time")"
        let fields = server.fields.map { field in
            let note = field.isEncrypted ? "  (encrypted)" : ""
            return ["  " + field.name, TerminalText.shown(field.value.text) + note]
        }
        return [TerminalText.shown(head)] + TextTable.lines(fields)
    }
}
