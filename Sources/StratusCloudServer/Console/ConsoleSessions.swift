import StratusCloudModel
import StratusCloudService

/// Who is signed in, and how one comes in.
enum ConsoleSessions {
    static let routes = [
        ConsoleRoute("GET", "session", .anybody, show),
        ConsoleRoute("POST", "set-up", .anybody, setUp),
        ConsoleRoute("POST", "sign-in", .anybody, signIn),
        ConsoleRoute("POST", "sign-out", .developers, signOut),
        ConsoleRoute("POST", "password", .developers, changePassword),
        ConsoleRoute("GET", "invitations/:code", .anybody, showInvitation),
        ConsoleRoute("POST", "invitations/:code", .anybody, accept),
    ]

    private static func show(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        ConsoleAnswer(try await session(of: call.developer, call))
    }

    private static func session(
        of developer: DeveloperCaller?, _ call: ConsoleCall
    ) async throws(CloudError) -> ConsoleJSON {
        let needsSetUp = developer == nil ? try await call.service.needsConsoleSetUp() : false
        return [
            "needsSetUp": .boolean(needsSetUp), "developer": developer.map(json) ?? nil,
            "version": .string(ServerVersion.current), "sendsMail": .boolean(call.service.sendsMail),
        ]
    }

    /// The first owner, or another one: with a code that the operator has.
    private static func setUp(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let code = try body.text("code")
        guard try await call.service.invitation(code: code, source: call.source).purpose == .owner else {
            throw CloudError(.badRequest, "this code is an invitation to a team")
        }
        return try await join(call, code: code)
    }

    private static func signIn(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        return try await entered(
            call,
            try await call.service.signInDeveloper(
                email: try body.text("email"), password: try body.text("password"),
                staysSignedIn: try body.member("staysSignedIn")?.boolean() ?? false, source: call.source))
    }

    private static func signOut(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.endSession(of: try call.signedIn())
        var answer = ConsoleAnswer.done
        answer.headers.append(call.cookie.clearing)
        return answer
    }

    private static func changePassword(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        return try await entered(
            call,
            try await call.service.changePassword(
                of: try call.signedIn(), from: try body.text("current"), to: try body.text("new"),
                source: call.source))
    }

    private static func showInvitation(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let invitation = try await call.service.invitation(code: try call.parameter("code"), source: call.source)
        var members: [(String, ConsoleJSON)] = [
            ("email", ConsoleJSON(invitation.email)), ("invitedBy", .string(invitation.by)),
            ("expires", .integer(invitation.expires)), ("needsAccount", .boolean(!invitation.isKnown)),
        ]
        switch invitation.purpose {
        case .owner: members.append(("owner", true))
        case .team(let container, let role):
            members += [("container", .string(container.rawValue)), ("role", .string(role.rawValue))]
        }
        return ConsoleAnswer(.object(members))
    }

    /// Who is signed in accepts as who they are; whose address a developer has signs in; others make an account.
    private static func accept(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let code = try call.parameter("code")
        if let developer = call.developer {
            try await call.service.acceptInvitation(code: code, as: developer, source: call.source)
            return ConsoleAnswer(try await session(of: developer, call))
        }
        let invitation = try await call.service.invitation(code: code, source: call.source)
        guard invitation.isKnown, let email = invitation.email else { return try await join(call, code: code) }
        let session = try await call.service.signInDeveloper(
            email: email, password: try call.body().text("password"), source: call.source)
        guard let developer = try await call.service.developer(session: session) else {
            throw ConsoleCall.signInFirst
        }
        try await call.service.acceptInvitation(code: code, as: developer, source: call.source)
        return try await entered(call, session)
    }

    private static func join(_ call: ConsoleCall, code: String) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let new = NewDeveloper(
            email: try body.optionalText("email") ?? "", name: try body.text("name"),
            password: try body.text("password"))
        return try await entered(
            call, try await call.service.acceptInvitation(code: code, as: new, source: call.source))
    }

    /// Tells who has signed in, and gives the browser the session.
    private static func entered(_ call: ConsoleCall, _ session: String) async throws(CloudError) -> ConsoleAnswer {
        guard let developer = try await call.service.developer(session: session) else { throw ConsoleCall.signInFirst }
        var answer = ConsoleAnswer(try await self.session(of: developer, call))
        let seconds = developer.staysSignedIn ? DeveloperLimits.longSessionLifetime / 1_000 : nil
        answer.headers.append(call.cookie.setting(session, seconds: seconds))
        return answer
    }

    private static func json(_ developer: DeveloperCaller) -> ConsoleJSON {
        [
            "id": .string(developer.id), "email": .string(developer.email), "name": .string(developer.name),
            "owner": .boolean(developer.isOwner),
        ]
    }
}
