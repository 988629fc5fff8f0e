import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// `/backup/<device>/`: the backups of a person's devices, by restic's REST protocol (version 2). Every request brings an
/// app password.
struct BackupHandler: Sendable {
    private let service: CloudService
    private let signIn: BasicSignIn
    private let assets: AssetHandler

    init(service: CloudService, signIn: BasicSignIn, assets: AssetHandler) {
        self.service = service
        self.signIn = signIn
        self.assets = assets
    }

    func respond(
        to request: HTTPRequest, _ target: BackupTarget, requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            // Before a byte of a body is read.
            let holder = try await signIn.holder(of: request.head)
            return (try await answer(request, target, holder), [])
        } catch {
            let answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
            var response = answer.response(to: request.head, requestUUID: requestUUID)
            if error.code == .authenticationFailed { response.headers.append(BasicSignIn.challenge) }
            return (response, [error])
        }
    }

    private func answer(
        _ request: HTTPRequest, _ target: BackupTarget, _ holder: AppPasswordHolder
    ) async throws(CloudError) -> HTTPResponse {
        let head = request.head
        switch (target, head.method) {
        case (.repository(let device), _):
            guard head.query == "create=true" else {
                throw CloudError(.badRequest, "a repository is created with '?create=true'")
            }
            try await service.createDeviceBackup(of: device, for: holder)
            return HTTPResponse(status: 200)
        case (.folder(let kind, let device), _): return try await list(kind, of: device, holder, head)
        case (.file(let file, let device), "POST"):
            let length = head.headers["Content-Length"].flatMap { Int64($0) }
            try await assets.onAssetThreads { () async throws(CloudError) in
                try await service.receiveBackupFile(file, of: device, length: length, body: request.body, for: holder)
            }
            return HTTPResponse(status: 200)
        case (.file(let file, let device), "DELETE"):
            try await service.deleteBackupFile(file, of: device, for: holder)
            return HTTPResponse(status: 200)
        case (.file(let file, let device), _):
            let download = try await service.downloadBackupFile(file, of: device, for: holder)
            return try await assets.response(with: download, to: head, headers: Self.headers(of: download))
        }
    }

    private static let privateHeaders = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]

    private static func headers(of download: AssetDownload) -> [(String, String)] {
        privateHeaders + [("Content-Type", "application/octet-stream"), ("Content-Disposition", "attachment")]
    }

    // MARK: - Lists

    private static let contentType = (name: "Content-Type", value: "application/vnd.x.restic.rest.v2")

    /// A JSON array of names and sizes, read and sent a page at a time: a backup may have very many files.
    private func list(
        _ kind: BackupFileKind, of device: BackupDevice, _ holder: AppPasswordHolder, _ head: HTTPRequestHead
    ) async throws(CloudError) -> HTTPResponse {
        guard head.headers["Accept"] != "application/vnd.x.restic.rest.v1" else {
            throw CloudError(.badRequest, "version 1 of restic's REST protocol is not supported; update restic")
        }
        let service = service
        let first = try await service.listBackupFiles(kind, of: device, after: nil, for: holder)
        return HTTPResponse(
            status: 200, headers: Self.privateHeaders + [Self.contentType],
            body: .stream(contentLength: nil) { writer in
                var (page, isFirst) = (first, true)
                while !page.isEmpty {
                    try await writer.write(Self.json(page, isFirst: isFirst))
                    isFirst = false
                    page = try await service.listBackupFiles(kind, of: device, after: page.last, for: holder)
                }
                try await writer.write(Array((isFirst ? "[]" : "]").utf8))
            })
    }

    /// Names are hexadecimal digits, and need no escapes.
    private static func json(_ page: [CloudService.ListedBackupFile], isFirst: Bool) -> [UInt8] {
        let items = page.map { "{\"name\":\"\($0.name)\",\"size\":\($0.size)}" }
        return Array(((isFirst ? "[" : ",") + items.joined(separator: ",")).utf8)
    }
}
