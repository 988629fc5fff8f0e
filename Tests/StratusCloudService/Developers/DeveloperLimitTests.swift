import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// The bounds of developers and their teams: at them everything works, and beyond them nothing is changed.
@Suite struct DeveloperLimitTests {
    private static let password = "a password for tests"

    /// Puts developers into the directory, some of them into the container's team.
    private func fill(_ cloud: TestCloud, _ numbers: Range<Int>, inTeam: Bool, areOwners: Bool = false) async throws {
        let container = cloud.context.container
        try await cloud.store.write(.directory) { transaction in
            for number in numbers {
                let developer = Developer(
                    id: Hex.encode(Array(SHA256.hash(Array("\(number)".utf8)).prefix(16))),
                    email: "d\(number)@example.org",
                    name: "D", passwordHash: "", isOwner: areOwners, created: 1)
                transaction.set(DirectoryKey.developer(email: developer.email), Array(developer.id.utf8))
                transaction.set(DirectoryKey.developer(id: developer.id), developer)
                guard inTeam else { continue }
                transaction.set(
                    DirectoryKey.membership(of: developer.id, in: container), TeamMembership(role: .viewer, since: 1))
            }
        }
    }

    private func invite(_ cloud: TestCloud, _ email: String, as role: TeamRole = .viewer) async throws -> String {
        try await cloud.service.inviteDeveloper(email: email, to: cloud.context.container, as: role, by: "test")
    }

    /// Makes a developer with a code, who is then signed in.
    private func join(_ cloud: TestCloud, _ code: String, name: String = "N") async throws -> DeveloperCaller {
        let session = try await cloud.service.acceptInvitation(
            code: code, as: NewDeveloper(email: "", name: name, password: Self.password), source: nil)
        return try #require(try await cloud.service.developer(session: session))
    }

    /// Expects that a code lets nobody in, and is as good as before.
    private func expectRefused(
        _ cloud: TestCloud, _ code: String, _ reason: String, name: String = "N",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await cloud.service.listDevelopers()
        let team = try await cloud.service.team(of: cloud.context.container, showsInvitations: true)
        let error = await #expect(throws: CloudError.self, sourceLocation: sourceLocation) {
            _ = try await join(cloud, code, name: name)
        }
        #expect(error?.code == .badRequest && error?.reason == reason, sourceLocation: sourceLocation)
        #expect(try await cloud.service.listDevelopers() == before, sourceLocation: sourceLocation)
        let after = try await cloud.service.team(of: cloud.context.container, showsInvitations: true)
        #expect(after == team, sourceLocation: sourceLocation)
    }

    @Test func membersOfATeam() async throws {
        let cloud = try await TestCloud()
        try await fill(cloud, 0..<DeveloperLimits.members - 1, inTeam: true)
        // Owners are in every team and count in none, also where they were members before.
        try await fill(cloud, 1_000..<1_003, inTeam: true, areOwners: true)
        let last = try await join(cloud, try await invite(cloud, "last@example.org"))
        let refusal = "a team has at most \(DeveloperLimits.members) members"
        let code = try await invite(cloud, "more@example.org")
        try await expectRefused(cloud, code, refusal)

        // One who is in the team already takes no further place.
        let container = cloud.context.container
        let higher = try await cloud.service.inviteDeveloper(
            email: "other@example.org", to: container, as: .admin, by: "test")
        try await cloud.service.acceptInvitation(code: higher, as: last, source: nil)
        let team = try await cloud.service.team(of: container, showsInvitations: false)
        #expect(team.members.first { $0.developer.email == "last@example.org" }?.role == .admin)
        #expect(team.members.count { !$0.developer.isOwner } == DeveloperLimits.members)

        try await cloud.service.removeFromTeam(last.id, of: container)
        _ = try await join(cloud, code)
        let again = try await cloud.service.team(of: container, showsInvitations: false)
        #expect(again.members.count { !$0.developer.isOwner } == DeveloperLimits.members)
    }

    @Test func developersOfACloud() async throws {
        let cloud = try await TestCloud()
        try await fill(cloud, 0..<DeveloperLimits.developers - 1, inTeam: false)
        let last = try await join(cloud, try await invite(cloud, "last@example.org"))
        #expect(try await cloud.service.listDevelopers().count == DeveloperLimits.developers)
        let code = try await invite(cloud, "more@example.org")
        try await expectRefused(cloud, code, "a cloud has at most \(DeveloperLimits.developers) developers")
        // Who is there already is one of them.
        let other = try await invite(cloud, "other@example.org", as: .developer)
        try await cloud.service.acceptInvitation(code: other, as: last, source: nil)
        try await cloud.service.removeDeveloper(email: "d7@example.org")
        _ = try await join(cloud, code)
    }

    @Test func names() async throws {
        let cloud = try await TestCloud()
        let code = try await invite(cloud, "new@example.org")
        let refusal = "the name must have 1 to \(DeveloperLimits.nameLength) bytes without control characters"
        let longest = String(repeating: "é", count: DeveloperLimits.nameLength / 2) + "n"
        for name in ["", longest + "n", "a\u{7F}", "a\nb"] { try await expectRefused(cloud, code, refusal, name: name) }
        _ = try await join(cloud, code, name: longest)
        #expect(try await cloud.service.listDevelopers().map(\.name) == [longest])
    }

    @Test("A code is good until its last millisecond", arguments: [true, false])
    func lifetimes(isOwner: Bool) async throws {
        let cloud = try await TestCloud()
        let lifetime = isOwner ? DeveloperLimits.setUpLifetime : DeveloperLimits.invitationLifetime
        func code() async throws -> String {
            isOwner ? try await cloud.service.inviteOwner(by: "test") : try await invite(cloud, "new@example.org")
        }
        let code = try await code()
        cloud.clock.withLock { $0 += lifetime - 1 }
        #expect(try await cloud.service.invitation(code: code, source: nil).by == "test")
        cloud.clock.withLock { $0 += 1 }
        let error = await #expect(throws: CloudError.self) {
            _ = try await cloud.service.invitation(code: code, source: nil)
        }
        #expect(error?.code == .notFound && error?.reason.contains("ask for a new one") == true)
    }

    @Test("A code may be typed with as many hyphens as it has letters, three times over")
    func codes() async throws {
        let cloud = try await TestCloud()
        let code = try await invite(cloud, "new@example.org")
        let letters = code.filter { $0 != "-" }
        #expect(letters.count == DeveloperLimits.codeLength)
        let longest = letters.uppercased() + String(repeating: "-", count: 3 * DeveloperLimits.codeLength)
        #expect(try await cloud.service.invitation(code: longest, source: nil).by == "test")
        for wrong in [longest + "-", String(letters.dropLast()), letters + "a", ""] {
            let error = await #expect(throws: CloudError.self) {
                _ = try await cloud.service.invitation(code: wrong, source: nil)
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test("Test accounts of a container, also when many are made at once")
    func testAccounts() async throws {
        let cloud = try await TestCloud()
        let container = cloud.context.container
        for _ in 0..<TestAccountName.limit - 1 {
            _ = try await cloud.service.createTestAccount(email: nil, in: container)
        }
        let outcomes = await withTaskGroup(of: CloudError?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do throws(CloudError) {
                        _ = try await cloud.service.createTestAccount(email: "last\(number)@a.test", in: container)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        for case let error? in outcomes {
            #expect(error.code == .badRequest && error.reason == "a container has at most 100 test accounts")
        }
        let all = try await cloud.service.testAccounts(of: container)
        #expect(all.count == TestAccountName.limit && TestAccountName.limit == 100)
        #expect(try await cloud.service.listAccounts().count == TestAccountName.limit, "nothing is left of the others")
        let one = try #require(all.first)
        try await cloud.service.removeTestAccount(one.id, of: container)
        _ = try await cloud.service.createTestAccount(email: "again@a.test", in: container)
    }
}
