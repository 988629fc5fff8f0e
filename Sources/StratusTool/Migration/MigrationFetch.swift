import Glibc
import StratusCloudModel
import StratusCloudServer
import StratusCloudService
import StratusCloudWire

/// Brings records and the bytes of their assets from the source to this disk, page by page, in the form of exports.
struct MigrationFetch {
    let source: MigrationSource
    /// The working directory.
    let directory: String
    let assets: AssetDirectory
    let progress: (String) -> Void

    /// Goes on with a unit, and says after each page how far it is.
    func run(
        _ index: Int, _ state: inout MigrationState, save: (MigrationState) throws(ToolError) -> Void
    ) async throws(ToolError) {
        let path = "\(directory)/\(state.units[index].file)"
        let sink = try PageFile(path: path, length: state.units[index].length)
        while !state.units[index].isFetched {
            let unit = state.units[index]
            let page: (records: [Record], next: String?)
            do throws(ToolError) {
                page = try await self.page(of: unit)
            } catch {
                // A marker may be too old to go on from; what is fetched twice is saved twice, and no harm. A source that
                // refuses the new one, too, will refuse all of them.
                guard unit.marker != nil, unit.hasBegunAnew != true, Self.staleCodes.contains(error.code) else {
                    throw error
                }
                try sink.cut(to: 0)
                (state.units[index].marker, state.units[index].length, state.units[index].records) = (nil, 0, 0)
                state.units[index].hasBegunAnew = true
                try save(state)
                continue
            }
            for record in page.records {
                guard let line = try await line(of: record, unit, &state) else { continue }
                try sink.append(line)
                state.units[index].records += 1
            }
            try sink.synchronize()
            state.units[index].length = sink.length
            state.units[index].marker = page.next
            state.units[index].isFetched = page.next == nil
            try save(state)
            progress("\(unit.title): \(state.units[index].records) records, \(state.assets) assets")
        }
    }

    private static let staleCodes: Set<String> = [
        CloudError.Code.badRequest.rawValue, CloudError.ExtensionCode.changeTokenExpired.rawValue,
    ]

    private func page(of unit: MigrationState.Unit) async throws(ToolError) -> ([Record], String?) {
        if let zone = unit.zone {
            let request = ZoneChangesRequest(zoneID: ZoneID(zoneName: zone), syncToken: unit.marker)
            let answer = try await source.post("\(unit.scope)/changes/zone") { () throws(CloudError) in
                try RequestEncoder().zoneChanges([request])
            }
            switch try read({ () throws(CloudError) in try ResponseDecoder().zoneChanges(answer) }).first {
            case .page(_, let page)?:
                let records = page.changes.compactMap { if case .saved(let record) = $0 { record } else { nil } }
                return (records, page.moreComing ? page.syncToken : nil)
            case .failed(_, let error)?: throw ToolError(error)
            case nil: throw .unexpectedAnswer
            }
        }
        let request = QueryRecordsRequest(
            query: Query(recordType: unit.recordType ?? ""), continuationMarker: unit.marker)
        let answer = try await source.post("\(unit.scope)/records/query") { () throws(CloudError) in
            try RequestEncoder().queryRecords(request)
        }
        let page = try read { () throws(CloudError) in try ResponseDecoder().recordPage(answer) }
        return (page.records, page.continuationMarker)
    }

    func read<Answer>(_ body: () throws(CloudError) -> Answer) throws(ToolError) -> Answer {
        do throws(CloudError) { return try body() } catch { throw ToolError(error) }
    }

    /// The line of a record, with its assets on the disk; nil for what is not carried.
    private func line(
        of record: Record, _ unit: MigrationState.Unit, _ state: inout MigrationState
    ) async throws(ToolError) -> [UInt8]? {
        let place = "\(unit.scope), zone '\(record.zoneID.zoneName)', record '\(record.recordName)'"
        switch record.recordType {
        case SystemRecordType.users: return nil
        case SystemRecordType.share:
            state.leave("share", place, "its participants are users of the source; share the record or zone again here")
            return nil
        default: break
        }
        var copy = record.withoutOwner
        copy.share = nil
        for entry in record.fields where entry.field.value.scalarType == .asset {
            switch entry.field.value {
            case .scalar(.asset(let asset)):
                if let fetched = try await fetch(asset, "\(place), field '\(entry.name)'", &state) {
                    copy.fields[entry.name]?.value = .scalar(.asset(fetched))
                } else {
                    copy.fields[entry.name] = nil
                }
            case .list(let type, let elements):
                var fetched: [ScalarValue] = []
                for case .asset(let asset) in elements {
                    if let asset = try await fetch(asset, "\(place), field '\(entry.name)'", &state) {
                        fetched.append(.asset(asset))
                    }
                }
                copy.fields[entry.name]?.value = .list(of: type, elements: fetched)
            default: break
            }
        }
        return RecordLine.encode(copy)
    }

    /// The asset as it is known here, its bytes on the disk; nil if they cannot be had.
    private func fetch(
        _ asset: Asset, _ place: String, _ state: inout MigrationState
    ) async throws(ToolError) -> Asset? {
        // The same bytes from another record, or from before an interruption, where the source names them as we do.
        if let path = assets.file(of: asset.fileChecksum), let size = Self.size(of: path), size == asset.size {
            return Asset(fileChecksum: asset.fileChecksum, size: asset.size)
        }
        guard let url = asset.downloadURL else {
            state.leave("asset", place, "the source sent no download address for it")
            return nil
        }
        do throws(ToolError) {
            let writer = try AssetFileWriter(path: "\(assets.path)/incoming")
            while writer.written < asset.size {
                let (bytes, isAll) = try await source.bytes(
                    at: url, from: writer.written, count: min(MigrationLimits.pieceSize, asset.size - writer.written))
                guard !bytes.isEmpty, !isAll || writer.written == 0 else { break }
                try writer.append(bytes)
                if isAll { break }
            }
            guard writer.written == asset.size else {
                throw ToolError("it has \(writer.written) bytes, not \(asset.size)", code: "WRONG_SIZE")
            }
            let checksum = try writer.finish(in: assets)
            state.assets += 1
            state.assetBytes += asset.size
            return Asset(fileChecksum: checksum, size: asset.size)
        } catch {
            // What is wrong with one asset for good is told; a source that is not there ends the migration for now, and so
            // does a signal.
            guard ![MigrationSource.unreachable, ToolError.interruptedCode].contains(error.code) else { throw error }
            state.leave("asset", place, error.message)
            return nil
        }
    }

    private static func size(of path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }
}

/// A file of lines that grows page by page. Blocks; used by one thread.
private final class PageFile {
    private let path: String
    private let descriptor: Int32
    private(set) var length: Int64

    /// Opens the file and cuts off what came after the last page that counts.
    init(path: String, length: Int64) throws(ToolError) {
        self.path = path
        self.length = length
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ToolError("cannot open \(path): \(DataDirectory.systemMessage())") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) >= length else {
            throw ToolError("\(path) is shorter than before; use --restart to start from the beginning")
        }
        try cut(to: length)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func cut(to length: Int64) throws(ToolError) {
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw ToolError("cannot truncate \(path): \(DataDirectory.systemMessage())")
        }
        self.length = length
    }

    func append(_ line: [UInt8]) throws(ToolError) {
        let bytes = line + [UInt8(ascii: "\n")]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                throw ToolError("cannot write \(path): \(DataDirectory.systemMessage())")
            }
        }
        length += Int64(bytes.count)
    }

    func synchronize() throws(ToolError) {
        guard fsync(descriptor) == 0 else { throw ToolError("cannot sync \(path): \(DataDirectory.systemMessage())") }
    }
}
