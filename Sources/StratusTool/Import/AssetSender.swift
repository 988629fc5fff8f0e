import FoundationEssentials
import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// Uploads the bytes of the assets that rows name, as clients do, so that the rows can be saved with the receipts.
struct AssetSender: Sendable {
    let operation: any Operator
    let database: ControlDatabase
    let directory: AssetDirectory

    /// A row that can be saved, and the file that it has no bytes of: whoever has them already needs none.
    struct Sent {
        var content: ImportRow.Content
        var uploads = 0
        var uploadedBytes: Int64 = 0
        var missingFile: String?
    }

    /// One asset of one field.
    private struct Place: Hashable {
        let fieldName: String
        let asset: Asset
    }

    /// Uploads what a row names.
    /// - Returns: why the row cannot be saved, if it cannot.
    /// - Throws: ``ToolError`` when the import cannot go on.
    func send(_ content: ImportRow.Content) async throws(ToolError) -> Result<Sent, RowError> {
        var sent = Sent(content: content)
        var wanted: [Place] = []
        for (name, field) in content.input.fields {
            for asset in field.value.assetsWithoutReceipt {
                let place = Place(fieldName: name, asset: asset)
                if directory.contains(asset) {
                    if !wanted.contains(place) { wanted.append(place) }
                } else {
                    sent.missingFile = sent.missingFile ?? directory.file(of: asset.fileChecksum)
                }
            }
        }
        var uploaded: [Place: Asset] = [:]
        var rest = wanted[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(ModelLimits.assetsPerRequest))
            rest = rest.dropFirst(some.count)
            switch try await upload(some, for: content) {
            case .failure(let error): return .failure(error)
            case .success(let assets): uploaded.merge(zip(some, assets)) { $1 }
            }
        }
        for index in sent.content.input.fields.indices {
            let name = sent.content.input.fields[index].name
            sent.content.input.fields[index].field.value.replaceAssets { asset in
                uploaded[Place(fieldName: name, asset: asset)] ?? asset
            }
        }
        sent.uploads = uploaded.count
        sent.uploadedBytes = uploaded.keys.reduce(0) { $0 + $1.asset.size }
        return .success(sent)
    }

    /// Uploads at most ``ModelLimits/assetsPerRequest`` assets of a row.
    private func upload(
        _ places: [Place], for content: ImportRow.Content
    ) async throws(ToolError) -> Result<[Asset], RowError> {
        let items = places.map { place in
            UploadAssetsRequest.Item(
                recordName: content.name, recordType: content.input.recordType, fieldName: place.fieldName)
        }
        let request = UploadAssetsRequest(items: items, zoneID: ZoneID(zoneName: content.zone))
        do {
            let body = String(decoding: try RequestEncoder().uploadAssets(request), as: UTF8.self)
            let answer = try await answer(to: .uploadPlaces(database: database, body: body))
            guard case .body(let text) = answer else { throw ToolError.unexpectedAnswer }
            let results = try ResponseDecoder().uploadPlaces(Array(text.utf8))
            guard results.count == places.count else { throw ToolError.unexpectedAnswer }
            var assets: [Asset] = []
            for (place, result) in zip(places, results) {
                switch result {
                case .failed(_, _, let error): throw error
                case .place(_, _, let ticket): assets.append(try await upload(place.asset, to: ticket))
                }
            }
            return .success(assets)
        } catch let error as RowError {
            return .failure(error)
        } catch let error as CloudError where !error.stopsImports {
            return .failure(RowError(error.reason))
        } catch {
            throw error as? ToolError ?? (error as? CloudError).map { ToolError($0) } ?? ToolError("\(error)")
        }
    }

    private func upload(_ asset: Asset, to ticket: String) async throws -> Asset {
        let file = try directory.verifiedFile(of: asset)
        var offset: Int64 = 0
        while true {
            let bytes = try file.next(ControlService.assetPieceSize)
            let answer = try await answer(
                to: .uploadAsset(ticket: ticket, offset: offset, total: asset.size, bytes: Data(bytes)))
            offset += Int64(bytes.count)
            switch answer {
            case .body(let text):
                let uploaded = try ResponseDecoder().uploadedAsset(Array(text.utf8))
                guard uploaded.fileChecksum == asset.fileChecksum else {
                    throw RowError("the asset file \(file.path) changed while it was read")
                }
                return uploaded
            case .done where !bytes.isEmpty: continue
            default: throw ToolError.unexpectedAnswer
            }
        }
    }

    private func answer(to request: ControlRequest) async throws -> ControlResponse {
        let response = try await operation.patientAnswer(to: request)
        if case .failed(let failure) = response { throw failure.error }
        return response
    }
}

extension CloudError {
    /// Whether it says something of the cloud rather than of what was asked.
    fileprivate var stopsImports: Bool { [.internalError, .tryAgainLater, .throttled].contains(code) }
}

extension InputValue {
    /// The assets that no upload proves.
    var assetsWithoutReceipt: [Asset] {
        switch self {
        case .scalar(.asset(let asset)): asset.receipt == nil ? [asset] : []
        case .list(let elements): elements.flatMap(\.assetsWithoutReceipt)
        default: []
        }
    }

    fileprivate mutating func replaceAssets(_ replacement: (Asset) -> Asset) {
        switch self {
        case .scalar(.asset(let asset)): self = .scalar(.asset(replacement(asset)))
        case .list(var elements):
            for index in elements.indices { elements[index].replaceAssets(replacement) }
            self = .list(elements)
        default: break
        }
    }
}

extension RecordInput {
    /// Whether any field has assets.
    var hasAssets: Bool { fields.contains { !$0.field.value.assetsWithoutReceipt.isEmpty } }
}
