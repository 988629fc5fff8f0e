import StratusCloudModel

/// Security roles: who may do what in the public database, beside what everybody may.
extension CloudService {
    /// The roles that a container's app made in an environment, in alphabetical order.
    /// - Throws: `notFound` if there is no such container.
    public func roles(of context: CloudContext) async throws(CloudError) -> [String] {
        try await checkContainer(context)
        return try await schema(of: context).roles.sorted()
    }

    /// Makes a role, in development; production gets it with the next deployment.
    /// - Throws: `badRequest` for a name that begins with `_`, one that is no text of 1 to ``ModelLimits/nameLength``
    ///   printable bytes, and in production; `exists`; `notFound` if there is no such container.
    public func createRole(
        _ name: String, in context: CloudContext, by operatorName: String = ""
    ) async throws(CloudError) {
        try await checkContainer(context)
        try checkIsDevelopment(context)
        guard !name.isEmpty, name.utf8.count <= ModelLimits.nameLength, !Names.isReserved(name),
            name.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
        else {
            throw CloudError(
                .badRequest,
                "a role's name has 1 to \(ModelLimits.nameLength) ASCII letters, digits and signs but '\"', and does "
                    + "not begin with '_'")
        }
        try await changeRoles(of: context, operatorName) { (schema) throws(CloudError) in
            guard !schema.roles.contains(name) else { throw CloudError(.exists, "role '\(name)' exists") }
            schema.roles.insert(name)
        }
    }

    /// Removes a role from development, and everybody from it.
    /// - Throws: `notFound` if there is no such role; `conflict` as long as a record type grants it something or
    ///   production has it; `badRequest` in production.
    public func deleteRole(
        _ name: String, in context: CloudContext, by operatorName: String = ""
    ) async throws(CloudError) {
        try await checkContainer(context)
        try checkIsDevelopment(context)
        try await schema(of: context.production).checkRoleIsAbsent(name)
        try await changeRoles(of: context, operatorName) { (schema) throws(CloudError) in
            try schema.checkRole(name)
            try SchemaDocument(schema).checkNothingIsGranted(to: name)
            schema.setRoles(schema.roles.subtracting([name]))
        }
    }

    /// The user record names of a role's members, in alphabetical order.
    /// - Throws: `notFound` if there is no such role.
    public func members(ofRole name: String, in context: CloudContext) async throws(CloudError) -> [String] {
        try await checkContainer(context)
        let schema = try await schema(of: context)
        try schema.checkRole(name)
        return schema.members.filter { $0.value.contains(name) }.map(\.key).sorted()
    }

    /// Makes somebody a member of a role, or no longer one. It holds from the next request on.
    /// - Parameter user: A user record name, of a person or of a server-to-server key.
    /// - Throws: `notFound` if there is no such role; `badRequest` for what is no user record name, and for more than
    ///   ``ServiceLimits/roleMembers`` members.
    public func setMembership(
        of user: String, inRole name: String, _ isMember: Bool, in context: CloudContext
    ) async throws(CloudError) {
        try await checkContainer(context)
        guard Names.isUserRecordName(user) else {
            throw CloudError(.badRequest, "'\(user.prefix(64))' is not a user record name")
        }
        do {
            _ = try await schemas.change(context) { schema, _ in
                try schema.checkRole(name)
                var held = schema.members[user] ?? []
                if isMember { held.insert(name) } else { held.remove(name) }
                schema.members[user] = held.isEmpty ? nil : held
                try schema.checkRoom()
            }
        } catch {
            throw cloudError(from: error)
        }
    }

    private func changeRoles(
        of context: CloudContext, _ operatorName: String,
        _ body: @escaping @Sendable (inout Schema) throws(CloudError) -> Void
    ) async throws(CloudError) {
        let change = SchemaChange(kind: .apply, name: "", by: operatorName, time: environment.now())
        _ = try await change.carryOut(on: schemas, context, self, body)
    }

    private func checkIsDevelopment(_ context: CloudContext) throws(CloudError) {
        guard context.environment == .development else {
            throw CloudError(.badRequest, "roles can only be created in development; deploy them to production")
        }
    }
}

extension Schema {
    fileprivate func checkRole(_ name: String) throws(CloudError) {
        guard roles.contains(name) else { throw CloudError(.notFound, "there is no role '\(name)'") }
    }

    /// For a production's schema.
    /// - Throws: `conflict` if it has the role.
    func checkRoleIsAbsent(_ name: String) throws(CloudError) {
        guard !roles.contains(name) else {
            throw CloudError(.conflict, "role '\(name)' is in production and cannot be removed from development")
        }
    }

    /// - Throws: `conflict` if the role has members.
    func checkNobodyHas(role name: String) throws(CloudError) {
        let count = members.values.count { $0.contains(name) }
        guard count == 0 else {
            throw CloudError(
                .conflict, "role '\(name)' has \(count) \(count == 1 ? "member" : "members"): remove them first")
        }
    }

    /// - Throws: `badRequest` naming the limit that is passed.
    func checkRoom() throws(CloudError) {
        guard roles.count <= ServiceLimits.roles else {
            throw CloudError(.badRequest, "an environment has at most \(ServiceLimits.roles) roles")
        }
        guard members.count <= ServiceLimits.roleMembers else {
            throw CloudError(
                .badRequest, "at most \(ServiceLimits.roleMembers) people have roles in an environment")
        }
    }
}

extension SchemaDocument {
    /// - Throws: `conflict` naming a record type that grants the role something.
    func checkNothingIsGranted(to role: String) throws(CloudError) {
        guard let type = recordTypes.first(where: { $0.grants.contains { $0.role == role } }) else { return }
        throw CloudError(.conflict, "record type '\(type.name)' grants permissions to role '\(role)'")
    }
}
