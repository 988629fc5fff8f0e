import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV
import StratusXML

extension WebDAVCall {
    // MARK: - PROPFIND

    func findProperties() async throws -> HTTPResponse {
        let depth = try Depth(head.headers["Depth"], otherwise: .infinity)
        let wanted = try PropertyRequest(request.body.bytes)
        guard depth != .infinity else {
            throw WebDAVError(
                403, "ask for one folder at a time, with Depth 1", condition: "propfind-finite-depth")
        }
        let place = try await existing()
        let room = WebDAVResource.needsRoom(wanted) ? try await service.fileRoom(as: caller) : nil
        let isFolder = place.folder != nil
        let start =
            MultiStatus.start
            + response(place.item, path.address(isFolder: isFolder), keys: path.keys, wanted, room)
        guard depth == .one, let folder = place.folder else { return Self.multiStatus(start + MultiStatus.end) }
        let page = try await service.listFiles(in: folder, as: caller)
        service.charge(RequestCost(records: page.items.count), to: caller)
        var (piece, rest) = (start, page.items[...])
        add(&rest, to: &piece, wanted, room)
        guard !rest.isEmpty || page.next != nil else { return Self.multiStatus(piece + MultiStatus.end) }
        return stream(piece, rest, from: page.next, of: folder, wanted, room)
    }

    /// Writes a large answer piece by piece, so that it never lies in memory as a whole.
    private func stream(
        _ first: String, _ items: ArraySlice<FileItem>, from cursor: FileCursor?, of folder: FileFolder,
        _ wanted: PropertyRequest, _ room: FileRoom?
    ) -> HTTPResponse {
        var response = Self.multiStatus("")
        response.body = .stream(contentLength: nil) { writer in
            var (piece, rest, next) = (first, items, cursor)
            while true {
                try await writer.write(Array(piece.utf8))
                piece = ""
                while rest.isEmpty, let cursor = next {
                    let page = try await service.listFiles(in: folder, from: cursor, as: caller)
                    service.charge(RequestCost(records: page.items.count), to: caller)
                    (rest, next) = (page.items[...], page.next)
                }
                guard !rest.isEmpty else { break }
                add(&rest, to: &piece, wanted, room)
            }
            try await writer.write(Array(MultiStatus.end.utf8))
        }
        return response
    }

    /// Moves items of the folder into a piece of the answer, until the piece is large enough.
    private func add(
        _ items: inout ArraySlice<FileItem>, to piece: inout String, _ wanted: PropertyRequest, _ room: FileRoom?
    ) {
        let address = path.address(isFolder: true)
        while piece.utf8.count < WebDAVLimits.answerPieceSize, let item = items.popFirst() {
            // Every name that is stored has a key.
            let key = (try? FileNameKey.key(item.name)) ?? item.name
            let own = address + PercentEncoding.encode(item.name) + (item.kind == .folder ? "/" : "")
            piece += response(item, own, keys: path.keys + [key], wanted, room)
        }
    }

    private func response(
        _ item: FileItem?, _ address: String, keys: [String], _ wanted: PropertyRequest,
        _ room: FileRoom?
    ) -> String {
        let now = now
        let locks = (try? withLocks { table throws(WebDAVError) in table.locks(on: keys, now: now) }) ?? []
        let resource = WebDAVResource(item: item, locks: locks, now: now, room: room)
        return MultiStatus.response(address, resource.properties(for: wanted))
    }

    static func multiStatus(_ body: String) -> HTTPResponse {
        HTTPResponse(
            status: 207, headers: [("Content-Type", MultiStatus.contentType), ("Cache-Control", "no-store")],
            body: .bytes(Array(body.utf8)))
    }

    // MARK: - PROPPATCH

    func changeProperties() async throws -> HTTPResponse {
        let changes = try PropertyChange.read(request.body.bytes)
        let place = try await changeable()
        try checkLocks(.content, of: path, isMember: false)
        guard let item = place.item else {
            throw WebDAVError(403, "the root folder has no properties of clients")
        }
        let refused = Set(changes.map(\.name).filter { isProtected($0, of: item) })
        if refused.isEmpty { try await save(changes, of: item) }
        var (done, failed, dependent): ([String], [String], [String]) = ([], [], [])
        for change in changes {
            let element = XMLText.element(change.name, content: "")
            if refused.contains(change.name) {
                failed.append(element)
            } else if refused.isEmpty {
                done.append(element)
            } else {
                dependent.append(element)
            }
        }
        let lists: [MultiStatus.Properties] = [
            .init(status: 200, elements: done),
            .init(status: 403, elements: failed, condition: "cannot-modify-protected-property"),
            .init(status: 424, elements: dependent),
        ]
        let address = path.address(isFolder: item.kind == .folder)
        return Self.multiStatus(MultiStatus.start + MultiStatus.response(address, lists) + MultiStatus.end)
    }

    private func isProtected(_ name: XMLName, of item: FileItem) -> Bool {
        guard WebDAVResource.live.contains(name) else { return false }
        return !WebDAVResource.isChangeable(name) || item.kind != .file
    }

    private func save(_ changes: [PropertyChange], of item: FileItem) async throws {
        var properties = DeadProperties(item.properties)
        var fields = FileChanges()
        for change in changes {
            if WebDAVResource.isChangeable(change.name) {
                if case .set(let element) = change {
                    fields.isExecutable = element.text == "T"
                } else {
                    fields.isExecutable = false
                }
            } else {
                properties.apply(change)
            }
        }
        if properties.texts != item.properties { fields.properties = properties.texts }
        try await service.updateFile(item, fields, as: caller)
    }
}
