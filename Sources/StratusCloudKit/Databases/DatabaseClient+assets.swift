import Foundation
import StratusCloudModel

/// What became of the assets of some records.
struct AssetUploads: Sendable {
    /// What the assets became, by the objects.
    var assets: [ObjectIdentifier: Asset] = [:]
    /// Records that cannot be saved, because one of their files cannot be sent.
    var failures: [CKRecord.ID: any Error] = [:]
}

extension DatabaseClient {
    /// Sends the bytes of new assets.
    func upload(_ saves: [PendingSave], _ names: IdentityNames, _ events: RecordEvents) async -> AssetUploads {
        var uploads = AssetUploads()
        var items: [AssetUpload] = []
        for save in saves {
            for (key, asset) in save.newAssets {
                do {
                    items.append(try await AssetUpload(asset, key, of: save.record))
                } catch {
                    uploads.failures[save.recordID] = error
                }
            }
        }
        items.removeAll { uploads.failures[$0.recordID] != nil }
        guard !items.isEmpty else { return uploads }
        let progress = TransferProgress(items, events)
        for start in stride(from: 0, to: items.count, by: CloudLimits.assetsPerRequest) {
            let part = Array(items[start..<min(start + CloudLimits.assetsPerRequest, items.count)])
            let results = await upload(part, names, progress)
            for (item, result) in zip(part, results) {
                switch result {
                case .success(let asset): uploads.assets[ObjectIdentifier(item.asset)] = asset
                case .failure(let error): uploads.failures[item.recordID] = error
                }
            }
        }
        return uploads
    }

    private func upload(
        _ items: [AssetUpload], _ names: IdentityNames, _ progress: TransferProgress
    ) async -> [Result<Asset, any Error>] {
        let places: [UploadAssetsResult]
        do {
            let request = UploadAssetsRequest(
                items: items.map {
                    UploadAssetsRequest.Item(
                        recordName: $0.recordID.recordName, recordType: $0.recordType, fieldName: $0.key)
                }, zoneID: items.first.map { names.zoneID($0.recordID.zoneID) })
            places = try await send(.uploadAssets(request)) { answer throws(CloudTransportError) in
                try answer.uploadPlaces()
            }
            guard places.count == items.count else {
                throw NSError.cloudKit(.internalError, "The answer has another number of places than assets.")
            }
        } catch {
            return items.map { _ in .failure(error) }
        }
        return await Self.inParallel(Array(zip(items, places))) { item, place in
            switch place {
            case .failed(_, _, let error): throw NSError.cloudKit(error)
            case .place(_, _, let url):
                return try await send(item, to: url) { count in
                    progress.report(item.recordID, item.file.path, count)
                }
            }
        }
    }

    /// Brings the bytes of the assets of some records into files.
    /// - Returns: the records, in order, with their assets' files; or why not.
    func download(
        _ records: [Record], _ names: IdentityNames, _ events: RecordEvents = RecordEvents()
    ) async -> [Result<CKRecord, any Error>] {
        await download(records, RecordDecoding(names: names, opener: opener(for: records, names)), events)
    }

    func download(
        _ records: [Record], _ decoding: RecordDecoding, _ events: RecordEvents = RecordEvents()
    ) async -> [Result<CKRecord, any Error>] {
        guard !leavesAssets, records.contains(where: \.hasAssets) else {
            return records.map { record in
                Result {
                    let whole = try decoding.record(record)
                    events.progress(whole.recordID, 1)
                    return whole
                }
            }
        }
        return await Self.inParallel(records) { record in
            var decoding = decoding
            let recordID = decoding.recordID(of: record)
            let assets = record.assets
            let total = Double(max(1, assets.reduce(0) { $0 + $1.size }))
            var before: Int64 = 0
            for asset in assets {
                let start = before
                decoding.files[asset] = try await download(asset) { count in
                    events.progress(recordID, Double(start + count) / total)
                }
                before += asset.size
            }
            let whole = try decoding.record(record)
            // Where there were bytes, the last of them was told.
            if before == 0 { events.progress(recordID, 1) }
            return whole
        }
    }

    private func download(_ asset: Asset, progress: @escaping @Sendable (Int64) -> Void) async throws -> URL {
        guard let address = asset.downloadURL else {
            throw NSError.cloudKit(.internalError, "The answer has an asset without an address.")
        }
        let url = try await LocalFile.waiting { try AssetStaging.newFile() }
        let file = LocalFile(path: url.path)
        do throws(CloudTransportError) {
            try await connection.transport.download(from: address, size: asset.size, to: file, progress: progress)
        } catch {
            // A file that is not whole serves nobody; if it cannot be removed, the next process does it.
            try? await LocalFile.waiting { try FileManager.default.removeItem(at: url) }
            throw failure(error, isMutating: false)
        }
        return url
    }

    /// Runs `body` for all items, a few at a time.
    private static func inParallel<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Value
    ) async -> [Result<Value, any Error>] {
        await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var results: [Int: Result<Value, any Error>] = [:]
            for (index, item) in items.enumerated() {
                if index >= CloudLimits.parallelTransfers, let (done, result) = await group.next() {
                    results[done] = result
                }
                group.addTask {
                    do { return (index, .success(try await body(item))) } catch { return (index, .failure(error)) }
                }
            }
            for await (done, result) in group { results[done] = result }
            return items.indices.map { results[$0] ?? .failure(NSError.operationCancelled) }
        }
    }
}

/// A file on its way to a field.
struct AssetUpload: Sendable {
    let recordID: CKRecord.ID
    let recordType: String
    let key: String
    let asset: CKAsset
    let file: LocalFile
    /// Bytes of the file.
    let size: Int64

    /// - Throws: why it cannot be sent.
    init(_ asset: CKAsset, _ key: String, of record: CKRecord) async throws {
        guard let url = asset.fileURL else {
            throw NSError.cloudKit(.assetFileNotFound, "The asset in the field '\(key)' has no file.")
        }
        recordID = record.recordID
        recordType = record.recordType
        self.key = key
        self.asset = asset
        do throws(LocalFile.Failure) {
            if let kept = asset.keptURL, let copy = try? await LocalFile(path: kept.path).pinned() {
                file = copy
            } else {
                file = try await LocalFile(path: url.path).pinned()
            }
            size = try await file.size()
        } catch {
            throw NSError.cloudKit(error)
        }
    }
}

extension Record {
    /// The assets of all fields.
    fileprivate var assets: [Asset] {
        fields.flatMap { entry -> [Asset] in
            switch entry.field.value {
            case .scalar(.asset(let asset)): [asset]
            case .list(of: .asset, let elements):
                elements.compactMap { if case .asset(let asset) = $0 { asset } else { nil } }
            default: []
            }
        }
    }

    fileprivate var hasAssets: Bool { fields.contains { $0.field.value.scalarType == .asset } }
}
