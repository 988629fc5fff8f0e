import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What the operator hands out to a person who asks what is kept of them.
extension CloudService {
    /// A person by the address that they sign in with.
    /// - Throws: `notFound` if there is no such account.
    public func person(email: String) async throws(CloudError) -> Person {
        let contexts = try await listContainers().flatMap { container in
            CloudEnvironment.allCases.map { CloudContext(container: container, environment: $0) }
        }
        var roles: [CloudContext: [String: Set<String>]] = [:]
        for context in contexts { roles[context] = try await schema(of: context).members }
        let members = roles
        let email = EmailAddress.normalized(email)
        let found = try await reading(.directory) { transaction -> (person: Person, accountID: String)? in
            guard let id = try transaction.get(DirectoryKey.account(email: email)),
                let account: Account = try transaction.value(
                    at: DirectoryKey.account(id: String(decoding: id, as: UTF8.self)))
            else { return nil }
            let profile = try Profile.read(of: account.id, in: transaction)
            let discoverable = Set(try Discoverability.all(of: account.id, in: transaction).map(\.context))
            var sessions: [CloudContext: [Person.Session]] = [:]
            try transaction.forEach(in: DirectoryKey.sessions, limit: .max, reverse: false) { key, value in
                let session = try Session(stored: Array(value))
                if session.accountID == account.id, session.accountEpoch == account.sessionEpoch {
                    let hash = Array(key.dropFirst())
                    let use: SessionUse? = try transaction.value(at: DirectoryKey.sessionUse(hash, of: account.id))
                    sessions[session.context, default: []].append(
                        Person.Session(
                            created: session.created, expires: session.expires, agent: use?.agent,
                            lastUsed: use?.lastUsed))
                }
                return true
            }
            var person = Person(
                email: account.email, created: account.created, givenName: profile.givenName,
                familyName: profile.familyName, phone: profile.phone)
            person.consoles = try Self.consoles(of: account.id, in: transaction)
            person.appPasswords = try Self.appPasswords(of: account.id, in: transaction)
            for context in contexts {
                guard let name = try transaction.get(DirectoryKey.user(of: account.id, in: context)) else { continue }
                let user = String(decoding: name, as: UTF8.self)
                let book: AddressBook? = try transaction.value(at: DirectoryKey.addressBook(of: user, in: context))
                person.environments.append(
                    Person.Environment(
                        context: context, userRecordName: user, isDiscoverable: discoverable.contains(context),
                        roles: members[context]?[user].map { $0.sorted() } ?? [],
                        contacts: book?.hashes.count ?? 0,
                        sessions: (sessions[context] ?? []).sorted { $0.created < $1.created }))
            }
            return (person, account.id)
        }
        guard var found else { throw CloudError(.notFound, "no account has the e-mail address '\(email)'") }
        found.person.deviceBackups = try await deviceBackups(of: found.accountID)
        return found.person
    }

    /// The devices of a user that are told of changes.
    public func devices(of userRecordName: String, in context: CloudContext) async throws(CloudError) -> [PersonDevice]
    {
        try await reading(.privateDatabase(of: userRecordName, in: context)) { transaction in
            try transaction.allValues(PushDevice.self, in: PushKey.devices).map { device in
                let (kind, address): (String, String?) =
                    switch device.address {
                    case .courier: ("poll", nil)
                    case .apns(let token, _): ("apns", Hex.encode(token))
                    case .webPush(let push): ("webPush", push.endpoint)
                    }
                return PersonDevice(
                    kind: kind, clientID: device.clientID, created: device.created, lastSeen: device.lastSeen,
                    address: address)
            }
        }
    }

    /// What a user's clients gave with their latest modifications, in their zones and in those that others share with them.
    public func changeTokens(
        of userRecordName: String, in context: CloudContext
    ) async throws(CloudError) -> [PersonChangeToken] {
        @Sendable func tokens(
            _ zoneID: ZoneID, _ zone: ZoneNumber, _ transaction: any ReadTransaction
        ) throws -> [PersonChangeToken] {
            try TokenClient.all(of: userRecordName, in: zone, transaction).map {
                PersonChangeToken(zoneID: zoneID, given: $0.value.given, token: $0.value.token)
            }
        }
        var found = try await reading(.privateDatabase(of: userRecordName, in: context)) { transaction in
            try Self.allZones(in: transaction).flatMap { name, header in
                try tokens(ZoneID(zoneName: name, ownerRecordName: userRecordName), header.number, transaction)
            }
        }
        let shared = Partition.sharedDatabase(of: userRecordName, in: context)
        for zone in try await reading(shared, { try SharedZone.all(in: $0) }) {
            guard let owner = zone.zoneID.ownerRecordName else { continue }
            found += try await reading(.privateDatabase(of: owner, in: context)) { transaction in
                guard let header = try ZoneHeader.find(zone.zoneID.zoneName, in: transaction) else { return [] }
                return try tokens(zone.zoneID, header.number, transaction)
            }
        }
        return found
    }
}
