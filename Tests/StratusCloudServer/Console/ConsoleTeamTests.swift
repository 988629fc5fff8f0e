import StratusCloudModel
import StratusCloudService
import StratusWaiting
import Testing

@testable import StratusCloudServer

/// Containers and the people who work on them.
@Suite struct ConsoleTeamTests {
    private static let team = "c/\(TestCloud.container)/team"

    private func members(_ response: RawResponse) -> [String: String] {
        let members = response.json["members"] as? [[String: Any]] ?? []
        return Dictionary(
            members.compactMap { member in
                guard let email = member["email"] as? String, let role = member["role"] as? String else { return nil }
                return (email, role)
            }
        ) { first, _ in first }
    }

    @Test func ownersMakeContainersAndOthersSeeTheirs() async throws {
        let place = try await ConsolePlace()
        #expect(try await place.owner.send("POST", "containers", ["id": "nothing"]).status == 400)
        let made = try await place.owner.send("POST", "containers", ["id": "iCloud.org.example.new"])
        #expect(made.status == 200)
        #expect(try await place.owner.send("POST", "containers", ["id": "iCloud.org.example.new"]).status == 409)
        let viewer = try await place.developer("viewer")
        let seen = try await viewer.get("containers").json["containers"] as? [[String: String]]
        #expect(seen == [["id": TestCloud.container, "role": "viewer"]])
        let all = try await place.owner.get("containers").json["containers"] as? [[String: String]]
        #expect(all?.map { $0["id"] } == [TestCloud.container, "iCloud.org.example.new"])
        await place.stop()
    }

    @Test func rolesChangeAndEndAtOnce() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer", email: "dev@example.org")
        let team = try await developer.get(Self.team)
        #expect(members(team) == ["owner@example.org": "admin", "dev@example.org": "developer"])
        #expect((team.json["invitations"] as? [Any])?.isEmpty == true)
        let list = team.json["members"] as? [[String: Any]] ?? []
        let id = try #require(list.first { $0["email"] as? String == "dev@example.org" }?["id"] as? String)
        let ownerID = try #require(list.first { $0["email"] as? String == "owner@example.org" }?["id"] as? String)
        #expect(try await place.owner.send("PUT", "\(Self.team)/\(id)", ["role": "chief"]).status == 400)
        #expect(try await place.owner.send("PUT", "\(Self.team)/\(ownerID)", ["role": "viewer"]).status == 409)
        #expect(try await place.owner.send("DELETE", "\(Self.team)/\(ownerID)").status == 409)
        #expect(try await place.owner.send("PUT", "\(Self.team)/\(id)", ["role": "viewer"]).status == 200)
        #expect(try await developer.ck("records/modify", Body.save("Note", "n")).status == 403)
        #expect(try await place.owner.send("DELETE", "\(Self.team)/\(id)").status == 200)
        #expect(try await developer.get(Self.team).status == 404)
        #expect(try await developer.get("containers").json["containers"] as? [[String: String]] == [])
        #expect(try await place.owner.send("DELETE", "\(Self.team)/\(id)").status == 404)
        await place.stop()
    }

    @Test func invitationsAreForOneAndOnce() async throws {
        let place = try await ConsolePlace()
        let invitation = try await place.owner.send("POST", Self.team, ["email": "New@example.org", "role": "admin"])
        let code = try #require(invitation.json["code"] as? String)
        #expect((invitation.json["url"] as? String)?.hasSuffix("/console/invitation#\(code)") == true)
        let shown = try await place.nobody.get("invitations/\(code)")
        #expect(shown.json["container"] as? String == TestCloud.container)
        #expect(shown.json["email"] as? String == "new@example.org")
        #expect(shown.json["needsAccount"] as? Bool == true)
        // A code for a team makes nobody an owner, nor an account for another address.
        var form = ["code": code, "email": "new@example.org", "name": "N", "password": ConsolePlace.password]
        #expect(try await place.nobody.send("POST", "set-up", form).status == 400)
        form["email"] = "other@example.org"
        #expect(try await place.nobody.send("POST", "invitations/\(code)", form).status == 400)
        form["email"] = "new@example.org"
        #expect(try await place.nobody.send("POST", "invitations/\(code)", form).status == 200)
        #expect(try await place.nobody.send("POST", "invitations/\(code)", form).status == 404)
        let again = try await place.owner.send("POST", Self.team, ["email": "new@example.org", "role": "viewer"])
        #expect(again.status == 409)
        await place.stop()
    }

    @Test func whoHasAnAccountAcceptsWithIt() async throws {
        let place = try await ConsolePlace()
        let other = try #require(ContainerIdentifier(ConsolePlace.otherContainer))
        try await place.cloud.service.createContainer(other)
        let developer = try await place.developer("viewer", email: "dev@example.org")
        func code(_ role: String) async throws -> String {
            try await place.cloud.service.inviteDeveloper(
                email: "dev@example.org", to: other, as: TeamRole(rawValue: role) ?? .viewer, by: "test")
        }
        let first = try await code("viewer")
        #expect(try await place.nobody.get("invitations/\(first)").json["needsAccount"] as? Bool == false)
        let wrong = try await place.nobody.send("POST", "invitations/\(first)", ["password": "not this one"])
        #expect(wrong.status == 401)
        #expect(try await developer.get("c/\(ConsolePlace.otherContainer)/team").status == 404)
        #expect(try await developer.send("POST", "invitations/\(first)", [:]).status == 200)
        #expect(try await developer.get("c/\(ConsolePlace.otherContainer)/team").status == 200)
        await place.stop()
    }

    @Test func openInvitationsAreSeenAndTakenBackByAdmins() async throws {
        let place = try await ConsolePlace()
        let answer = try await place.owner.send("POST", Self.team, ["email": "x@example.org", "role": "viewer"])
        let code = try #require(answer.json["code"] as? String)
        let open = try await place.owner.get(Self.team).json["invitations"] as? [[String: Any]]
        let id = try #require(open?.first?["id"] as? String)
        #expect(!code.contains(id))
        #expect(try await place.owner.send("DELETE", "\(Self.team)/\(id)").status == 200)
        #expect(try await place.nobody.get("invitations/\(code)").status == 404)
        await place.stop()
    }

    @Test("Threat 23: invitations end with the right to invite", arguments: ["demoted", "removed", "gone", "kept"])
    func invitationsEndWithTheRightToInvite(fate: String) async throws {
        let place = try await ConsolePlace()
        let admin = try await place.developer("admin", email: "admin@example.org")
        func invite(_ browser: ConsolePlace.Browser, _ email: String) async throws -> String {
            let answer = try await browser.send("POST", Self.team, ["email": email, "role": "admin"])
            return try #require(answer.json["code"] as? String)
        }
        let theirs = try await invite(admin, "friend@example.org")
        let others = try await invite(place.owner, "other@example.org")
        let list = try await place.owner.get(Self.team).json["members"] as? [[String: Any]] ?? []
        let id = try #require(list.first { $0["email"] as? String == "admin@example.org" }?["id"] as? String)
        switch fate {
        case "demoted":
            #expect(try await place.owner.send("PUT", "\(Self.team)/\(id)", ["role": "developer"]).status == 200)
        case "removed": #expect(try await place.owner.send("DELETE", "\(Self.team)/\(id)").status == 200)
        case "gone": try await place.cloud.service.removeDeveloper(email: "admin@example.org")
        default: #expect(try await place.owner.send("PUT", "\(Self.team)/\(id)", ["role": "admin"]).status == 200)
        }
        #expect(try await place.nobody.get("invitations/\(theirs)").status == (fate == "kept" ? 200 : 404))
        #expect(try await place.nobody.get("invitations/\(others)").status == 200)
        await place.stop()
    }

    @Test func onlySoManyInvitationsAreOpen() async throws {
        let place = try await ConsolePlace()
        let container = try #require(ContainerIdentifier(TestCloud.container))
        var codes: [String] = []
        for number in 0...DeveloperLimits.invitations {
            place.cloud.clock.withLock { $0 += 1 }
            codes.append(
                try await place.cloud.service.inviteDeveloper(
                    email: "d\(number)@example.org", to: container, as: .viewer, by: "test"))
        }
        #expect(try await place.nobody.get("invitations/\(codes[0])").status == 404)
        #expect(try await place.nobody.get("invitations/\(codes[1])").status == 200)
        await place.stop()
    }

    @Test func invitationsAreMailedWithATicketInPlaceOfTheCode() async throws {
        let postman = Postman()
        let place = try await ConsolePlace(try await TestCloud(mail: MailService(channel: postman)))
        let answer = try await place.owner.send("POST", Self.team, ["email": "new@example.org", "role": "viewer"])
        #expect(answer.json["mailed"] as? Bool == true)
        let code = try #require(answer.json["code"] as? String)
        try await wait(for: "the mail to be delivered") { place.cloud.service.mailStatistics().delivered > 0 }
        guard case .team(let letter)? = postman.letters.last else {
            Issue.record("\(postman.letters)")
            return
        }
        #expect(letter.address == "new@example.org" && letter.invitedBy == "owner@example.org")
        #expect(letter.container.rawValue == TestCloud.container && letter.role == .viewer && letter.ticket != code)
        let damaged = String(letter.ticket.dropLast()) + (letter.ticket.hasSuffix("0") ? "1" : "0")
        #expect(try await place.nobody.get("invitations/\(damaged)").status == 404)
        let form = ["name": "N", "password": ConsolePlace.password]
        #expect(try await place.nobody.send("POST", "invitations/\(letter.ticket)", form).status == 200)
        #expect(try await place.nobody.get("invitations/\(code)").status == 404)
        await place.stop()
    }

    @Test func guessingCodesIsStopped() async throws {
        let place = try await ConsolePlace()
        for _ in 0..<ServiceLimits.failedSignInsPerAddress {
            _ = try await place.nobody.get("invitations/aaaaa-aaaaa-aaaaa-aaaaa-aaaaa")
        }
        #expect(try await place.nobody.get("invitations/aaaaa-aaaaa-aaaaa-aaaaa-aaaaa").status == 429)
        await place.stop()
    }
}
