import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV

extension WebDAVCall {
    // MARK: - GET

    func getContent() async throws -> HTTPResponse {
        guard let item = try await existing().item, item.kind != .folder,
            let tag = WebDAVResource.entityTag(item)
        else { throw WebDAVError(405, "a folder has no content; ask for its properties with PROPFIND") }
        let headers = [("Last-Modified", HTTPDate.text(item.modified))]
        guard item.content != nil else {
            // The target of a link is never followed.
            let content = AssetContentBytes(bytes: Array((item.target ?? "").utf8), tag: tag)
            return content.response(to: head, headers: headers)
        }
        let download = try await service.downloadFile(item, as: caller)
        return try await assets.response(
            with: download, to: head, headers: AssetHandler.headers(download, name: nil) + headers)
    }

    // MARK: - PUT

    func putContent() async throws -> HTTPResponse {
        guard head.headers["Content-Range"] == nil else {
            throw WebDAVError(400, "a part of a file cannot be replaced")
        }
        guard ContentCoding(head.headers) == .identity else {
            throw WebDAVError(415, "a file's content is stored as it is; send it without Content-Encoding")
        }
        let place = try await place()
        let destination = try destination(place)
        try checkLocks(.content, of: path, isMember: place.item == nil)
        let length = head.headers["Content-Length"].flatMap { Int64($0) }
        let upload = try await service.beginFileUpload(to: destination, length: length, as: caller)
        let modified = Self.modificationTime(head.headers["X-OC-Mtime"])
        let item = try await assets.onAssetThreads { () async throws(CloudError) in
            try await service.receiveFile(upload, modified: modified, body: request.body, as: caller)
        }
        var headers: [(String, String)] = WebDAVResource.entityTag(item).map { [("ETag", $0)] } ?? []
        if modified != nil { headers.append(("X-OC-Mtime", "accepted")) }
        // Another request may have created or deleted the file during the upload.
        let isNew = item.id != place.item?.id && item.contentVersion == 1
        return HTTPResponse(status: isNew ? 201 : 204, headers: headers)
    }

    private func destination(_ place: FilePlace) throws -> CloudService.FileDestination {
        let conditions = Preconditions(head, tag: place.item.flatMap(WebDAVResource.entityTag) ?? "")
        switch place {
        case .root: throw WebDAVError(405, "the root folder is no file")
        case .nowhere: throw WebDAVError(409, "the folder does not exist")
        case .free(let name, let folder):
            guard head.headers.all("If-Match").isEmpty else { throw WebDAVError(412, "the file does not exist") }
            return isConditional
                ? .new(name: name, folder: folder) : .named(name, folder: folder, present: nil)
        case .item(let item, let folder):
            switch item.kind {
            case .folder: throw WebDAVError(405, "there is a folder at this path")
            case .link: throw WebDAVError(409, "there is a symbolic link at this path, which is not followed")
            case .file, .package: break
            }
            guard conditions.outcome == .go else { throw WebDAVError(412, "the file is in another state") }
            return isConditional
                ? .existing(item, ifTagged: item.changeTag)
                : .named(path.names.last ?? item.name, folder: folder, present: item)
        }
    }

    /// The time that some clients send of a file, in milliseconds.
    private static func modificationTime(_ header: String?) -> Int64? {
        guard let header, let seconds = Int64(header.prefix { $0 != "." }), (0...253_402_300_799).contains(seconds)
        else {
            return nil
        }
        return seconds * 1_000
    }

    // MARK: - MKCOL

    func makeFolder() async throws -> HTTPResponse {
        guard request.body.bytes.isEmpty else { throw WebDAVError(415, "a folder is created without a body") }
        switch try await place() {
        case .root, .item: throw WebDAVError(405, "there is something at this path")
        case .nowhere: throw WebDAVError(409, "the folder around it does not exist")
        case .free(let name, let folder):
            try checkLocks(.content, of: path, isMember: true)
            do {
                _ = try await service.createFolder(FileChanges(name: name, folder: folder), as: caller)
            } catch let error where error.code == .uniqueFieldError {
                throw WebDAVError(405, "there is something at this path")
            }
            return HTTPResponse(status: 201)
        }
    }

    // MARK: - DELETE

    func delete() async throws -> HTTPResponse {
        guard try Depth(head.headers["Depth"], otherwise: .infinity) == .infinity else {
            throw WebDAVError(400, "a folder is deleted with Depth infinity")
        }
        guard let item = try await changeable().item else {
            throw WebDAVError(403, "the root folder cannot be deleted")
        }
        try checkLocks(.tree, of: path, isMember: true)
        try await service.deleteFile(item, ifTagged: isConditional ? item.changeTag : nil, as: caller)
        try withLocks { table throws(WebDAVError) in table.removeAll(within: path.keys) }
        return HTTPResponse(status: 204)
    }
}

/// A small content that is no asset.
struct AssetContentBytes {
    let bytes: [UInt8]
    let tag: String

    func response(to head: HTTPRequestHead, headers: [(String, String)]) -> HTTPResponse {
        let headers =
            headers + [
                ("Content-Type", "application/octet-stream"), ("X-Content-Type-Options", "nosniff"), ("ETag", tag),
                ("Cache-Control", "private, no-cache"),
            ]
        switch Preconditions(head, tag: tag).outcome {
        case .notModified: return HTTPResponse(status: 304, headers: headers)
        case .failed: return HTTPResponse(status: 412, headers: headers)
        case .go: return HTTPResponse(status: 200, headers: headers, body: .bytes(bytes))
        }
    }
}
