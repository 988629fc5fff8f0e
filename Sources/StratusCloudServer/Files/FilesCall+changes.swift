import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

extension FilesCall {
    // MARK: - Uploads

    /// PUT with the bytes of a file, which are stored as they come.
    func upload() async throws(CloudError) -> ConsoleAnswer {
        guard ContentCoding(head.headers) == .identity, head.headers["Content-Range"] == nil else {
            throw CloudError(.badRequest, "a file is sent as it is and as a whole")
        }
        guard let name = query("name") else { throw CloudError(.badRequest, "name is missing") }
        let length = head.headers["Content-Length"].flatMap { Int64($0) }
        let modified = query("modified").flatMap { Int64($0) }.flatMap {
            (0...253_402_300_799_999).contains($0) ? $0 : nil
        }
        let destination = try await service.fileDestination(
            named: name, in: Self.folder(query("folder")), ifTaken: try Self.collision(query("ifTaken")), of: owner,
            as: caller)
        let upload = try await service.beginFileUpload(to: destination, of: owner, length: length, as: caller)
        let (service, caller, body) = (service, caller, request.body)
        let item = try await assets.onAssetThreads { () async throws(CloudError) in
            try await service.receiveFile(upload, modified: modified, body: body, as: caller)
        }
        return ConsoleAnswer(ConsoleJSON(item))
    }

    static func folder(_ recordName: String?) -> FileFolder {
        recordName.flatMap { $0.isEmpty ? nil : FileFolder.item($0) } ?? .root
    }

    private static func collision(_ text: String?) throws(CloudError) -> FileCollision {
        guard let text else { return .refuse }
        guard let collision = FileCollision(rawValue: text) else {
            throw CloudError(.badRequest, "ifTaken must be refuse, number or replace")
        }
        return collision
    }

    // MARK: - Changes

    /// POST with a JSON object.
    func change(_ act: [String]) async throws -> ConsoleAnswer {
        let body = try JSONReader(request.body.bytes, limit: ServerLimits.formSize)
        try body.requireObject()
        switch act {
        case ["folder"]: return try await makeFolder(body)
        case ["taken"]: return try await findTaken(body)
        case ["move"]: return try await move(body)
        case ["delete"]:
            return try await forEach(body) { item throws(CloudError) in
                try await service.deleteFile(item, of: owner, as: caller)
            }
        case ["archive", "check"]:
            let archive = try await archive(Self.items(in: body))
            try await archive.check()
            return ConsoleAnswer(["name": .string(archive.name)])
        case _ where act.first == "share" && act.count == 2: return try await changeShare(act[1], body)
        default: return try await changeOwn(act, body)
        }
    }

    private func changeOwn(_ act: [String], _ body: JSONReader) async throws -> ConsoleAnswer {
        try requireOwnFiles()
        switch act {
        case ["restore-version"]: return try await restoreVersion(body)
        case ["publish"]: return try await publish(body)
        case ["unpublish"]: return try await unpublish(body)
        case ["restore"]:
            return try await forEach(body) { item throws(CloudError) in
                try await service.restoreFile(named: item.id, as: caller)
            }
        case ["delete-for-good"]:
            return try await forEach(body) { item throws(CloudError) in
                try await service.deleteFilePermanently(named: item.id, as: caller)
                return item
            }
        default: throw Self.unknown
        }
    }

    private func makeFolder(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        let (name, folder) = (try body.text("name"), Self.folder(try body.optionalText("folder")))
        let merges = try body.member("merge")?.boolean() ?? false
        let item =
            merges
            ? try await service.folder(named: name, in: folder, of: owner, as: caller)
            : try await service.createFolder(FileChanges(name: name, folder: folder), of: owner, as: caller)
        return ConsoleAnswer(ConsoleJSON(item))
    }

    /// Returns the names that are already taken, so that the page can ask before it uploads.
    private func findTaken(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        let folder = Self.folder(try body.optionalText("folder"))
        var taken: [ConsoleJSON] = []
        for name in try body.texts("names", atMost: FileLimits.itemsPerRequest) {
            guard let item = try await service.file(called: name, in: folder, of: owner, as: caller) else { continue }
            taken.append(["name": .string(name), "kind": .string(item.kind.rawValue)])
        }
        return ConsoleAnswer(["taken": .array(taken)])
    }

    private func move(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        let folder = try body.memberOrNull("folder").map { value throws(CloudError) in
            value.isNull ? FileFolder.root : Self.folder(try value.string())
        }
        let name = try body.optionalText("name")
        let collision = try Self.collision(try body.optionalText("ifTaken"))
        return try await forEach(body) { item throws(CloudError) in
            try await service.moveFile(
                item, to: folder, named: name, ifTaken: collision, of: owner, as: caller)
        }
    }

    private func restoreVersion(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        guard let number = Int64(try body.text("version")) else {
            throw CloudError(.badRequest, "version must be a number")
        }
        let item = try await item(try body.text("item"))
        return ConsoleAnswer(
            ConsoleJSON(detailed: try await service.restoreVersion(number, of: item, as: caller)))
    }

    private static func items(in body: JSONReader) throws(CloudError) -> [String] {
        let items = try body.texts("items", atMost: FileLimits.itemsPerRequest)
        guard !items.isEmpty else { throw CloudError(.badRequest, "items is missing or empty") }
        return items
    }

    /// Applies a change to each item and reports the outcome for each.
    private func forEach(
        _ body: JSONReader, _ act: (FileItem) async throws(CloudError) -> FileItem
    ) async throws(CloudError) -> ConsoleAnswer {
        var results: [ConsoleJSON] = []
        var refusals: [CloudError] = []
        let ids = try Self.items(in: body)
        // One by one they would cost nothing, because less than a unit is free.
        service.charge(RequestCost(operations: ids.count), to: caller)
        for id in ids {
            do throws(CloudError) {
                let item = try await item(id)
                results.append(["id": .string(id), "item": ConsoleJSON(try await act(item))])
            } catch {
                refusals.append(error)
                results.append([
                    "id": .string(id), "error": .string(error.code.rawValue), "reason": .string(error.reason),
                ])
            }
        }
        var answer = ConsoleAnswer(["results": .array(results)])
        answer.refusals = refusals
        return answer
    }

    // MARK: - Archives

    func archive(_ ids: [String]) async throws(CloudError) -> FilesArchive {
        var items: [FileItem] = []
        for id in ids { items.append(try await item(id)) }
        return FilesArchive(service: service, owner: owner, caller: caller, items: items)
    }

    /// Answers a form that asks for a zip archive of items, whose names commas separate.
    func download(_ fields: FormFields) async throws(CloudError) -> HTTPResponse {
        let ids = (fields["items"] ?? "").split(separator: ",").map(String.init)
        guard (1...FileLimits.itemsPerRequest).contains(ids.count) else {
            throw CloudError(.badRequest, "an archive is made of 1 to \(FileLimits.itemsPerRequest) items")
        }
        let archive = try await archive(ids)
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/zip"),
                ("Content-Disposition", AttachmentName.disposition(archive.name)), ("X-Accel-Buffering", "no"),
            ] + Self.protection, body: assets.stream { try await archive.write(to: $0) })
    }
}
