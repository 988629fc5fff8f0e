import StratusTestSupport

/// Files, publications and backups of the owner. Sharing zones opens none of them to anybody.
extension LeakWalk {
    func files() async throws {
        let files = world.people.files
        let listed = try await ask("files/published", [:], in: "private")
        let ids = (listed.json["publications"].array ?? []).compactMap { $0["publicationID"].string }
        try demand(ids == (isOwner ? [files.publication] : []), "person \(person) has published: \(listed)")
        let scopes = isOwner ? ["public", "shared"] : ["public", "shared", "private"]
        for scope in scopes {
            for (action, body) in [
                ("files/publish", ["recordName": .string(files.fileRecord)]),
                ("files/unpublish", ["publicationID": .string(files.publication)]),
            ] as [(String, JSON)] {
                let refused = try await ask(action, body, in: scope)
                try demand(
                    refused.code == (scope == "private" ? "NOT_FOUND" : "BAD_REQUEST"),
                    "person \(person) publishes what is not theirs: \(scope) \(refused)")
            }
        }
        guard !isOwner else { return try await ownFile() }
        for request in files.programs + files.scripts(owner: world.people.name(LeakRules.owner)) {
            notes.walked(request.route)
            let answer = try await files.send(request, as: person)
            try demand(answer.status == request.status, "person \(person), not \(request.status): \(answer)")
            let sent = request.path + request.body
            try clean(answer.text, world.secrets(from: person, sent: sent), "\(answer)")
            // Of several items each is refused.
            for result in answer.json["results"].array ?? [] {
                try demand(result["error"] == "NOT_FOUND", "person \(person): \(answer)")
            }
        }
    }

    /// Nothing that others tried has changed what is there.
    private func ownFile() async throws {
        let files = world.people.files
        for request in files.programs where request.method == "GET" && request.path.hasSuffix(files.name) {
            let answer = try await files.send(request, as: person)
            try demand(answer.status == 200 && answer.text == files.content, "the owner's file: \(answer)")
        }
    }
}
