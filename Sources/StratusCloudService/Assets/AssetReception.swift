import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel

/// The bytes of one request on their way to a file.
struct AssetReception: Sendable {
    private let service: CloudService
    private let ticket: AssetUploadTicket
    private let file: AssetFileID
    private let writer: any AssetWriter
    private let part: AssetPart
    private var hash = SHA256()
    private var durable: Int64
    /// Bytes of the asset that have come.
    private(set) var end: Int64

    init(
        service: CloudService, ticket: AssetUploadTicket, file: AssetFileID, writer: any AssetWriter, part: AssetPart
    ) {
        self.service = service
        self.ticket = ticket
        self.file = file
        self.writer = writer
        self.part = part
        durable = part.offset
        end = part.offset
    }

    /// Writes the whole body.
    /// - Throws: if it breaks off; what came is kept. If it is malformed, nothing is.
    mutating func receive<Body: AsyncSequence & Sendable>(_ body: Body) async throws(CloudError)
    where Body.Element == [UInt8] {
        do {
            for try await piece in body {
                let limit = part.length.map { part.offset + $0 } ?? service.assetLimits.assetSize
                guard end + Int64(piece.count) <= limit else {
                    throw CloudError(.badRequest, "the asset has more than \(limit) bytes")
                }
                try await take(piece)
                end += Int64(piece.count)
                if end - durable >= service.assetLimits.checkpointInterval { try await pause() }
            }
        } catch {
            if let error = error as? CloudError, error.code == .badRequest {
                // What came may be anything but the asset.
                try await advance(to: part.offset)
                throw error
            }
            try await keepWhatCame()
            if error is AssetStoreError || error is CloudError { throw service.cloudError(from: error) }
            throw CloudError(.tryAgainLater, "the upload was interrupted at byte \(end); continue there")
        }
        if let length = part.length, end != part.offset + length {
            try await keepWhatCame()
            throw CloudError(.badRequest, "\(end - part.offset) bytes were received instead of \(length)")
        }
    }

    /// Writes a piece, and hashes it meanwhile on another thread.
    private mutating func take(_ piece: [UInt8]) async throws {
        guard part.offset == 0, part.isLast else { return try await writer.append(piece) }
        let soFar = hash
        async let hashed = Self.hash(piece, after: soFar)
        try await writer.append(piece)
        hash = await hashed
    }

    private static func hash(_ piece: [UInt8], after soFar: SHA256) -> SHA256 {
        var hash = soFar
        hash.update(piece)
        return hash
    }

    /// Makes durable what has come, so that the upload can go on from here.
    @discardableResult
    mutating func pause() async throws(CloudError) -> Int64 {
        let writer = writer
        try await service.mapping { try await writer.synchronize() }
        try await advance(to: end)
        durable = end
        return end
    }

    /// All bytes have come: makes them durable and checks them.
    /// - Returns: The upload, which a transaction has still to finish.
    mutating func complete(expecting expected: [UInt8]?) async throws(CloudError) -> ReceivedUpload {
        let writer = writer
        let stamp = try await service.mapping { try await writer.synchronize() }
        let digest = part.offset == 0 ? hash.digest() : try await digestOfFile()
        if let expected, expected != digest {
            try await advance(to: 0)
            throw CloudError(
                .badRequest, "the SHA-256 of the received bytes is not that of the request; they were discarded")
        }
        let journal = UploadJournal(ticket: ticket, now: service.environment.now(), limits: service.assetLimits)
        return ReceivedUpload(journal: journal, sha256: digest, size: end, file: file, stamp: stamp)
    }

    /// For an upload that breaks off; its own failures change nothing but where it can go on.
    private mutating func keepWhatCame() async throws(CloudError) {
        guard end > durable else { return }
        do {
            try await pause()
        } catch {
            service.environment.report(error)
        }
    }

    private func advance(to offset: Int64) async throws(CloudError) {
        let journal = UploadJournal(ticket: ticket, now: service.environment.now(), limits: service.assetLimits)
        let file = file
        try await service.writing(ticket.partition) { try journal.advance(to: offset, in: file, $0) }
    }

    private func digestOfFile() async throws(CloudError) -> [UInt8] {
        let (assets, file, owner, end) = (service.assets, file, AssetOwner(ticket.partition), end)
        return try await service.mapping {
            let content = try await assets.content(of: file, of: owner)
            var hash = SHA256()
            var offset: Int64 = 0
            while offset < end {
                let piece = try content.read(at: offset, count: AssetLimits.checkedPiece)
                guard !piece.isEmpty else { throw AssetStoreError(.missing, "an upload ends at byte \(offset)") }
                hash.update(piece)
                offset += Int64(piece.count)
            }
            return hash.digest()
        }
    }
}
