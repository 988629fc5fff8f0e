import StratusCloudModel
import StratusCloudService

/// Security roles, and who is in them.
enum ConsoleRoles {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/roles", .team(.seeSchema), list),
        ConsoleRoute("POST", "c/:container/:environment/roles", .team(.changeSchema), create),
        ConsoleRoute("DELETE", "c/:container/:environment/roles/:role", .team(.changeSchema), delete),
        ConsoleRoute("GET", "c/:container/:environment/roles/:role/members", .team(.seeSchema), listMembers),
        ConsoleRoute("POST", "c/:container/:environment/roles/:role/members", .team(.changeRoleMembers), addMember),
        ConsoleRoute(
            "DELETE", "c/:container/:environment/roles/:role/members/:user", .team(.changeRoleMembers), removeMember),
    ]

    private static func list(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        var roles: [ConsoleJSON] = []
        for role in try await call.service.roles(of: context) {
            let members = try await call.service.members(ofRole: role, in: context)
            roles.append(["name": .string(role), "members": ConsoleJSON(members.count)])
        }
        return ConsoleAnswer(["roles": .array(roles)])
    }

    private static func create(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.createRole(
            try call.body().text("name"), in: try call.context(), by: try call.by())
        return .done
    }

    private static func delete(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.deleteRole(try call.parameter("role"), in: try call.context(), by: try call.by())
        return .done
    }

    private static func listMembers(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        let members = try await call.service.members(ofRole: try call.parameter("role"), in: context)
        let found = try await call.service.discoverableUsers(named: members, in: context)
        return ConsoleAnswer([
            "members": .array(
                members.map { name in
                    ["userRecordName": .string(name), "name": ConsoleJSON(found[name]?.fullName)]
                })
        ])
    }

    private static func addMember(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        var user = try call.body().text("user")
        if user.contains("@") {
            user = try await call.service.userRecordName(
                findableBy: user, in: context, for: try call.signedIn())
        }
        return try await setMembership(user, true, call)
    }

    private static func removeMember(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await setMembership(try call.parameter("user"), false, call)
    }

    private static func setMembership(
        _ user: String, _ isMember: Bool, _ call: ConsoleCall
    ) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.setMembership(
            of: user, inRole: try call.parameter("role"), isMember, in: try call.context())
        return .done
    }
}
