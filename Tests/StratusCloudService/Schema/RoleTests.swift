import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Security roles, all operations by all kinds of callers, held against a rule of its own.
@Suite struct RoleTests {
    /// Who asks.
    private enum Who: String, CaseIterable {
        case creator, member, other, nobody

        /// The user's digit.
        var digit: Character { self == .creator ? "a" : self == .member ? "b" : "c" }
    }

    private func caller(_ who: Who, _ cloud: TestCloud) -> Caller {
        who == .nobody ? cloud.anonymous : cloud.user(who.digit)
    }

    /// The rule once more, as short as it can be said.
    private func may(_ who: Who, _ permission: String, _ grants: Set<String>, creates: Bool = false) -> Bool {
        var roles = ["_world"]
        if who != .nobody { roles.append("_icloud") }
        if who == .creator, !creates { roles.append("_creator") }
        if who == .member { roles.append("editor") }
        return roles.contains { role in
            grants.contains("\(permission) \(role)") || permission == "READ" && grants.contains("WRITE \(role)")
        }
    }

    @Test("Threats 4, 7 and 9: every operation by everybody, under random grants")
    func everyOperationByEverybodyUnderRandomGrants() async throws {
        let seed = Seed.draw()
        print("RoleTests seed: \(seed)")
        var generator = SeededRandom(seed: seed)
        let cloud = try await TestCloud()
        let admin = Caller(context: cloud.context, principal: .administrator(actingAs: cloud.user("a").userRecordName))
        let member = try #require(cloud.user("b").userRecordName)
        for round in 0..<40 {
            var grants: Set<String> = []
            for role in ["_world", "_icloud", "_creator", "editor"] {
                for permission in ["READ", "CREATE", "WRITE"] where generator.chance(25) {
                    grants.insert("\(permission) \(role)")
                }
            }
            guard !grants.isEmpty else { continue }
            let lines = grants.map { grant in
                let words = grant.split(separator: " ")
                return "GRANT \(words[0]) TO \"\(words[1])\""
            }
            let type = "T\(round)"
            try await cloud.service.applySchema(
                "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE \(type) (\"___recordID\" REFERENCE QUERYABLE, "
                    + "a INT64 QUERYABLE, \(lines.joined(separator: ", ")));", to: cloud.context)
            try await cloud.service.setMembership(of: member, inRole: "editor", true, in: cloud.context)
            for who in Who.allCases { try await check(who, type, grants, cloud, admin) }
        }
    }

    private func check(
        _ who: Who, _ type: String, _ grants: Set<String>, _ cloud: TestCloud, _ admin: Caller
    ) async throws {
        let (asker, name) = (caller(who, cloud), "\(type)-\(who)")
        let hint: Comment = "\(who) with \(grants.sorted())"
        _ = try await cloud.modify([.make(.create, name, type: type, ["a": .integer(1)])], in: .public, as: admin)
        let mayRead = may(who, "READ", grants)
        let found = try await cloud.lookup([name], in: .public, as: asker).first
        #expect((found?.saved != nil) == mayRead, hint)
        let query = QueryRecordsRequest(query: Query(recordType: type))
        let names = try? await cloud.service.queryRecords(query, in: .public, as: asker).records.map(\.recordName)
        #expect((names?.contains(name) ?? false) == mayRead, hint)
        let subscription = try await cloud.subscribed(type, as: asker)
        #expect(subscription == (who != .nobody && (mayRead || mayOwn(who, grants))), hint)

        let mayWrite = may(who, "WRITE", grants)
        let updated = try await outcome(of: .make(.forceUpdate, name, type: type, ["a": .integer(2)]), cloud, asker)
        #expect((updated?.saved != nil) == mayWrite, hint)
        if !mayWrite {
            let asksToSignIn = who == .nobody && grants.contains { $0.hasPrefix("WRITE ") && $0 != "WRITE _world" }
            #expect(updated?.error?.code == (asksToSignIn ? nil : .accessDenied), hint)
        }
        let deleted = try await outcome(of: .make(.forceDelete, name, type: type), cloud, asker)
        #expect((deleted?.isDeleted == true) == mayWrite, hint)
        let created = try await outcome(
            of: .make(.create, "\(name)-new", type: type, ["a": .integer(3)]), cloud, asker)
        #expect((created?.saved != nil) == may(who, "CREATE", grants, creates: true), hint)
    }

    /// The result of one operation; nil where the whole request asks somebody without an account to sign in.
    private func outcome(
        of operation: RecordOperation, _ cloud: TestCloud, _ asker: Caller
    ) async throws -> RecordResult? {
        do {
            return try await cloud.modify([operation], in: .public, as: asker).first
        } catch let error as CloudError
            where asker.principal == .anonymous && error == Authorization.authenticationRequired
        {
            return nil
        }
    }

    /// Whoever may read records of their own may ask to be told of them.
    private func mayOwn(_ who: Who, _ grants: Set<String>) -> Bool {
        who != .nobody && !grants.isDisjoint(with: ["READ _creator", "WRITE _creator"])
    }

    @Test("Threats 12 and 23: a membership, and its end, hold from the next request on")
    func membershipHoldsFromTheNextRequestOn() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.applySchema(
            "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE T (a STRING QUERYABLE, GRANT READ, CREATE TO editor);",
            to: cloud.context)
        let bob = cloud.user("b")
        let name = try #require(bob.userRecordName)
        func create(_ record: String) async throws -> CloudError.Code? {
            try await cloud.modify([.make(.create, record, type: "T", ["a": .text("x")])], in: .public, as: bob)
                .first?.error?.code
        }
        #expect(try await create("a") == .accessDenied)
        try await cloud.service.setMembership(of: name, inRole: "editor", true, in: cloud.context)
        #expect(try await create("a") == nil)
        #expect(try await cloud.service.members(ofRole: "editor", in: cloud.context) == [name])
        let device = try await cloud.device(of: bob)
        try await cloud.subscribe("s", .records("T"), NotificationInfo(body: .init("!")), in: .public, as: bob)
        _ = try await cloud.modify(
            [.make(.create, "b", type: "T", ["a": .text("x")])], in: .public,
            as: Caller(context: cloud.context, principal: .administrator(actingAs: nil)))
        #expect(try await device.notifications().map(\.recordName) == ["b"])
        _ = try await cloud.modify(
            [.make(.create, "c", type: "T", ["a": .text("x")])], in: .public,
            as: Caller(context: cloud.context, principal: .administrator(actingAs: nil)))
        try await cloud.service.setMembership(of: name, inRole: "editor", false, in: cloud.context)
        #expect(try await create("d") == .accessDenied)
        #expect(try await device.notifications() == [], "nobody is told of what they may no longer read")
        // After a restart the same people are members.
        try await cloud.service.setMembership(of: name, inRole: "editor", true, in: cloud.context)
        let next = try await TestCloud(restarting: cloud)
        #expect(try await next.lookup(["a"], in: .public, as: bob).first?.saved != nil)
    }

    @Test func rolesHaveRules() async throws {
        let cloud = try await TestCloud()
        let (service, context) = (cloud.service, cloud.context)
        try await service.createRole("editor", in: context)
        for (name, code) in [
            ("editor", CloudError.Code.exists), ("_mine", .badRequest), ("", .badRequest), ("a\"b", .badRequest),
        ] {
            let error = await #expect(throws: CloudError.self) { try await service.createRole(name, in: context) }
            #expect(error?.code == code)
        }
        let production = await #expect(throws: CloudError.self) {
            try await service.createRole("x", in: context.production)
        }
        #expect(production?.code == .badRequest)
        let stranger = await #expect(throws: CloudError.self) {
            try await service.setMembership(of: "_b", inRole: "none", true, in: context)
        }
        #expect(stranger?.code == .notFound)
        try await service.applySchema("DEFINE SCHEMA RECORD TYPE T (a INT64, GRANT READ TO editor);", to: context)
        let held = await #expect(throws: CloudError.self) { try await service.deleteRole("editor", in: context) }
        #expect(held?.code == .conflict && held?.reason.contains("'T'") == true)
        let unknown = await #expect(throws: CloudError.self) {
            try await service.applySchema("DEFINE SCHEMA RECORD TYPE U (a INT64, GRANT READ TO ghosts);", to: context)
        }
        #expect(unknown?.code == .badRequest && unknown?.reason.contains("'ghosts'") == true)
        for number in 1..<ServiceLimits.roles { try await service.createRole("r\(number)", in: context) }
        let many = await #expect(throws: CloudError.self) { try await service.createRole("more", in: context) }
        #expect(many?.reason.contains("\(ServiceLimits.roles)") == true)
        try await service.deleteRole("r1", in: context)
        #expect(try await service.roles(of: context).count == ServiceLimits.roles - 1)
    }
}

extension TestCloud {
    /// Whether a subscription to a type is taken.
    fileprivate func subscribed(_ type: String, as caller: Caller) async throws -> Bool {
        do {
            let result = try await subscribe(
                "s-\(type)", .records(type), NotificationInfo(body: .init("!")), in: .public, as: caller)
            return result.error == nil
        } catch {
            return false
        }
    }
}
