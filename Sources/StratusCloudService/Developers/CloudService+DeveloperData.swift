import StratusCloudModel
import StratusCloudStore

/// Developers work in databases: as the operator in the public one, in their own name, and as nobody but themselves in
/// all others. Who they are is the account that they have linked, or, without one, a person of the console alone.
extension CloudService {
    /// Whom a developer's requests to a database come from. What the developer may do there was decided before.
    /// - Parameter isOperation: Whether it is about the records of a database; who asks about people, or takes part in
    ///   shares, is a person like any other.
    public func caller(
        of developer: DeveloperCaller, in context: CloudContext, _ scope: DatabaseScope, isAboutRecords: Bool
    ) async throws(CloudError) -> Caller {
        let name = try await userRecordName(of: developer, in: context)
        let principal: Caller.Principal =
            scope == .public && isAboutRecords ? .administrator(actingAs: name) : .user(name)
        var caller = Caller(context: context, principal: principal)
        caller.isBoundByQuotas = true
        return try paying(caller, name)
    }

    /// Whom an export of a developer's comes from: of the public database, or the developer's own.
    public func exporter(for developer: DeveloperCaller, in context: CloudContext) async throws(CloudError) -> Caller {
        let name = try await userRecordName(of: developer, in: context)
        return try paying(Caller(context: context, principal: .administrator(actingAs: name)), name)
    }

    /// A caller whose requests are counted like those of a signed-in person.
    func paying(_ caller: Caller, _ name: String) throws(CloudError) -> Caller {
        var caller = caller
        let subject = Throttle.Subject.user(caller.context, name)
        if try throttle.admit(subject, at: environment.now()) { caller.payers = [subject] }
        return caller
    }

    /// The name under which a developer works in a context, made with its `Users` records on first use.
    private func userRecordName(
        of developer: DeveloperCaller, in context: CloudContext
    ) async throws(CloudError) -> String {
        let key = DirectoryKey.developerUser(developer.id, in: context)
        let (account, known) = try await reading(.directory) { transaction in
            (try Self.linkedAccount(of: developer.id, in: transaction)?.account, try transaction.get(key))
        }
        if let account {
            do {
                return try await userRecordName(of: account, in: context)
            } catch {
                throw cloudError(from: error)
            }
        }
        let proposed = environment.random.userRecordName()
        let name =
            if let known {
                String(decoding: known, as: UTF8.self)
            } else {
                try await writing(.directory) { transaction in
                    if let existing = try transaction.get(key) { return String(decoding: existing, as: UTF8.self) }
                    transaction.set(key, Array(proposed.utf8))
                    return proposed
                }
            }
        do {
            // Again each time: a crash may have come between the name and its records.
            try await makeUserRecords(name, in: context)
        } catch {
            throw cloudError(from: error)
        }
        return name
    }
}
