import Glibc
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport
import StratusWorkers

/// Takes and gives the bytes of assets. No credentials come with them: the addresses prove themselves.
struct AssetHandler: Sendable {
    private let service: CloudService
    /// Threads for bytes on their way to the disk, which may keep them waiting long.
    private let pool: WorkerPool

    init(service: CloudService, pool: WorkerPool) {
        self.service = service
        self.pool = pool
    }

    // MARK: - Before the body

    /// Whether the body of an upload is wanted, and how large it may be. Decided by the address and the head alone.
    /// - Throws: why the body is not wanted.
    func bodyLimit(for head: HTTPRequestHead, ticket text: String) throws(CloudError) -> Int64 {
        let upload = try upload(head, text)
        let length = Self.contentLength(head)
        guard case .form = upload.envelope else {
            try service.checkSize(of: upload.part, for: upload.ticket)
            return length ?? upload.part.length ?? service.assetLimits.assetSize
        }
        // What the form takes around the file is not the asset's.
        let least = length.map { max(0, $0 - ServerLimits.formEnvelopeSize) }
        try service.checkSize(of: .whole(length: least), for: upload.ticket)
        return length ?? service.assetLimits.assetSize + ServerLimits.formEnvelopeSize
    }

    /// What the head of a request that brings bytes says.
    private struct Upload {
        let ticket: AssetUploadTicket
        let part: AssetPart
        let envelope: UploadEnvelope
    }

    private func upload(_ head: HTTPRequestHead, _ text: String) throws(CloudError) -> Upload {
        let envelope = try UploadEnvelope(head.headers)
        let part = try part(head, envelope)
        let ticket = try service.uploadTicket(text, continuing: part.offset > 0)
        return Upload(ticket: ticket, part: part, envelope: envelope)
    }

    private static func contentLength(_ head: HTTPRequestHead) -> Int64? {
        head.headers["Content-Length"].flatMap { Int64($0) }
    }

    private func part(_ head: HTTPRequestHead, _ envelope: UploadEnvelope) throws(CloudError) -> AssetPart {
        let length = Self.contentLength(head)
        guard let header = head.headers["Content-Range"] else {
            return envelope == .none ? .whole(length: length) : .whole(upTo: length)
        }
        guard envelope == .none else {
            throw CloudError(
                .badRequest, "a part of an asset (Content-Range) must be sent as plain bytes, not in a form")
        }
        guard let range = ContentRange(header) else {
            throw CloudError(.badRequest, "the header Content-Range must have the format 'bytes FIRST-LAST/TOTAL'")
        }
        guard length == nil || length == range.length else {
            throw CloudError(.badRequest, "Content-Range has \(range.length) bytes, but the body has another length")
        }
        return .range(from: range.first, length: range.length, total: range.total)
    }

    // MARK: - Uploads

    /// Answers POST and PUT with bytes, and GET and HEAD that ask how far an upload is.
    func respondToUpload(
        _ request: HTTPRequest, ticket text: String, requestUUID: String
    ) async throws(CloudError) -> HTTPResponse {
        let head = request.head
        let state: AssetUploadState
        if head.method == "GET" || head.method == "HEAD" {
            state = try await service.uploadState(try service.uploadTicket(text, continuing: true))
        } else {
            let upload = try upload(head, text)
            let part = upload.part
            // In a form, too, what a header says of the content is said of the file.
            let digest = try ContentDigest.expected(head, isWhole: part.offset == 0 && part.isLast)
            do {
                state = try await withTaskExecutorPreference(pool) {
                    switch upload.envelope {
                    case .none:
                        try await service.receiveAsset(upload.ticket, part, sha256: digest, body: request.body)
                    case .form(let boundary):
                        try await service.receiveAsset(
                            upload.ticket, part, sha256: digest, body: FormFile(body: request.body, boundary: boundary))
                    }
                }
            } catch {
                throw error as? CloudError ?? CloudError(.internalError, "internal error")
            }
        }
        return answer(state, head, requestUUID)
    }

    /// Runs what brings bytes to the disk on the threads that may wait for it.
    func onAssetThreads<Result: Sendable>(
        _ body: @Sendable @escaping () async throws(CloudError) -> Result
    ) async throws(CloudError) -> Result {
        do {
            return try await withTaskExecutorPreference(pool) { try await body() }
        } catch {
            throw error as? CloudError ?? CloudError(.internalError, "internal error")
        }
    }

    /// Returns a body that is read from the disk while it is sent, on the threads that may wait for it.
    func stream(_ body: @Sendable @escaping (HTTPBodyWriter) async throws -> Void) -> HTTPResponseBody {
        let pool = pool
        return .stream(contentLength: nil) { writer in
            try await withTaskExecutorPreference(pool) { try await body(writer) }
        }
    }

    private func answer(_ state: AssetUploadState, _ head: HTTPRequestHead, _ requestUUID: String) -> HTTPResponse {
        let encoder = ResponseEncoder(context: WireContext(requestUUID: requestUUID))
        let isQuestion = head.method == "GET" || head.method == "HEAD"
        var response: HTTPResponse
        switch state {
        case .complete(let asset):
            response = WebServiceAnswer(encoder.uploadedAsset(asset)).response(to: head, requestUUID: requestUUID)
            response.headers += [("Upload-Offset", String(asset.size)), ("Upload-Complete", "?1")]
        case .partial(let offset):
            response = WebServiceAnswer(encoder.uploadOffset(offset)).response(to: head, requestUUID: requestUUID)
            if !isQuestion { response.status = 202 }
            response.headers += [("Upload-Offset", String(offset)), ("Upload-Complete", "?0")]
        }
        return response
    }

    // MARK: - Downloads

    /// Answers GET and HEAD with the bytes, or the part of them that is asked for.
    func respondToDownload(
        _ head: HTTPRequestHead, ticket: String, name: String?
    ) async throws(CloudError) -> HTTPResponse {
        let download = try await service.downloadAsset(ticket)
        var headers = Self.headers(download, name: name)
        CrossOrigin.addHeaders(for: head, to: &headers)
        return try await response(with: download, to: head, headers: headers)
    }

    /// Answers GET and HEAD with bytes that the request may have, or the part of them that is asked for.
    func response(
        with download: AssetDownload, to head: HTTPRequestHead, headers: [(String, String)]
    ) async throws(CloudError) -> HTTPResponse {
        let size = download.content.size
        let tag = "\"\(download.fileChecksum)\""
        var headers = headers + [("ETag", tag), ("Accept-Ranges", "bytes")]
        let conditions = Preconditions(head, tag: tag)
        switch conditions.outcome {
        case .notModified: return HTTPResponse(status: 304, headers: headers)
        case .failed: return HTTPResponse(status: 412, headers: headers)
        case .go: break
        }
        switch ByteRange(head.method == "GET" ? conditions.rangeHeader : nil, size: size) {
        case .whole:
            return HTTPResponse(status: 200, headers: headers, body: try await wholeBody(download, head))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            return HTTPResponse(status: 206, headers: headers, body: try body(download, range))
        case .unsatisfiable:
            headers.append(("Content-Range", "bytes */\(size)"))
            return HTTPResponse(status: 416, headers: headers)
        }
    }

    /// Bytes from users are never shown as part of a page: whatever they are, they are a file to save.
    static func headers(_ download: AssetDownload, name: String?) -> [(String, String)] {
        [
            ("Content-Type", "application/octet-stream"), ("Content-Disposition", AttachmentName.disposition(name)),
            ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'; sandbox"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "cross-origin"),
            ("X-Robots-Tag", "noindex"), ("Repr-Digest", ContentDigest.value(download.sha256)),
            // Asked again each time, so that who may read it no more does not go on from a cache.
            ("Cache-Control", "private, no-cache"),
        ]
    }

    /// All bytes, checked before or while they are sent. A download of damaged bytes is refused if it is small, and cut
    /// off before its last piece if it is not.
    private func wholeBody(_ download: AssetDownload, _ head: HTTPRequestHead) async throws(CloudError)
        -> HTTPResponseBody
    {
        let size = download.content.size
        guard !download.isProven, head.method == "GET" else { return try body(download, 0..<size) }
        let (service, pool) = (service, pool)
        guard size > ServerLimits.assetCheckedFirst else {
            do {
                return .bytes(try await pool.run { try service.bytes(of: download) })
            } catch {
                throw error as? CloudError ?? CloudError(.internalError, "internal error")
            }
        }
        return .stream(contentLength: size) { writer in
            try await withTaskExecutorPreference(pool) {
                try await service.forEachPiece(of: download) { try await writer.write($0) }
            }
        }
    }

    private func body(_ download: AssetDownload, _ range: Range<Int64>) throws(CloudError) -> HTTPResponseBody {
        let length = range.upperBound - range.lowerBound
        guard case .file(let file) = download.content.source, length > ServerLimits.assetSentFromMemory else {
            return .bytes(try service.bytes(range, of: download))
        }
        do {
            return .file(HTTPFile(owning: try file.duplicate()), offset: range.lowerBound, length: length)
        } catch {
            throw CloudError(.tryAgainLater, "the server has no file descriptor left", retryAfter: 1)
        }
    }
}
