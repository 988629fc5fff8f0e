import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// A cloud whose files lie in memory, and the steps of a client with assets.
struct AssetCloud: Sendable {
    let cloud: TestCloud
    let assets: MemoryAssets

    init(
        _ engine: Engine = .memory, environment: CloudEnvironment = .development, limits: AssetLimits = AssetLimits(),
        quotas: Quotas = Quotas()
    ) async throws {
        assets = MemoryAssets()
        cloud = try await TestCloud(
            store: try engine.make(), environment: environment,
            configuration: ServiceConfiguration(quotas: quotas), assets: assets, assetLimits: limits)
    }

    var service: CloudService { cloud.service }

    /// The ticket of an upload place.
    func place(
        _ record: String?, type: String? = "Photo", field: String = "image", zone: String? = nil,
        in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> (recordName: String, ticket: String) {
        let item = UploadAssetsRequest.Item(recordName: record, recordType: type, fieldName: field)
        let results = try await service.makeUploadPlaces(
            UploadAssetsRequest(items: [item], zoneID: zone.map { ZoneID(zoneName: $0) }), in: scope,
            as: caller ?? cloud.user(), addressing: { $0 })
        switch results.first {
        case .place(let name, _, let ticket)?: return (name, ticket)
        case .failed(_, _, let error)?: throw error
        case nil: throw Unexpected(description: "no place")
        }
    }

    func send(
        _ bytes: [UInt8], to ticket: String, _ part: AssetPart? = nil, sha256: [UInt8]? = nil
    ) async throws -> AssetUploadState {
        let part = part ?? .whole(length: Int64(bytes.count))
        let ticket = try service.uploadTicket(ticket, continuing: part.offset > 0)
        return try await service.receiveAsset(ticket, part, sha256: sha256, body: Pieces(bytes))
    }

    /// The asset of a whole upload.
    func upload(
        _ bytes: [UInt8], for record: String?, type: String? = "Photo", field: String = "image", zone: String? = nil,
        in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> Asset {
        let (_, ticket) = try await place(
            record, type: type, field: field, zone: zone, in: scope, as: caller)
        return try (try await send(bytes, to: ticket)).asset
    }

    func save(
        _ kind: RecordOperation.Kind, _ name: String?, type: String = "Photo", tag: String? = nil,
        _ fields: [String: InputValue], zone: String? = nil, in scope: DatabaseScope = .private,
        as caller: Caller? = nil
    ) async throws -> RecordResult {
        let fields = fields.sorted { $0.key < $1.key }.map { (name: $0.key, field: FieldInput($0.value)) }
        let input = RecordInput(recordName: name, recordType: type, recordChangeTag: tag, fields: fields)
        let results = try await cloud.modify([RecordOperation(kind, input)], zone: zone, in: scope, as: caller)
        return try #require(results.first)
    }

    /// Saves bytes in the field `image`.
    @discardableResult
    func store(_ bytes: [UInt8], in record: String, zone: String? = nil) async throws -> Record {
        let asset = try await upload(bytes, for: record, zone: zone)
        let result = try await save(.forceReplace, record, ["image": .scalar(.asset(asset))], zone: zone)
        return try #require(result.saved, "\(result)")
    }

    /// The address of the bytes of a field, as an answer would show it.
    func address(
        of record: Record, field: String = "image", in scope: DatabaseScope = .private, for caller: Caller? = nil
    ) throws -> String {
        let asset = try #require(record.fields[field]?.value.assets.first)
        let shown = service.answered(
            asset, of: field, in: record, scope, to: caller ?? cloud.user(), addressing: { $0 })
        return try #require(shown.downloadURL)
    }

    func fetch(_ address: String) async throws -> [UInt8] {
        let download = try await service.downloadAsset(address)
        return try download.content.read(at: 0, count: Int(download.content.size))
    }

    func advance(milliseconds: Int64) { cloud.clock.withLock { $0 += milliseconds } }
}

extension AssetUploadState {
    var asset: Asset {
        get throws {
            guard case .complete(let asset) = self else { throw Unexpected(description: "\(self)") }
            return asset
        }
    }
}

/// A body that comes in pieces, and may break off.
struct Pieces: AsyncSequence, Sendable {
    struct BrokenOff: Error {}

    private let bytes: [UInt8]
    private let end: Int
    private let size: Int

    init(_ bytes: [UInt8], breakingOffAt end: Int? = nil, size: Int = 7) {
        self.bytes = bytes
        self.end = end ?? .max
        self.size = size
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes, end: end, size: size) }

    struct Iterator: AsyncIteratorProtocol {
        let bytes: [UInt8]
        let end: Int
        let size: Int
        var position = 0

        mutating func next() async throws -> [UInt8]? {
            if position >= end { throw BrokenOff() }
            guard position < bytes.count else { return nil }
            let next = Swift.min(position + size, bytes.count, end)
            defer { position = next }
            return Array(bytes[position..<next])
        }
    }
}

/// A body of which nothing more comes after the first bytes, and that does not end.
struct StandingPieces: AsyncSequence, Sendable {
    /// Ends when the bytes have come.
    let isStanding: AsyncStream<Never>
    private let bytes: [UInt8]
    private let standing: AsyncStream<Never>.Continuation

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        (isStanding, standing) = AsyncStream.makeStream()
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes, standing: standing) }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: [UInt8]?
        let standing: AsyncStream<Never>.Continuation

        mutating func next() async throws -> [UInt8]? {
            if let bytes {
                self.bytes = nil
                return bytes
            }
            standing.finish()
            let (never, end) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            withExtendedLifetime(end) {}
            throw CancellationError()
        }
    }
}

/// The refusal that a step must end with.
func refusal(_ body: () async throws -> some Any) async -> CloudError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? CloudError
    }
}
