import StratusCloudKit
import StratusCloudModel
import StratusCommandLine
import StratusDeviceCredentials
import StratusUbiquity

/// `stratus drive share`: shares a file or folder by its path. `stratus share` does the rest with the link.
enum DriveShareCommand {
    /// The rights of a participant.
    private enum Permission: String, CaseIterable, Sendable, CustomStringConvertible {
        case read, write

        var description: String { rawValue }
        var value: SharePermission { self == .read ? .readOnly : .readWrite }
    }

    private static let path = Positional.required("path", .file, help: "The file or folder")
    private static let addresses = Positional.repeated(
        "address", .string("address"), help: "The e-mail addresses of the people to invite")
    private static let link = Option.flag("link", help: "Opens the link to everybody who has it")
    private static let permission = Option.value(
        "permission", ValueKind<Permission>.choice(placeholder: "permission"), default: .read,
        help: "What the people may do")
    private static let mail = Option.flag("mail", help: "Sends the invitations by e-mail, through the server")
    private static let stop = Option.flag("stop", help: "Stops sharing with everybody")

    private struct Report: Encodable {
        var path: String
        /// Nil if the item is not shared.
        var share: ShareReport?
    }

    static func command(_ output: Output) -> Command {
        Command(
            "share", summary: "Shares a file or folder with other people",
            discussion: "With addresses, the people are invited; without, the share and its participants are shown. "
                + "'stratus share' with the link that is printed changes permissions, removes people, and more.",
            options: [DriveTarget.container, permission, link, mail, stop], positionals: [path, addresses],
            output: output
        ) { context, values throws(ToolError) in
            let isChange = values[link] || !values[addresses].isEmpty
            // An open link needs no invitations: opening it revokes those that nobody has accepted.
            guard [values[stop], values[link], !values[addresses].isEmpty].filter(\.self).count <= 1 else {
                throw .usage("give addresses, --link or --stop, and only one of them")
            }
            let target = try DriveTarget(values)
            let path = try target.path(values[path])
            let item = try await target.record(of: path)
            let client = try target.shareClient()
            let zoneID = ZoneID(zoneName: FileFormat.zoneName)
            let record = try await client.lookup(item.recordName, in: zoneID)
            var shared: ShareLink?
            if let share = record.share {
                guard let shortGUID = try await client.lookup(share.recordName, in: zoneID).shortGUID else {
                    throw .unexpectedAnswer
                }
                shared = try await client.resolve(shortGUID)
            }
            if values[stop] {
                guard let found = shared else {
                    throw ToolError(CloudError(.notFound, "'\(path)' is not shared"))
                }
                try await client.stop(found)
                shared = nil
            } else if isChange {
                shared = try await change(shared, of: record, values, client)
            }
            try write(Report(path: path, share: shared.map { ShareReport($0, client) }), to: context.output)
            return .success
        }
    }

    /// Lets people in; an item that is not shared becomes shared by the first change, and by none that fails.
    private static func change(
        _ shared: ShareLink?, of record: Record, _ values: Values, _ client: ShareClient
    ) async throws(ToolError) -> ShareLink {
        let permission = values[permission].value
        var edits =
            values[link]
            ? [ShareEdit.setAccess(public: permission)]
            : values[addresses].map { .invite(.emailAddress($0), .user, permission) }
        if let shared { return try await client.change(shared, edits, sendsMail: values[mail]) }
        let input: ShareInput
        do throws(CloudError) { input = try edits.removeFirst().input(for: nil) } catch { throw ToolError(error) }
        var title: String?
        if case .scalar(.string(let name))? = record.fields[FileFormat.name]?.value { title = name }
        let made = try await client.create(
            input, of: record, in: ZoneID(zoneName: FileFormat.zoneName), title: title)
        let changed = try await client.change(made, edits)
        if values[mail] { try await client.sendInvitations(of: changed) }
        return changed
    }

    private static func write(_ report: Report, to output: Output) throws(ToolError) {
        try output.result(
            report, text: report.share?.text ?? "'\(TerminalText.shown(report.path))' is not shared")
    }
}

extension DriveTarget {
    /// The record of an item, with what has changed up to now.
    func record(of path: String) async throws(ToolError) -> DriveRecord {
        try await ask { (agent) throws(DriveError) in
            try await agent.settle()
            return try await agent.record(of: path)
        }
    }

    /// The web services as the person whose files the agent synchronizes.
    fileprivate func shareClient() throws(ToolError) -> ShareClient {
        let found: (session: StoredSession, isStored: Bool)?
        let profile: String?
        do throws(StratusConfiguration.Failure) {
            let configuration = try StratusConfiguration.current()
            found = try configuration.session(of: container.identifier)
            profile = configuration.profile
        } catch {
            throw ToolError(error.description, code: "AUTHENTICATION_REQUIRED")
        }
        guard let found else {
            throw ToolError("nobody is signed in; sign in with 'stratus login'", code: "AUTHENTICATION_REQUIRED")
        }
        return ShareClient(
            found.session, profile: profile ?? StoredCredentials.standardProfile,
            file: found.isStored ? try SignInOptions.file() : nil)
    }
}
