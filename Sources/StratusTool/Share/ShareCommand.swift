import StratusCloudModel
import StratusCommandLine

/// `stratus share …`: what the page of a share's link does, in a terminal, as whoever signed in with `stratus login`.
enum ShareCommand {
    static func command(_ output: Output) -> Command {
        Command(
            "share", summary: "Shares your records with other people",
            subcommands: [
                list(output), show(output), create(output), invite(output), setPermission(output), access(output),
                oneTimeLink(output), visit("accept", "Accepts a share by its link", output),
                visit("decline", "Leaves a share, or declines an invitation", output),
                person("remove", "Removes a participant, or revokes an invitation", output),
                person("approve", "Gives access to somebody who asked for it", output),
                person("deny", "Denies access to somebody who asked for it", output),
                person("block", "Blocks somebody from joining and from asking for access", output),
                person("unblock", "Unblocks somebody", output), stop(output),
            ])
    }

    // MARK: - Looking

    private struct Listed: Encodable {
        var shares: [ShareReport]
        /// What the user may accept or decline.
        var invitations: [ShareReport]
    }

    private static func list(_ output: Output) -> Command {
        Command(
            "list", summary: "Lists what you share, what others share with you, and your invitations",
            options: ShareTarget.options, output: output
        ) { context, values throws(ToolError) in
            var shares: [ShareReport] = []
            var invitations: [ShareReport] = []
            for client in try ShareTarget.clients(values) {
                invitations += try await client.invitations().map { ShareReport($0, client) }
                for scope in [DatabaseScope.private, .shared] {
                    shares += try await client.shares(in: scope).compactMap { ShareReport($0, client) }
                }
            }
            guard !shares.isEmpty || !invitations.isEmpty || context.output.isJSON else {
                context.output.note("nothing is shared")
                return .success
            }
            try context.output.result(
                Listed(shares: shares, invitations: invitations),
                text: (shares + invitations).map(\.line).joined(separator: "\n"))
            return .success
        }
    }

    private static func show(_ output: Output) -> Command {
        Command(
            "show", summary: "Shows a share and its participants", options: ShareTarget.options,
            positionals: [ShareTarget.link], output: output
        ) { context, values throws(ToolError) in
            let (client, link) = try await ShareTarget.resolve(values)
            try write(link, client, to: context.output)
            return .success
        }
    }

    static func write(_ link: ShareLink, _ client: ShareClient, to output: Output) throws(ToolError) {
        let report = ShareReport(link, client)
        try output.result(report, text: report.text)
    }

    // MARK: - Making

    private static let zone = Option.required("zone", .string("name"), help: "The zone")
    private static let record = Option.optional(
        "record", .string("name"), help: "The record to share with its descendants; the whole zone by default")
    private static let title = Option.optional("title", .string("text"), help: "The title of the share")
    private static let type = Option.optional("type", .string("text"), help: "The type of the share")

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Shares a record with its descendants, or a whole zone",
            options: ShareTarget.options + [zone, record, title, type, publicPermission, requests], output: output
        ) { context, values throws(ToolError) in
            let clients = try ShareTarget.clients(values)
            guard let client = clients.first, clients.count == 1 else {
                throw .usage("you are signed in to several containers; give --container and --environment")
            }
            guard values[record] != nil || values[zone] != FileFormat.zoneName else {
                throw .usage(
                    "the zone '\(FileFormat.zoneName)' cannot be shared as a whole; share a file or folder with "
                        + "'stratus drive share PATH'")
            }
            let zoneID = ZoneID(zoneName: values[zone])
            var input = ShareInput()
            input.publicPermission = values[publicPermission]?.value ?? SharePermission.none
            input.participants = []
            input.denyAccessRequests = values[requests] != .allow
            var root: Record?
            if let name = values[record] { root = try await client.lookup(name, in: zoneID) }
            let link = try await client.create(
                input, of: root, in: zoneID, title: values[title], type: values[type])
            try write(link, client, to: context.output)
            return .success
        }
    }

    // MARK: - Words

    /// What somebody may do.
    enum Permission: String, CaseIterable, Sendable, CustomStringConvertible {
        case none
        case readOnly = "read-only"
        case readWrite = "read-write"

        var description: String { rawValue }

        var value: SharePermission {
            switch self {
            case .none: .none
            case .readOnly: .readOnly
            case .readWrite: .readWrite
            }
        }
    }

    /// What becomes of requests for access.
    enum Requests: String, CaseIterable, Sendable {
        case allow, refuse
    }

    static let publicPermission = Option.optional(
        "public", ValueKind<Permission>.choice(placeholder: "permission"),
        help: "What anyone with the link may do")
    static let requests = Option.optional(
        "requests", ValueKind<Requests>.choice(placeholder: "choice"),
        help: "Whether people who are not invited may ask for access")
}
