import StratusTestSupport

/// People and their devices, whom sharing shows to nobody: who is in a share with somebody finds no more of them than
/// anybody else does.
extension LeakWalk {
    func users() async throws {
        let (people, found) = (world.people, LeakPeople.found)
        for action in ["users/caller", "users/current"] {
            let answer = try await ask(action, [:], in: scope)
            try demand(
                answer.status == 200 && answer.json["userRecordName"].string == people.name(person),
                "person \(person) is somebody else: \(answer)")
        }
        // Nobody has an address book, so nobody finds anybody without asking.
        for action in ["users/discover", "users/lookup/contacts"] {
            let answer = try await ask(action, [:], in: "public")
            try demand(answer.status == 200 && answer.json["users"] == [], "person \(person) finds: \(answer)")
        }
        let hidden = [LeakRules.owner, 1, 2].first { $0 != person } ?? 2
        let emails = [found, hidden].map { JSON.object(["emailAddress": .string(people.email($0))]) }
        let names = [found, hidden].map { JSON.object(["userRecordName": .string(people.name($0))]) }
        for (action, list, lookups) in [
            ("users/discover", "lookupInfos", emails), ("users/discover", "lookupInfos", names),
            ("users/lookup/email", "users", emails), ("users/lookup/id", "users", names),
        ] {
            let answer = try await ask(action, .object([list: .array(lookups)]), in: "public")
            let users = (answer.json["users"].array ?? []).compactMap { $0["userRecordName"].string }
            try demand(
                answer.status == 200 && users == [people.name(found)], "person \(person) looks for people: \(answer)")
        }
        let phone = try await ask("users/lookup/phone", ["users": [["phoneNumber": "+15550100"]]], in: "public")
        try demand(phone.status == 200 && phone.json["users"] == [], "person \(person) finds a number: \(phone)")
    }

    /// Sessions and devices that are made are the person's own. Once is enough: they are kept.
    func devices() async throws {
        guard notes.isFirst("devices of \(person)") else { return }
        let (people, tenant) = (world.people, world.people.tenant)
        let session = try await ask("users/token", ["apiToken": .string(tenant.apiToken)], in: "public")
        guard let token = session.json["ckWebAuthToken"].string else { throw LeakViolation("\(session)") }
        let caller = try await tenant.database("public", .user(apiToken: tenant.apiToken, webAuthToken: token))
            .post("users/caller", [:])
        try demand(
            caller.json["userRecordName"].string == people.name(person), "person \(person)'s token: \(caller)")
        let made = try await ask("tokens/create", ["apnsEnvironment": "development"], in: "public")
        guard let device = made.json["apnsToken"].string, let address = made.json["webcourierURL"].string else {
            throw LeakViolation("\(made)")
        }
        for other in notes.devices(besides: person) {
            // Whoever registers somebody else's token gets a mailbox of their own.
            let taken = try await ask(
                "tokens/register", ["apnsEnvironment": "development", "apnsToken": .string(other.token)], in: "public")
            let mailbox = taken.json["webcourierURL"].string
            try demand(
                other.address != address && mailbox != other.address, "person \(person) has another's mailbox: \(taken)"
            )
        }
        notes.give(device: device, address, to: person)
        let own = try await ask(
            "tokens/register", ["apnsEnvironment": "development", "apnsToken": .string(device)], in: "public")
        try demand(own.json["webcourierURL"].string == address, "person \(person) registers again: \(own)")
    }
}
