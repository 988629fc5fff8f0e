import StratusCloudModel
import StratusCommandLine

/// Commands that change who takes part.
extension ShareCommand {
    private static let addresses = Positional.repeated(
        "address", .string("address"), help: "The e-mail addresses of the people to invite")
    private static let mail = Option.flag("mail", help: "Sends the invitations by e-mail, through the server")
    private static let administrator = Option.flag(
        "administrator", help: "The people may also manage participants; needs read-write")
    private static let permission = Option.value(
        "permission", ValueKind<Permission>.choice(placeholder: "permission"), default: .readOnly,
        help: "What the people may do")
    private static let who = Positional.required(
        "who", .string("who"), help: "An e-mail address, or the identifier that 'show' prints in brackets")
    private static let newPermission = Positional.required(
        "permission", ValueKind<Permission>.choice(placeholder: "permission"), help: "What the people may do")

    static func invite(_ output: Output) -> Command {
        Command(
            "invite", summary: "Invites people by their e-mail addresses",
            discussion: "Without --mail, send the link yourself. Only invited people can join with it.",
            options: ShareTarget.options + [permission, administrator, mail],
            positionals: [ShareTarget.link, addresses], output: output
        ) { context, values throws(ToolError) in
            guard !values[addresses].isEmpty else { throw .usage("give the addresses of the people to invite") }
            let (client, link) = try await ShareTarget.resolve(values)
            let role: ShareRole = values[administrator] ? .administrator : .user
            let edits = values[addresses].map { ShareEdit.invite(.emailAddress($0), role, values[permission].value) }
            let changed = try await client.change(link, edits, sendsMail: values[mail])
            try write(changed, client, to: context.output)
            return .success
        }
    }

    static func setPermission(_ output: Output) -> Command {
        Command(
            "permission", summary: "Sets what a participant may do",
            options: ShareTarget.options, positionals: [ShareTarget.link, who, newPermission], output: output
        ) { context, values throws(ToolError) in
            try await edit(values, context) { link throws(ToolError) in
                .setPermission(
                    participantID: try participant(values[who], link).participantID, values[newPermission].value)
            }
        }
    }

    static func access(_ output: Output) -> Command {
        Command(
            "access", summary: "Sets what anyone with the link may do, and whether others may ask for access",
            options: ShareTarget.options + [publicPermission, requests], positionals: [ShareTarget.link],
            output: output
        ) { context, values throws(ToolError) in
            guard values[publicPermission] != nil || values[requests] != nil else {
                throw .usage("give --public, --requests or both")
            }
            return try await edit(values, context) { _ throws(ToolError) in
                .setAccess(
                    public: values[publicPermission]?.value, requests: values[requests].map { $0 == .allow })
            }
        }
    }

    static func oneTimeLink(_ output: Output) -> Command {
        Command(
            "link", summary: "Creates a one-time link, with which the first person who accepts it can join",
            options: ShareTarget.options + [permission], positionals: [ShareTarget.link], output: output
        ) { context, values throws(ToolError) in
            try await edit(values, context) { _ throws(ToolError) in .addOneTimeLink(values[permission].value) }
        }
    }

    /// Comes in, or goes.
    static func visit(_ action: String, _ summary: String, _ output: Output) -> Command {
        Command(
            action, summary: summary, options: ShareTarget.options, positionals: [ShareTarget.link], output: output
        ) { context, values throws(ToolError) in
            let (client, link) = try await ShareTarget.resolve(values)
            try write(try await client.links(action, link.request.shortGUID), client, to: context.output)
            return .success
        }
    }

    /// Changes where one person stands.
    static func person(_ action: String, _ summary: String, _ output: Output) -> Command {
        Command(
            action, summary: summary,
            options: ShareTarget.options + (action == "approve" ? [permission] : []),
            positionals: [ShareTarget.link, who], output: output
        ) { context, values throws(ToolError) in
            try await edit(values, context) { link throws(ToolError) in
                switch action {
                case "approve": return .approve(userRecordName: values[who], values[permission].value)
                case "deny": return .deny(userRecordName: values[who])
                case "unblock": return .unblock(userRecordName: values[who])
                case "block":
                    // Somebody who takes part, or who asks.
                    let known = try link.details.participants.first { isMeant($0, values[who]) }
                    return .block(userRecordName: known?.identity.userRecordName ?? values[who])
                default: return .remove(participantID: try participant(values[who], link).participantID)
                }
            }
        }
    }

    static func stop(_ output: Output) -> Command {
        Command(
            "stop", summary: "Stops sharing with everybody", options: ShareTarget.options,
            positionals: [ShareTarget.link], output: output
        ) { context, values throws(ToolError) in
            let (client, link) = try await ShareTarget.resolve(values)
            try await client.stop(link)
            try context.output.result(
                Stopped(stopped: client.link(link.request.shortGUID)), text: "sharing has stopped")
            return .success
        }
    }

    private struct Stopped: Encodable {
        var stopped: String
    }

    // MARK: - Helpers

    private static func edit(
        _ values: Values, _ context: ToolContext, _ make: (ShareLink) throws(ToolError) -> ShareEdit
    ) async throws(ToolError) -> ToolError.ExitCode {
        let (client, link) = try await ShareTarget.resolve(values)
        try write(try await client.change(link, [try make(link)]), client, to: context.output)
        return .success
    }

    private static func isMeant(_ participant: ShareParticipant, _ word: String) -> Bool {
        if participant.participantID == word || participant.identity.userRecordName == word { return true }
        guard case .emailAddress(let address)? = participant.identity.lookupInfo else { return false }
        return address.lowercased() == word.lowercased()
    }

    private static func participant(_ word: String, _ link: ShareLink) throws(ToolError) -> ShareParticipant {
        guard let found = try link.details.participants.first(where: { isMeant($0, word) }) else {
            throw ToolError(CloudError(.notFound, "the share has no participant '\(word)' that you can see"))
        }
        return found
    }
}
