import StratusCloudModel
import StratusTestSupport

/// Steps about what is kept with shares for encrypted values, which is nobody's news.
extension LeakWorld {
    /// Bytes as they stand on the wire, of which there are no others like them.
    private static func bytes(_ name: String) -> String {
        String(decoding: Base64.encode(Array(Unique.name(name).utf8)) as [UInt8], as: UTF8.self)
    }

    /// The owner writes keys, and hands them over to all who are in.
    mutating func writeKeys(of number: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let entries = try await owner.find(name, zone: zone)["participants"].array ?? []
        var keys = share.keys
        var handovers: [JSON] = []
        for (person, member) in share.members where member.hasAccepted {
            let user = people.name(person)
            guard let entry = entries.first(where: { $0["userIdentity"]["userRecordName"].string == user }) else {
                throw LeakViolation("\(person) is not in \(name): \(entries)")
            }
            let handover = Self.bytes("handover")
            keys.handovers[person] = handover
            handovers.append(["participantId": entry["participantId"], "handover": .string(handover)])
        }
        let envelope = Self.bytes("envelope")
        let answer = try await owner.post(
            "records/shareKeys",
            [
                "zoneID": place(zone), "shareName": .string(name), "keys": .string(envelope),
                "keyTag": .string(keys.tag), "handovers": .array(handovers),
            ])
        let saved = answer.json["shares"].array?.first { $0["shareName"].string == name }
        guard answer.status == 200, let tag = saved?["keyTag"].string, tag != keys.tag else {
            throw LeakViolation("writing keys of \(name): \(answer)")
        }
        (keys.envelope, keys.tag, keys.state) = (envelope, tag, "CURRENT")
        rules.zones[zone]?.shares[name]?.keys = keys
    }

    /// Somebody proves a key to the owner, if they are in.
    mutating func prove(_ number: Int, by person: Int) async throws {
        guard let (zone, name, _) = pickShare(number) else { return }
        let proof = Self.bytes("proof")
        let answer = try await people.database("shared", of: person).post(
            "records/shareKeys", ["zoneID": place(zone), "shareName": .string(name), "proof": .string(proof)])
        guard rules.member(person, name, in: zone) != nil else {
            let expected = rules.seesZone(person, zone) ? "NOT_FOUND" : "ZONE_NOT_FOUND"
            return try demand(answer.code == expected, "proving by \(person), who is not in \(name): \(answer)")
        }
        try demand(answer.status == 200, "proving by \(person): \(answer)")
        rules.zones[zone]?.shares[name]?.keys.proofs[person] = proof
    }
}
