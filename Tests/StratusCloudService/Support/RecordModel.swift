import StratusCloudModel

/// What a database should do with records, written down as plainly as possible: the oracle of random histories.
struct RecordModel {
    struct Name: Hashable {
        var zone: String?
        var name: String
    }

    struct Entry {
        var fields: FieldMap
        var tag: String
    }

    enum Outcome: Equatable {
        case saved(FieldMap), deleted, failed(CloudError.Code)

        init(_ result: RecordResult) {
            switch result {
            case .saved(let record): self = .saved(record.fields)
            case .deleted: self = .deleted
            case .failed(_, let error): self = .failed(error.code)
            }
        }
    }

    private(set) var records: [Name: Entry] = [:]

    func randomOperation(
        named name: String, in zone: String?, using random: inout RandomValues
    ) -> RecordOperation {
        let kind = RecordOperation.Kind.allCases.randomElement(using: &random) ?? .create
        let current = records[Name(zone: zone, name: name)]?.tag
        let tag = Int.random(in: 0..<4, using: &random) == 0 ? "stale" : current ?? "none"
        var fields: [(name: String, field: FieldInput)] = []
        for field in ["x", "y", "z"] where Bool.random(using: &random) {
            let value: InputValue =
                Bool.random(using: &random) ? .integer(Int64.random(in: 0...9, using: &random)) : .null
            fields.append((field, FieldInput(value)))
        }
        return RecordOperation(
            kind, RecordInput(recordName: name, recordType: "Note", recordChangeTag: tag, fields: fields))
    }

    /// Applies a batch and says what must come of it. Tags of what is saved are learned afterwards.
    mutating func apply(_ operations: [RecordOperation], in zone: String?, atomic: Bool) -> [Outcome] {
        let before = records
        let outcomes = operations.map { apply($0, in: zone) }
        let fails = outcomes.contains { if case .failed = $0 { true } else { false } }
        guard atomic, fails else { return outcomes }
        records = before
        return outcomes.map { if case .failed = $0 { $0 } else { .failed(.atomicError) } }
    }

    private mutating func apply(_ operation: RecordOperation, in zone: String?) -> Outcome {
        let name = Name(zone: zone, name: operation.record.recordName ?? "")
        let known = records[name]
        let isStale = operation.record.recordChangeTag != known?.tag
        switch (operation.kind, known) {
        case (.create, .some): return .failed(.exists)
        case (.update, nil), (.replace, nil), (.delete, nil): return .failed(.notFound)
        case (.update, .some) where isStale, (.replace, .some) where isStale, (.delete, .some) where isStale:
            return .failed(.conflict)
        case (.forceDelete, _), (.delete, _):
            records[name] = nil
            return .deleted
        default:
            let keeps = operation.kind == .update || operation.kind == .forceUpdate
            var fields = keeps ? known?.fields ?? FieldMap() : FieldMap()
            for (field, input) in operation.record.fields {
                if case .integer(let value) = input.value {
                    fields[field] = Field(.scalar(.int64(value)))
                } else {
                    fields[field] = nil
                }
            }
            records[name] = Entry(fields: fields, tag: "")
            return .saved(fields)
        }
    }

    mutating func learn(_ results: [RecordResult], in zone: String?) {
        for case .saved(let record) in results {
            records[Name(zone: zone, name: record.recordName)]?.tag = record.recordChangeTag
        }
    }
}
