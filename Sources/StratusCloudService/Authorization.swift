import StratusCloudModel

/// Who may do what: the one place that decides.
enum Authorization {
    static let authenticationRequired = CloudError(.authenticationRequired, "request needs authorization")

    /// The user record name that a caller acts under: a person's, or a server-to-server key's own.
    static func userRecordName(of caller: Caller) throws(CloudError) -> String {
        guard let name = caller.userRecordName else { throw authenticationRequired }
        return name
    }

    /// The user record name of a caller who must be a person.
    static func person(_ caller: Caller) throws(CloudError) -> String {
        if case .serverToServer = caller.principal {
            throw CloudError(.accessDenied, "server-to-server keys cannot use operations that need a user")
        }
        return try userRecordName(of: caller)
    }

    /// Whether a caller may use a database at all.
    static func checkDatabase(_ scope: DatabaseScope, _ caller: Caller) throws(CloudError) {
        switch (scope, caller.principal) {
        case (.public, _): break
        case (_, .user), (_, .administrator(.some)): break
        case (_, .anonymous), (_, .administrator(nil)): throw authenticationRequired
        case (_, .serverToServer):
            throw CloudError(.accessDenied, "server-to-server keys can only use the public database")
        }
    }

    /// Whether a caller may do something with records of a type, or with one of them.
    ///
    /// In private databases the owner may do everything. In the public one the grants of the type decide; writing
    /// implies reading.
    /// - Parameters:
    ///   - recordType: See ``grants(of:in:)``.
    ///   - creator: The user record name that made the record; nil asks about the type as such.
    static func permits(
        _ permission: Grant.Permission, in scope: DatabaseScope, _ recordType: String?, of schema: Schema,
        creator: String?, _ caller: Caller
    ) -> Bool {
        guard scope == .public, !caller.isAdministrator else { return true }
        return grants(of: recordType, in: schema).contains { grant in
            (grant.permission == permission || permission == .read && grant.permission == .write)
                && has(grant.role, caller, creator: creator, schema)
        }
    }

    /// What a caller is told who may not do something with records of a type.
    ///
    /// Someone who has not signed in is asked to, if that can help: if the type grants it to any role but everybody's.
    static func denial(
        of permission: Grant.Permission, _ recordType: String?, of schema: Schema, _ caller: Caller
    ) -> CloudError {
        if case .anonymous = caller.principal,
            grants(of: recordType, in: schema).contains(where: {
                $0.permission == permission && $0.role != Grant.world
            })
        {
            return authenticationRequired
        }
        return CloudError(.accessDenied, "\(permission.rawValue) operation not permitted")
    }

    /// What has no type yet, or one that does not exist yet, is under the default grants.
    private static func grants(of recordType: String?, in schema: Schema) -> [Grant] {
        recordType.flatMap { schema.recordTypes[$0]?.grants } ?? Grant.defaults
    }

    /// What participants do with somebody else's records.
    enum SharedAction {
        /// Read a record of the share, or the share itself as its participants see it.
        case see
        /// Make, change and delete records of the share.
        case change
        /// Say who takes part in the share, and what they may do.
        case manage
        /// Say who is an administrator, or stop sharing.
        case own
    }

    /// Whether somebody may do something in a share.
    /// - Parameter grant: what they accepted; nil is somebody who did not.
    static func permits(_ action: SharedAction, _ grant: ShareGrant?) -> Bool {
        guard let grant, grant.permission != .none else { return false }
        return switch action {
        case .see: true
        case .change: grant.permission == .readWrite
        case .manage: grant.permission == .readWrite && grant.role == .administrator
        case .own: false
        }
    }

    /// Whether a caller has a role with a record of somebody's: those that everybody has, and those that the operator
    /// made them a member of.
    private static func has(_ role: String, _ caller: Caller, creator: String?, _ schema: Schema) -> Bool {
        if role == Grant.world { return true }
        guard let name = caller.userRecordName else { return false }
        if role == Grant.signedIn || role == Grant.creator && name == creator { return true }
        return schema.members[name]?.contains(role) ?? false
    }
}
