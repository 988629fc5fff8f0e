import Dispatch
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusCloudWire
import StratusWorkers

/// A small cloud that fuzz targets ask: a hundred records with a field of every type.
final class FuzzCloud: Sendable {
    static let shared = FuzzCloud()

    let caller: Caller?
    private let service: CloudService

    private init() {
        service = CloudService(store: MemoryStore(), secret: Array(repeating: 1, count: 32))
        caller = ContainerIdentifier("iCloud.fuzz").map {
            Caller(
                context: CloudContext(container: $0, environment: .development),
                principal: .user("_" + String(repeating: "f", count: 32)))
        }
        guard let caller else { return }
        let operations = (0..<100).map { number in
            RecordOperation(
                .create, RecordInput(recordName: "r\(number)", recordType: "T", fields: Self.fields(number)))
        }
        let service = service
        _ = wait {
            try await service.modifyRecords(ModifyRecordsRequest(operations: operations), in: .private, as: caller)
        }
    }

    func query(_ request: QueryRecordsRequest) -> Result<QueryRecordsPage, CloudError>? {
        guard let caller else { return nil }
        let service = service
        return wait { try await service.queryRecords(request, in: .private, as: caller) }
    }

    func changes(since token: String?) -> Result<ZoneChangesPage, CloudError>? {
        guard let caller else { return nil }
        let service = service
        return wait {
            let zone = ZoneID(zoneName: "Z")
            _ = try await service.modifyZones([ZoneOperation(.create, zone)], in: .private, as: caller)
            let request = ZoneChangesRequest(zoneID: zone, syncToken: token)
            return try await service.recordChanges(request, in: .private, as: caller)
        }
    }

    /// Addresses to send bytes to, for a named record and for one without a name.
    var uploadTickets: [String] {
        guard let caller else { return [] }
        let service = service
        let items = ["r1", nil].map { UploadAssetsRequest.Item(recordName: $0, recordType: "T", fieldName: "file") }
        let results = wait {
            try await service.makeUploadPlaces(
                UploadAssetsRequest(items: items), in: .private, as: caller, addressing: { $0 })
        }
        guard case .success(let places)? = results else { return [] }
        return places.compactMap { if case .place(_, _, let ticket) = $0 { ticket } else { nil } }
    }

    func isUploadTicket(_ text: String) -> Bool { (try? service.uploadTicket(text, continuing: true)) != nil }

    func canFetch(_ text: String) -> Bool {
        let service = service
        guard case .success? = wait({ try await service.downloadAsset(text) }) else { return false }
        return true
    }

    private static func fields(_ number: Int) -> [(name: String, field: FieldInput)] {
        let place = Location(latitude: Double(number) - 50, longitude: Double(number) * 3 - 150)
        return [
            ("s", FieldInput(.text("word\(number % 7) more"))), ("i", FieldInput(.integer(Int64(number)))),
            ("d", FieldInput(.decimal(Double(number) / 3))), ("l", FieldInput(.scalar(.location(place)))),
            ("t", FieldInput(.scalar(.timestamp(Timestamp(milliseconds: Int64(number) * 1_000))))),
            ("sl", FieldInput(.list([.text("a"), .text("b\(number % 3)")]))),
        ]
    }

    /// The fuzzer's thread is its own and may wait.
    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Result<Value, CloudError>? {
        let outcome = Lock<Result<Value, CloudError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                let value = try await body()
                outcome.withLock { $0 = .success(value) }
            } catch let error as CloudError {
                outcome.withLock { $0 = .failure(error) }
            } catch {}
            done.signal()
        }
        done.wait()
        return outcome.withLock { $0 }
    }
}

/// Queries as they come from the wire, answered: refused, or pages that are what was asked, and whose marker leads on
/// with nothing twice.
struct QueryTarget: FuzzTarget {
    let name = "query"

    var corpus: [[UInt8]] {
        let filters = [
            #"{"comparator":"GREATER_THAN","fieldName":"i","fieldValue":{"value":50}}"#,
            #"{"comparator":"BEGINS_WITH","fieldName":"s","fieldValue":{"value":"word3"}}"#,
            #"{"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"word1 word2"}}"#,
            #"{"comparator":"NEAR","fieldName":"l","distance":5e6,"fieldValue":{"value":{"latitude":1,"longitude":2}}}"#,
            #"{"comparator":"LIST_CONTAINS","fieldName":"sl","fieldValue":{"value":"b1"}}"#,
            #"{"comparator":"NOT_IN","fieldName":"d","fieldValue":{"value":[1,2.5],"type":"DOUBLE_LIST"}}"#,
        ]
        let sorts = [
            #"{"fieldName":"i","ascending":false}"#, #"{"systemFieldName":"modifiedTimestamp"}"#,
            #"{"fieldName":"l","relativeLocation":{"latitude":1,"longitude":2}}"#,
        ]
        return filters.enumerated().map { index, filter in
            let sort = sorts[index % sorts.count]
            let query = #"{"recordType":"T","filterBy":[\#(filter)],"sortBy":[\#(sort)]}"#
            return Array(#"{"query":\#(query),"resultsLimit":7}"#.utf8)
        }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard var request = try? RequestDecoder().queryRecords(input).request else { return false }
        guard case .success(let first)? = FuzzCloud.shared.query(request) else { return false }
        guard first.records.count <= request.resultsLimit ?? ModelLimits.recordsPerResponse else {
            throw BrokenPromise(what: "a page of \(first.records.count) records")
        }
        guard let marker = first.continuationMarker else { return true }
        request.continuationMarker = marker
        guard case .success(let second)? = FuzzCloud.shared.query(request) else {
            throw BrokenPromise(what: "its own marker is refused")
        }
        guard Set(first.records.map(\.recordName)).isDisjoint(with: second.records.map(\.recordName)) else {
            throw BrokenPromise(what: "a record stands in two pages")
        }
        return true
    }
}

/// Markers that the service did not make are refused.
struct ContinuationMarkerTarget: FuzzTarget {
    let name = "continuation-marker"

    private var request: QueryRecordsRequest {
        QueryRecordsRequest(query: Query(recordType: "T", sorts: [Sort(.named("i"))]), resultsLimit: 3)
    }

    var corpus: [[UInt8]] {
        guard case .success(let page)? = FuzzCloud.shared.query(request), let marker = page.continuationMarker else {
            return []
        }
        return [Array(marker.utf8)]
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        var request = request
        let marker = String(decoding: input, as: UTF8.self)
        request.continuationMarker = marker
        switch FuzzCloud.shared.query(request) {
        case .success?:
            // Base64 has several spellings of one marker.
            guard let bytes = Base64.decode(marker), corpus.contains(where: { Base64.decode($0) == bytes }) else {
                throw BrokenPromise(what: "a foreign marker is taken: \(marker)")
            }
            return true
        case .failure(let error)?:
            guard error.code == .badRequest else { throw BrokenPromise(what: "\(error)") }
            return false
        case nil: throw BrokenPromise(what: "no answer")
        }
    }
}

/// Tokens that the service did not make are refused.
struct SyncTokenTarget: FuzzTarget {
    let name = "sync-token"

    var corpus: [[UInt8]] {
        guard case .success(let page)? = FuzzCloud.shared.changes(since: nil) else { return [] }
        return [Array(page.syncToken.utf8)]
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let token = String(decoding: input, as: UTF8.self)
        switch FuzzCloud.shared.changes(since: token) {
        case .success?:
            // Base64 has several spellings of one token.
            guard let bytes = Base64.decode(token), corpus.contains(where: { Base64.decode($0) == bytes }) else {
                throw BrokenPromise(what: "a foreign token is taken: \(token)")
            }
            return true
        case .failure(let error)?:
            guard error.code == .badRequest, error.extensionCode == .changeTokenExpired else {
                throw BrokenPromise(what: "\(error)")
            }
            return false
        case nil: throw BrokenPromise(what: "no answer")
        }
    }
}

/// What stands inside markers, read without their seal.
struct QueryPositionTarget: FuzzTarget {
    let name = "query-position"

    var corpus: [[UInt8]] { QueryPositionFormat.samples }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let again = QueryPositionFormat.rewritten(input) else { return false }
        guard again == input else { throw BrokenPromise(what: "another way to write the same position") }
        return true
    }
}
