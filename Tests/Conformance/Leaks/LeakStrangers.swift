import StratusTestSupport

/// Whoever is nobody here: with the app's token only, and with a server's key.
struct LeakStrangers: Sendable {
    let world: LeakWorld

    /// Every endpoint that is about records, zones, links or subscriptions, with a body that would be good.
    private func requests(_ zone: String) -> [(action: String, body: JSON)] {
        let place = world.place(zone)
        let name: JSON = .string(world.rules.zones[zone]?.names.first ?? "never")
        let link: JSON = .string(world.rules.zones[zone]?.shares.values.first?.guid ?? "nothing")
        let one: JSON = ["recordName": name]
        return [
            ("records/modify", ["operations": .array([Change.create("Item", "x")]), "zoneID": place]),
            ("records/lookup", ["records": [one], "zoneID": place]),
            ("records/query", ["query": ["recordType": "Item"], "zoneID": place]),
            ("records/changes", ["zoneID": place]), ("changes/zone", ["zones": [["zoneID": place]]]),
            ("changes/database", [:]), ("zones/changes", [:]), ("zones/list", [:]),
            ("zones/lookup", ["zones": [place]]),
            ("zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": place]]]]),
            ("subscriptions/list", [:]),
            ("subscriptions/lookup", ["subscriptions": [["subscriptionID": "ear1"]]]),
            (
                "subscriptions/modify",
                ["operations": [["operationType": "create", "subscription": Watch.database("d")]]]
            ),
            (
                "assets/upload",
                ["tokens": [one.merging(["recordType": "Item", "fieldName": "file"])], "zoneID": place]
            ),
            ("assets/rereference", ["assets": [one.merging(["fieldName": "file"])], "zoneID": place]),
            ("records/resolve", ["shortGUIDs": [["value": link]]]),
            ("records/accept", ["shortGUIDs": [["value": link]]]),
            ("records/requestAccess", ["shortGUIDs": [["value": link]]]),
            ("records/decline", ["shortGUIDs": [["value": link]]]),
            ("records/invite", ["shortGUID": link, "participantIds": [.string(world.people.name(1))]]),
            ("records/invitations", [:]), ("records/shares", ["zoneID": place, "recordNames": [name]]),
            ("records/shareKeys", ["zoneID": place, "shareName": name, "proof": "AAAA"]),
        ] + people
    }

    /// Endpoints that are about people, their devices and their files.
    private var people: [(action: String, body: JSON)] {
        let person = LeakPeople.found
        let email: JSON = ["emailAddress": .string(world.people.email(person))]
        let name: JSON = ["userRecordName": .string(world.people.name(person))]
        return [
            ("users/caller", [:]), ("users/current", [:]), ("users/fileRoom", [:]),
            ("users/token", ["apiToken": .string(world.people.tenant.apiToken)]), ("users/discover", [:]),
            ("users/discover", ["lookupInfos": [email, name]]), ("users/lookup/email", ["users": [email]]),
            ("users/lookup/phone", ["users": [["phoneNumber": "+15550100"]]]), ("users/lookup/id", ["users": [name]]),
            ("users/lookup/contacts", [:]), ("tokens/create", ["apnsEnvironment": "development"]),
            ("tokens/register", ["apnsEnvironment": "development", "apnsToken": "00ff"]),
            ("files/publish", ["recordName": .string(world.people.files.fileRecord)]), ("files/published", [:]),
            ("files/unpublish", ["publicationID": .string(world.people.files.publication)]),
        ]
    }

    /// What needs a person in every database's path.
    private static func isPersonal(_ action: String) -> Bool {
        ["users/", "tokens/", "files/"].contains { action.hasPrefix($0) }
            || ["resolve", "accept", "requestAccess", "decline", "invite", "invitations"].contains {
                action == "records/\($0)"
            }
    }

    /// What a server-to-server key may ask about people: its own name, and those who let themselves be found.
    private static let openToKeys: Set<String> = [
        "users/caller", "users/current", "users/discover", "users/lookup/email", "users/lookup/phone",
        "users/lookup/id", "users/lookup/contacts",
    ]

    func walk(_ notes: LeakNotes) async throws {
        let tenant = world.people.tenant
        for (credential, status, code, open) in [
            (Credential.apiToken(tenant.apiToken), 421, "AUTHENTICATION_REQUIRED", []),
            (tenant.key, 403, "ACCESS_DENIED", Self.openToKeys),
        ] as [(Credential, Int, String, Set<String>)] {
            for zone in world.zones {
                for (action, body) in requests(zone) {
                    if open.contains(action) {
                        let answer = try await tenant.database("public", credential).post(action, body)
                        try demand(answer.status == 200, "a key finds people: \(answer)")
                        try clean(answer, sent: body.text)
                        continue
                    }
                    for scope in ["shared", "private"] {
                        notes.walked(action)
                        let answer = try await tenant.database(scope, credential).post(action, body)
                        try demand(
                            answer.status == status && answer.code == code, "nobody is to be let in: \(scope) \(answer)"
                        )
                        try clean(answer, sent: body.text)
                    }
                    // The public database has no part in it, but its paths lead to links.
                    let answer = try await tenant.database("public", credential).post(action, body)
                    try demand(
                        !Self.isPersonal(action) || answer.status == status && answer.code == code,
                        "nobody is to be somebody: \(answer)")
                    try clean(answer, sent: body.text)
                }
            }
        }
    }

    /// Programs and pages that nobody has signed in to.
    func walkFiles() async throws {
        let files = world.people.files
        for request in files.programs + files.scripts(owner: world.people.name(LeakRules.owner)) {
            let answer = try await files.send(request, as: nil)
            try demand(answer.status == 401, "nobody is to be let in: \(answer)")
            try clean(answer, sent: request.path + request.body)
        }
        let page = try await world.people.tenant.database("private", .none).send("GET", path: "/files")
        try clean(page, sent: "")
    }

    private func clean(_ answer: Answer, sent: String) throws {
        // The stranger never saw anything.
        for secret in world.secrets(from: LeakPlan.stranger, sent: sent) where answer.text.contains(secret.text) {
            throw LeakViolation("nobody is told \(secret.what): \(answer)")
        }
    }
}
