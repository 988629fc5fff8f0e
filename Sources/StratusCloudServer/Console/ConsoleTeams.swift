import StratusCloudModel
import StratusCloudService

/// Containers, and who works on them.
enum ConsoleTeams {
    static let routes = [
        ConsoleRoute("GET", "containers", .developers, listContainers),
        ConsoleRoute("POST", "containers", .owners, createContainer),
        ConsoleRoute("GET", "c/:container/team", .team(.seeTeam), show),
        ConsoleRoute("POST", "c/:container/team", .team(.changeTeam), invite),
        ConsoleRoute("PUT", "c/:container/team/:id", .team(.changeTeam), changeRole),
        ConsoleRoute("DELETE", "c/:container/team/:id", .team(.changeTeam), remove),
    ]

    private static func listContainers(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let containers = try await call.service.containers(of: try call.signedIn())
        return ConsoleAnswer([
            "containers": .array(
                containers.map { ["id": .string($0.identifier.rawValue), "role": .string($0.role.rawValue)] })
        ])
    }

    private static func createContainer(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let container = try ControlService.container(try call.body().text("id"))
        try await call.service.createContainer(container)
        return ConsoleAnswer(["id": .string(container.rawValue), "role": .string(TeamRole.admin.rawValue)])
    }

    private static func show(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let mayInvite = call.role.map { DeveloperAct.changeTeam.isAllowed(to: $0, in: nil) } ?? false
        let team = try await call.service.team(of: try call.container(), showsInvitations: mayInvite)
        return ConsoleAnswer([
            "members": .array(
                team.members.map { member in
                    [
                        "id": .string(member.developer.id), "email": .string(member.developer.email),
                        "name": .string(member.developer.name), "role": .string(member.role.rawValue),
                        "owner": .boolean(member.developer.isOwner),
                    ]
                }),
            "invitations": .array(
                team.invitations.map { invitation in
                    [
                        "id": .string(invitation.id), "email": .string(invitation.email),
                        "role": .string(invitation.role.rawValue), "expires": .integer(invitation.expires),
                    ]
                }),
        ])
    }

    private static func invite(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let code = try await call.service.inviteDeveloper(
            email: try body.text("email"), to: try call.container(), as: try ControlService.teamRole(body.text("role")),
            by: try call.by())
        // Who invites has the code in any case, and is told that no mail goes out.
        let isMailed: Bool
        do throws(CloudError) {
            isMailed = try await call.service.mailInvitation(code: code)
        } catch {
            isMailed = false
        }
        return ConsoleAnswer([
            "code": .string(code), "mailed": .boolean(isMailed),
            "url": ConsoleJSON(
                call.address.base(for: call.head).map {
                    $0 + ConsoleAddress.path(invitedBy: code, isOwner: false)
                }),
        ])
    }

    private static func changeRole(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.setRole(
            try ControlService.teamRole(call.body().text("role")), of: try call.parameter("id"),
            in: try call.container())
        return .done
    }

    private static func remove(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.removeFromTeam(try call.parameter("id"), of: try call.container())
        return .done
    }
}
