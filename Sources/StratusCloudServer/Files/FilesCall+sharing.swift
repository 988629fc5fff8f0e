import StratusCloudModel
import StratusCloudService
import StratusCloudWire

extension FilesCall {
    // MARK: - What others share

    /// Lists what others share with the caller.
    func shared() async throws(CloudError) -> ConsoleAnswer {
        let files = try await service.sharedFiles(as: caller)
        service.charge(RequestCost(records: files.count), to: caller)
        return ConsoleAnswer(["items": .array(files.map { ConsoleJSON($0) })])
    }

    /// Returns the shared folder in which a list begins; nil for one's own files.
    func sharedRoot() async throws(CloudError) -> SharedFile? {
        guard case .other(let owner) = owner else { return nil }
        return try await service.sharedFile(named: query("root") ?? "", of: owner, as: caller)
    }

    // MARK: - Shares

    /// Describes the share of an item as far as the caller may know it.
    func share(of item: FileItem) async throws(CloudError) -> ConsoleJSON {
        guard let shortGUID = item.sharedGUID else {
            try requireOwnFiles()
            return ["sendsMail": .boolean(service.sendsMail), "link": .null]
        }
        return try await share(shortGUID)
    }

    private func share(_ shortGUID: String) async throws(CloudError) -> ConsoleJSON {
        let link = try await service.shareLink(shortGUID, as: caller)
        return ConsoleJSON(link, base: try address.requiredBase(for: head), sendsMail: service.sendsMail)
    }

    /// Changes the share of an item, and answers with what it is then.
    func changeShare(_ act: String, _ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        let item = try await item(try body.text("item"))
        if act == "leave" || act == "end" {
            guard let shortGUID = item.sharedGUID else {
                throw CloudError(.badRequest, "the item is not shared")
            }
            if act == "leave" {
                try await service.leaveShare(shortGUID, as: caller)
            } else {
                try await service.endShare(try await service.shareLink(shortGUID, as: caller), as: caller)
            }
            return ConsoleAnswer([:])
        }
        let edit: ShareEdit
        switch act {
        case "invite":
            edit = .invite(.emailAddress(try body.text("email")), .user, try Self.permission(body))
        case "permission":
            edit = .setPermission(participantID: try body.text("participant"), try Self.permission(body))
        case "remove": edit = .remove(participantID: try body.text("participant"))
        case "access": edit = .setAccess(public: try Self.permission(body, orNone: true))
        default: throw Self.unknown
        }
        let sendsMail = try body.member("mail")?.boolean() ?? false
        let shortGUID = try await service.shareFile(item, edit, sendsMail: sendsMail, of: owner, as: caller)
        return ConsoleAnswer(try await share(shortGUID))
    }

    private static func permission(
        _ body: JSONReader, orNone: Bool = false
    ) throws(CloudError) -> SharePermission {
        guard let permission = SharePermission(rawValue: try body.text("permission")), orNone || permission != .none
        else {
            throw CloudError(.badRequest, "permission must be \(orNone ? "NONE, " : "")READ_ONLY or READ_WRITE")
        }
        return permission
    }

    // MARK: - Published files

    func publish(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        let base = try address.requiredBase(for: head)
        var file = try await service.publishFile(
            named: try body.text("item"), lifetime: try body.member("lifetime")?.integer(), as: caller)
        file.url = PublishedAddress.url(of: file, base: base)
        return ConsoleAnswer(ConsoleJSON(file))
    }

    func published() async throws(CloudError) -> ConsoleAnswer {
        let files = try await service.publishedFiles(as: caller)
        service.charge(RequestCost(records: files.count), to: caller)
        return ConsoleAnswer(["publications": .array(files.map { ConsoleJSON($0) })])
    }

    func unpublish(_ body: JSONReader) async throws(CloudError) -> ConsoleAnswer {
        try await service.unpublishFile(id: try body.text("publication"), as: caller)
        return ConsoleAnswer([:])
    }
}
