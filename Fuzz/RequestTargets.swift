import StratusCloudModel
import StratusCloudWire

/// A decoder of requests whose result, written and decoded again, must be the same.
protocol RequestTarget: FuzzTarget {
    associatedtype Request: Equatable
    func decode(_ body: [UInt8]) throws(CloudError) -> Request
    func encode(_ request: Request) throws(CloudError) -> [UInt8]
}

extension RequestTarget {
    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let request: Request
        do { request = try decode(input) } catch { return false }
        var body: [UInt8] = []
        do {
            body = try encode(request)
            guard try decode(body) != request else { return true }
        } catch {
            throw BrokenPromise(what: "\(error) for \(String(decoding: body, as: UTF8.self))")
        }
        throw BrokenPromise(what: "reads differently as \(String(decoding: body, as: UTF8.self))")
    }
}

struct ModifyRecordsTarget: RequestTarget {
    let name = "modify-records"
    var corpus: [[UInt8]] { Corpus.modifications }

    func decode(_ body: [UInt8]) throws(CloudError) -> Decoded<ModifyRecordsRequest> {
        try RequestDecoder().modifyRecords(body)
    }

    func encode(_ request: Decoded<ModifyRecordsRequest>) throws(CloudError) -> [UInt8] {
        try RequestEncoder(options: request.options).modifyRecords(request.request)
    }
}

struct LookupRecordsTarget: RequestTarget {
    let name = "lookup-records"
    var corpus: [[UInt8]] { Corpus.lookups }

    func decode(_ body: [UInt8]) throws(CloudError) -> Decoded<LookupRecordsRequest> {
        try RequestDecoder().lookupRecords(body)
    }

    func encode(_ request: Decoded<LookupRecordsRequest>) throws(CloudError) -> [UInt8] {
        try RequestEncoder(options: request.options).lookupRecords(request.request)
    }
}

struct QueryRecordsTarget: RequestTarget {
    let name = "query-records"
    var corpus: [[UInt8]] { Corpus.queries }

    func decode(_ body: [UInt8]) throws(CloudError) -> Decoded<QueryRecordsRequest> {
        try RequestDecoder().queryRecords(body)
    }

    func encode(_ request: Decoded<QueryRecordsRequest>) throws(CloudError) -> [UInt8] {
        try RequestEncoder(options: request.options).queryRecords(request.request)
    }
}

struct ModifyZonesTarget: RequestTarget {
    let name = "modify-zones"
    var corpus: [[UInt8]] { Corpus.zoneModifications }

    func decode(_ body: [UInt8]) throws(CloudError) -> [ZoneOperation] { try RequestDecoder().modifyZones(body) }

    func encode(_ request: [ZoneOperation]) throws(CloudError) -> [UInt8] { try RequestEncoder().modifyZones(request) }
}

struct LookupZonesTarget: RequestTarget {
    let name = "lookup-zones"
    var corpus: [[UInt8]] { Corpus.zoneLookups }

    func decode(_ body: [UInt8]) throws(CloudError) -> [ZoneID] { try RequestDecoder().lookupZones(body) }

    func encode(_ request: [ZoneID]) throws(CloudError) -> [UInt8] { try RequestEncoder().lookupZones(request) }
}

struct ZoneChangesTarget: RequestTarget {
    let name = "zone-changes"
    var corpus: [[UInt8]] { Corpus.zoneChanges }

    func decode(_ body: [UInt8]) throws(CloudError) -> DecodedZoneChanges { try RequestDecoder().zoneChanges(body) }

    func encode(_ request: DecodedZoneChanges) throws(CloudError) -> [UInt8] {
        try RequestEncoder().zoneChanges(request.requests, options: request.options)
    }
}

struct ZoneChangesAnswerTarget: RequestTarget {
    let name = "zone-changes-answer"
    var corpus: [[UInt8]] { Corpus.zoneChangesAnswers }

    func decode(_ body: [UInt8]) throws(CloudError) -> [ZoneChangesResult] { try ResponseDecoder().zoneChanges(body) }

    func encode(_ results: [ZoneChangesResult]) throws(CloudError) -> [UInt8] {
        ResponseEncoder(context: WireContext(requestUUID: "U")).zoneChanges(results)
    }
}

struct RecordLineTarget: RequestTarget {
    let name = "record-line"
    var corpus: [[UInt8]] { Corpus.records }

    func decode(_ body: [UInt8]) throws(CloudError) -> Record { try RecordLine.decode(body) }

    func encode(_ record: Record) throws(CloudError) -> [UInt8] { RecordLine.encode(record) }
}

struct RecordResultsTarget: RequestTarget {
    let name = "record-results"
    var corpus: [[UInt8]] { Corpus.results }

    func decode(_ body: [UInt8]) throws(CloudError) -> [RecordResult] { try ResponseDecoder().recordResults(body) }

    func encode(_ results: [RecordResult]) throws(CloudError) -> [UInt8] {
        ResponseEncoder(context: WireContext(requestUUID: "U")).modifyRecords(results)
    }
}
