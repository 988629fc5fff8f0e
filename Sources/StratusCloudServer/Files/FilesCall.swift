import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// A request of the page of files, from a person who is known, in a container and environment.
///
/// The query's `owner` names the person whose files it is about, by user record name; without it they are the caller's
/// own. The service decides what the caller may see and change of others' files.
struct FilesCall: Sendable {
    let request: HTTPRequest
    let service: CloudService
    let address: PublicAddress
    let caller: Caller
    let assets: AssetHandler

    var head: HTTPRequestHead { request.head }

    static let unknown = CloudError(.notFound, RouteRefusal.notFound.reason)

    var owner: FileOwner { query("owner").map(FileOwner.other) ?? .caller }

    func query(_ name: String) -> String? { QueryParameters.value(of: name, in: head.query) }

    /// Returns an item that the caller may see.
    func item(_ recordName: String) async throws(CloudError) -> FileItem {
        try await service.file(named: recordName, of: owner, as: caller)
    }

    /// Refuses requests that are only for one's own files.
    func requireOwnFiles() throws(CloudError) {
        guard owner == .caller else {
            throw CloudError(.badRequest, "owner: this request is only for your own files")
        }
    }

    // MARK: - Reading

    /// Answers GET and HEAD, which change nothing.
    func read(_ segments: [String]) async throws -> FilesAnswer {
        switch (segments.first, segments.count) {
        case ("list", 1): return .json(try await list())
        case ("items", 2): return .json(ConsoleAnswer(ConsoleJSON(detailed: try await item(segments[1]))))
        case ("items", 3):
            let item = try await item(segments[1])
            switch segments[2] {
            case "content": return .response(try await content(of: item))
            case "picture": return .response(try await picture(of: item))
            case "share": return .json(ConsoleAnswer(try await share(of: item)))
            default: throw Self.unknown
            }
        default: return .json(try await readOwn(segments))
        }
    }

    private func readOwn(_ segments: [String]) async throws -> ConsoleAnswer {
        try requireOwnFiles()
        switch segments {
        case ["deleted"]: return try await recentlyDeleted()
        case ["room"]: return try await room()
        case ["shared"]: return try await shared()
        case ["published"]: return try await published()
        default: throw Self.unknown
        }
    }

    private func list() async throws -> ConsoleAnswer {
        let names = (query("path") ?? "").split(separator: "/").map(String.init)
        let start = Self.folder(query("root"))
        let place = try await service.filePlace(at: names, below: start, of: owner, as: caller)
        guard let folder = place.folder else { throw CloudError(.notFound, "there is no such folder") }
        let root = try await sharedRoot()
        guard let order = FileOrder(rawValue: query("sort") ?? FileOrder.name.rawValue) else {
            throw CloudError(.badRequest, "sort must be name, size or modified")
        }
        var position: FilePosition?
        if let name = query("after") {
            guard let value = Int64(query("value") ?? "0") else {
                throw CloudError(.badRequest, "value must be a number")
            }
            position = FilePosition(name: name, value: value)
        }
        let page = try await service.listFiles(
            in: folder, sortedBy: FileSorting(order, isDescending: query("descending") == "1"), after: position,
            of: owner, as: caller)
        service.charge(RequestCost(records: page.read), to: caller)
        return ConsoleAnswer([
            "folder": ConsoleJSON(folder.recordName), "root": root.map { ConsoleJSON($0) } ?? .null,
            "items": .array(page.items.map { ConsoleJSON($0) }),
            "next": page.next.map { ["after": .string($0.name), "value": .integer($0.value)] } ?? .null,
        ])
    }

    private func recentlyDeleted() async throws -> ConsoleAnswer {
        let position = query("after")
        let page = try await service.listRecentlyDeletedFiles(after: position, as: caller)
        service.charge(RequestCost(records: page.items.count), to: caller)
        return ConsoleAnswer([
            "items": .array(page.items.map { ConsoleJSON($0) }),
            "next": page.next == nil ? .null : ConsoleJSON(page.items.last?.id),
        ])
    }

    private func room() async throws -> ConsoleAnswer {
        let room = try await service.fileRoom(as: caller)
        return ConsoleAnswer([
            "used": .integer(room.used), "available": room.available.map { .integer($0) } ?? .null,
            "largestFile": .integer(service.assetLimits.assetSize),
        ])
    }

    // MARK: - Contents

    private func download(_ item: FileItem) async throws(CloudError) -> AssetDownload? {
        guard let text = query("version") else {
            return item.content == nil ? nil : try await service.downloadFile(item, of: owner, as: caller)
        }
        try requireOwnFiles()
        guard let number = Int64(text) else { throw CloudError(.badRequest, "version must be a number") }
        return try await service.downloadVersion(number, of: item, as: caller)
    }

    /// The bytes, to be saved and never to be shown.
    private func content(of item: FileItem) async throws(CloudError) -> HTTPResponse {
        guard item.kind != .folder, item.kind != .link else {
            throw CloudError(.badRequest, "only files and packages have a content")
        }
        guard let download = try await download(item) else {
            return HTTPResponse(status: 200, headers: Self.headers(item, "application/octet-stream", isSaved: true))
        }
        return try await assets.response(
            with: download, to: head, headers: Self.headers(item, "application/octet-stream", isSaved: true))
    }

    /// The bytes of a picture, as a picture of a type that holds no script.
    private func picture(of item: FileItem) async throws(CloudError) -> HTTPResponse {
        guard item.kind == .file, let type = FilesPicture.type(of: item.name), let download = try await download(item)
        else { throw CloudError(.badRequest, "the file is no picture that can be shown") }
        return try await assets.response(
            with: download, to: head, headers: Self.headers(item, type, isSaved: false))
    }

    private static func headers(_ item: FileItem, _ type: String, isSaved: Bool) -> [(String, String)] {
        [
            ("Content-Type", type),
            ("Content-Disposition", isSaved ? AttachmentName.disposition(item.name) : "inline"),
        ] + protection
    }

    /// Headers that isolate users' contents from the pages, and keep other sites from reading them.
    static let protection = [
        ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex"), ("Cache-Control", "private, no-cache"),
    ]
}

/// An answer to a request of the page of files.
enum FilesAnswer {
    case json(ConsoleAnswer)
    case response(HTTPResponse)
}
