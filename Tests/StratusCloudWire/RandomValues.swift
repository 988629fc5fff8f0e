import StratusCloudModel
import StratusSeeds

/// Random values of the model.
extension SeededRandom {
    mutating func name() -> String {
        String((0...below(12)).map { _ in Array("abcdefghijklmnopqrstuvwxyzABC0123456789_-")[below(40)] })
    }

    mutating func zoneID() -> ZoneID {
        below(3) == 0 ? .default : ZoneID(zoneName: text(), ownerRecordName: maybe { "_" + $0.name() })
    }

    mutating func timestamp() -> Timestamp {
        guard below(2) == 0 else { return Timestamp(milliseconds: integer()) }
        let seconds = Double.random(in: -1e9...1e10, using: &self)
        return Timestamp(
            milliseconds: Int64(((seconds + 978_307_200) * 1_000).rounded(.down)), exactReferenceSeconds: seconds)
    }

    mutating func location() -> Location {
        Location(
            latitude: Double.random(in: -90...90, using: &self), longitude: Double.random(in: -180...180, using: &self),
            horizontalAccuracy: maybe { $0.double() }, verticalAccuracy: maybe { $0.double() },
            altitude: maybe { $0.double() }, speed: maybe { $0.double() }, course: maybe { $0.double() },
            timestamp: maybe { $0.timestamp() })
    }

    mutating func reference() -> Reference {
        Reference(
            recordName: text(), zoneID: maybe { $0.zoneID() }, action: [.none, .deleteSelf, .validate][below(3)])
    }

    mutating func asset() -> Asset {
        Asset(
            fileChecksum: text(), size: Int64(below(1 << 40)), receipt: maybe { $0.text() },
            referenceChecksum: maybe { $0.text() }, wrappingKey: maybe { $0.text() }, downloadURL: maybe { $0.text() })
    }

    mutating func scalar(_ type: ScalarType) -> ScalarValue {
        switch type {
        case .string: .string(text())
        case .int64: .int64(integer())
        case .double: .double(double())
        case .timestamp: .timestamp(timestamp())
        case .bytes: .bytes(list(upTo: 40) { UInt8(truncatingIfNeeded: $0.next()) })
        case .location: .location(location())
        case .reference: .reference(reference())
        case .asset: .asset(asset())
        }
    }

    mutating func field() -> Field {
        let type = ScalarType.allCases[below(8)]
        let isEncrypted = type.canBeEncrypted && below(4) == 0
        guard below(3) == 0 else { return Field(.scalar(scalar(type)), isEncrypted: isEncrypted) }
        return Field(.list(of: type, elements: list(upTo: 5) { $0.scalar(type) }), isEncrypted: isEncrypted)
    }

    mutating func stamp() -> RecordStamp {
        RecordStamp(timestamp: integer(), userRecordName: name(), deviceID: text())
    }

    mutating func record() -> Record {
        var fields = FieldMap()
        for _ in 0..<below(8) { fields[name()] = field() }
        return Record(
            recordName: text(), recordType: name(), zoneID: zoneID(), recordChangeTag: name(), fields: fields,
            created: stamp(), modified: stamp(), parent: maybe { $0.reference() }, share: maybe { $0.reference() },
            shortGUID: maybe { $0.text() })
    }

    /// A value as a decoder can give it, for a type that may be declared or not.
    mutating func input() -> FieldInput {
        switch below(7) {
        case 0: FieldInput(.null)
        case 1: FieldInput(.boolean(below(2) == 0))
        case 2: FieldInput(.integer(integer()), declaredType: maybe { _ in .scalar(.timestamp) })
        case 3: FieldInput(.decimal(double()), declaredType: maybe { _ in .scalar(.double) })
        case 4: FieldInput(.text(text()), isEncrypted: below(2) == 0)
        case 5:
            // From just beyond 64 bits to the largest double.
            FieldInput(
                .largeInteger(
                    Double(sign: below(2) == 0 ? .plus : .minus, exponent: 63 + below(961), significand: 1)
                        * (1 + Double(below(1_000_000)) / 1_000_000)))
        default: FieldInput(.list(list(upTo: 4) { .text($0.text()) }), declaredType: maybe { _ in .list(nil) })
        }
    }

    mutating func operation() -> RecordOperation {
        var names: Set<String> = []
        let fields = list(upTo: 6) { random in (name: random.name(), field: random.input()) }
        let clearsParent = below(4) == 0
        return RecordOperation(
            RecordOperation.Kind.allCases[below(7)],
            RecordInput(
                recordName: maybe { $0.text() }, recordType: maybe { $0.name() },
                recordChangeTag: maybe { $0.name() }, fields: fields.filter { names.insert($0.name).inserted },
                parent: clearsParent ? nil : maybe { $0.reference() }, clearsParent: clearsParent,
                createShortGUID: below(4) == 0), desiredKeys: maybe { $0.list(upTo: 3) { $0.name() } })
    }

    mutating func query() -> QueryRecordsRequest {
        let fields: [QueryField] = SystemField.allCases.map { .system($0) } + [.named("title"), .named("parent")]
        let filters = list(upTo: 4) { random in
            Filter(
                Comparator.allCases[random.below(Comparator.allCases.count)], fields[random.below(fields.count)],
                random.input(), distance: random.maybe { $0.double() })
        }
        let sorts = list(upTo: 3) { random in
            Sort(
                fields[random.below(fields.count)], ascending: random.below(2) == 0,
                relativeLocation: random.maybe { $0.location() })
        }
        return QueryRecordsRequest(
            query: Query(recordType: name(), filters: filters, sorts: sorts), zoneID: maybe { $0.zoneID() },
            zoneWide: below(2) == 0, resultsLimit: maybe { $0.below(500) }, continuationMarker: maybe { $0.name() },
            desiredKeys: maybe { $0.list(upTo: 3) { $0.name() } })
    }

    mutating func error() -> CloudError {
        CloudError(
            CloudError.Code.allCases[below(CloudError.Code.allCases.count)], text(),
            retryAfter: maybe { $0.below(1_000) }, serverRecord: maybe { $0.record() })
    }

    mutating func result() -> RecordResult {
        switch below(3) {
        case 0: .saved(record())
        case 1: .deleted(recordName: text(), zoneID: zoneID())
        default: .failed(recordName: maybe { "n" + $0.name() }, error())
        }
    }
}
