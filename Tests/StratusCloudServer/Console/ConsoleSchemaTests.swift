import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Schemas and roles through the console.
@Suite struct ConsoleSchemaTests {
    private static let development = "c/\(TestCloud.container)/development"
    private static let production = "c/\(TestCloud.container)/production"
    private static let text = """
        DEFINE SCHEMA
            CREATE ROLE editor;
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE,
                text STRING QUERYABLE SEARCHABLE,
                secret ENCRYPTED STRING,
                tags LIST<STRING>,
                GRANT WRITE TO "_creator",
                GRANT READ, CREATE TO editor
            );
        """

    @Test func aSchemaIsWrittenShownAndDeployed() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer")
        let valid = try await developer.send("POST", "\(Self.development)/schema/validate", ["text": Self.text])
        #expect(valid.status == 200 && valid.json["error"] == nil)
        #expect((valid.json["changes"] as? [[String: Any]])?.contains { $0["recordType"] as? String == "Note" } == true)
        let empty = try await developer.get("\(Self.development)/schema")
        #expect((empty.json["types"] as? [[String: Any]])?.contains { $0["name"] as? String == "Note" } == false)
        let planned = try await developer.send("POST", "\(Self.development)/schema/validate", ["text": Self.text])
        let expecting = try #require(planned.json["text"] as? String)
        for (words, status) in [("+ ROLE other", 409), (expecting, 200)] {
            let imported = try await developer.send(
                "POST", "\(Self.development)/schema/import", ["text": Self.text, "expecting": words])
            #expect(imported.status == status, "\(imported.body)")
        }
        let shown = try await developer.get("\(Self.development)/schema")
        #expect(shown.json["roles"] as? [String] == ["editor"])
        let types = shown.json["types"] as? [[String: Any]] ?? []
        let note = try #require(types.first { $0["name"] as? String == "Note" })
        let fields = note["fields"] as? [[String: Any]] ?? []
        let secret = try #require(fields.first { $0["name"] as? String == "secret" })
        #expect(secret["encrypted"] as? Bool == true && secret["type"] as? String == "STRING")
        #expect(fields.first { $0["name"] as? String == "tags" }?["type"] as? String == "LIST<STRING>")
        #expect(fields.first { $0["name"] as? String == "___recordID" }?["system"] as? Bool == true)
        #expect((note["grants"] as? [String: [String]])?["editor"] == ["READ", "CREATE"])
        // Back from its own text nothing changes.
        let text = try #require(shown.json["text"] as? String)
        let same = try await developer.send("POST", "\(Self.development)/schema/import", ["text": text])
        #expect((same.json["changes"] as? [Any])?.isEmpty == true)

        #expect(try await developer.send("POST", "c/\(TestCloud.container)/schema/deploy", [:]).status == 403)
        let trial = try await place.owner.send(
            "POST", "c/\(TestCloud.container)/schema/deploy", ["dryRun": true])
        #expect((trial.json["changes"] as? [Any])?.isEmpty == false)
        let pending = try await developer.get("c/\(TestCloud.container)/schema/diff")
        #expect((pending.json["changes"] as? [Any])?.isEmpty == false)
        #expect((pending.json["kept"] as? [Any])?.isEmpty == true && pending.json["obstacle"] == nil)
        let plan = try #require(pending.json["text"] as? String)
        for (expecting, status) in [("", 409), (plan + " ", 409), (plan, 200)] {
            let deployed = try await place.owner.send(
                "POST", "c/\(TestCloud.container)/schema/deploy", ["name": "first", "expecting": expecting])
            #expect(deployed.status == status, "\(deployed.body)")
        }
        let history = try await developer.get("\(Self.production)/schema/history").json["history"] as? [[String: Any]]
        #expect(history?.first?["by"] as? String == "owner@example.org")
        #expect(history?.first?["name"] as? String == "first")
        let number = try #require(history?.first?["number"] as? Int)
        #expect(
            try await developer.send("POST", "\(Self.production)/schema/rollback", ["number": number]).status == 403)
        let back = try await place.owner.send("POST", "\(Self.production)/schema/rollback", ["number": number])
        #expect(back.status == 200, "\(back.body)")
        let indexes = try await developer.get("\(Self.development)/schema/indexes").json["indexes"] as? [[String: Any]]
        #expect(indexes?.contains { $0["field"] as? String == "text" } == true)
        await place.stop()
    }

    @Test func aMistakeHasItsPlace() async throws {
        let place = try await ConsolePlace()
        let text = "DEFINE SCHEMA\n    RECORD TYPE Note (\n        text TEXT\n    );\n"
        let answer = try await place.owner.send("POST", "\(Self.development)/schema/validate", ["text": text])
        #expect(answer.status == 200)
        let mistake = try #require(answer.json["error"] as? [String: Any])
        #expect(mistake["line"] as? Int == 3 && mistake["column"] as? Int == 14)
        #expect((mistake["expected"] as? String)?.contains("STRING") == true)
        let refused = try await place.owner.send("POST", "\(Self.development)/schema/import", ["text": text])
        #expect(refused.status == 400)
        #expect((refused.json["error"] as? [String: Any])?["line"] as? Int == 3)
        #expect(
            try await place.owner.send("POST", "\(Self.production)/schema/import", ["text": Self.text]).status == 404)
        await place.stop()
    }

    /// Who may import is told what stands in the way; who only looks holds nobody's saves up, and sees what would change.
    @Test func validatingTriesTheImportForThoseWhoMayDoIt() async throws {
        let place = try await ConsolePlace()
        _ = try await place.owner.ck("records/modify", Body.save("Note", "n"))
        let empty = ["text": "DEFINE SCHEMA"]
        let developer = try await place.developer("developer")
        let tried = try await developer.send("POST", "\(Self.development)/schema/validate", empty)
        #expect(tried.status == 409 && tried.error == "CONFLICT")
        let looked = try await place.developer("viewer").send("POST", "\(Self.development)/schema/validate", empty)
        #expect(looked.status == 200)
        #expect((looked.json["changes"] as? [[String: Any]])?.first?["change"] as? String == "recordTypeRemoved")
        await place.stop()
    }

    @Test func aResetWantsTheContainersName() async throws {
        let place = try await ConsolePlace()
        _ = try await place.owner.ck("records/modify", Body.save("Note", "n"))
        let path = "\(Self.development)/schema/reset"
        #expect(try await place.owner.send("POST", path, [:]).status == 400)
        #expect(try await place.owner.send("POST", path, ["confirm": "yes"]).status == 400)
        #expect(try await place.owner.ck("records/lookup", Body.lookUp("n")).records[0]["recordChangeTag"] != nil)
        #expect(try await place.owner.send("POST", path, ["confirm": TestCloud.container]).status == 200)
        #expect(
            try await place.owner.ck("records/lookup", Body.lookUp("n")).records[0]["serverErrorCode"] as? String
                == "NOT_FOUND")
        await place.stop()
    }

    @Test func rolesHaveMembers() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer")
        let roles = "\(Self.development)/roles"
        #expect(try await developer.send("POST", roles, ["name": "editor"]).status == 200)
        let account = try await place.cloud.service.createTestAccount(
            email: "ann@app.test", in: TestCloud.context().container
        ).account
        #expect(
            try await developer.send("POST", "\(roles)/editor/members", ["user": account.userRecordName]).status == 200)
        #expect(try await developer.send("POST", "\(roles)/editor/members", ["user": "ann@app.test"]).status == 200)
        // Who has an account and cannot be found, and who has none, are the same.
        _ = try await place.cloud.webAuthToken()
        let hidden = try await developer.send("POST", "\(roles)/editor/members", ["user": TestCloud.email])
        let unknown = try await developer.send("POST", "\(roles)/editor/members", ["user": "nobody@example.org"])
        #expect(hidden.status == 404 && hidden.body == unknown.body)
        let list = try await developer.get(roles).json["roles"] as? [[String: Any]]
        #expect(list?.first?["name"] as? String == "editor" && list?.first?["members"] as? Int == 1)
        let members = try await developer.get("\(roles)/editor/members").json["members"] as? [[String: Any]]
        #expect(members?.first?["userRecordName"] as? String == account.userRecordName)
        #expect(
            try await developer.send("DELETE", "\(roles)/editor/members/\(account.userRecordName)").status == 200)
        #expect(try await developer.send("DELETE", "\(roles)/editor").status == 200)
        #expect((try await developer.get(roles).json["roles"] as? [Any])?.isEmpty == true)
        await place.stop()
    }
}
