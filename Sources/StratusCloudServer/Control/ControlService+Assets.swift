import FoundationEssentials
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// The bytes of assets, for exports and imports. They go in pieces, each a request: the control socket has no streams.
extension ControlService {
    /// Bytes of an asset that one request brings or takes at most: 8 MiB.
    public static let assetPieceSize = 8 * 1_048_576

    func answerAssets(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .readAsset(let database, let fileChecksum, let offset):
            let (scope, caller) = try await access(to: database)
            let bytes = try await service.exportAsset(
                fileChecksum, from: offset, count: Self.assetPieceSize, in: scope, as: caller)
            return .bytes(Data(bytes))
        case .uploadPlaces(let database, let body):
            let (scope, caller) = try await access(to: database)
            let request = try RequestDecoder().uploadAssets(Array(body.utf8))
            let places = try await service.makeUploadPlaces(request, in: scope, as: caller) { $0 }
            return Self.body(Self.encoder(caller).uploadAssets(places))
        case .uploadAsset(let ticket, let offset, let total, let bytes):
            return try await receive([UInt8](bytes), at: offset, of: total, ticket)
        default:
            throw CloudError(.badRequest, "this is not an operation on records")
        }
    }

    /// - Returns: the asset with its receipt when all has come.
    private func receive(
        _ bytes: [UInt8], at offset: Int64, of total: Int64, _ ticket: String
    ) async throws(CloudError) -> ControlResponse {
        let count = Int64(bytes.count)
        guard offset >= 0, offset <= total, count <= total - offset else {
            throw CloudError(.badRequest, "an asset of \(total) bytes has no \(count) at byte \(offset)")
        }
        let part: AssetPart =
            count == total ? .whole(length: count) : .range(from: offset, length: count, total: total)
        let upload = try service.uploadTicket(ticket, continuing: offset > 0)
        switch try await service.receiveAsset(upload, part, sha256: nil, body: HTTPRequestBody(bytes: bytes)) {
        case .partial: return .done
        case .complete(let asset):
            return Self.body(ResponseEncoder(context: WireContext(requestUUID: "")).uploadedAsset(asset))
        }
    }

    /// The assets of a record.
    static func assets(of record: Record) -> [ControlAsset] {
        record.fields.flatMap { entry -> [ControlAsset] in
            let values: [ScalarValue] =
                switch entry.field.value {
                case .scalar(let value): [value]
                case .list(_, let elements): elements
                }
            return values.compactMap { value in
                guard case .asset(let asset) = value else { return nil }
                return ControlAsset(fileChecksum: asset.fileChecksum, size: asset.size)
            }
        }
    }
}
