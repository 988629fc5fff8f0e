import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport

/// Files, a publication and a backup of the owner, which nobody else gets to know, and everybody's sign-in to look for
/// them.
struct LeakFiles: Sendable {
    let folder = Unique.name("folder")
    let name = Unique.name("file")
    let content = Unique.name("content")
    let backup = Unique.name("backup")
    let folderRecord, fileRecord: String
    let publication, link: String
    let device = Unique.name("device")
    /// By person.
    let access: [FilesAccess]
    private let tenant: Tenant

    init(_ tenant: Tenant, _ people: [Tenant.Person]) async throws {
        self.tenant = tenant
        var access: [FilesAccess] = []
        for person in people { access.append(try await FilesAccess(of: person, in: tenant)) }
        self.access = access
        let owner = access[LeakRules.owner]
        let anybody = tenant.database("private", .none)
        func put(_ method: String, _ path: String, _ text: String = "") async throws {
            let answer = try await anybody.send(
                method, path: path, headers: ["Authorization": owner.basic], body: Array(text.utf8))
            guard (200...201).contains(answer.status) else { throw UnexpectedAnswer(answer) }
        }
        let files = "/dav/\(tenant.container)/\(folder)"
        try await put("MKCOL", files)
        try await put("PUT", "\(files)/\(name)", content)
        try await put("POST", "/backup/\(device)/?create=true")
        try await put("POST", "/backup/\(device)/config", backup)
        let database = tenant.database("private", tenant.credential(of: people[LeakRules.owner]))
        let found = try await database.query("StratusFile", zone: "_files")
        func record(_ name: String) throws -> String {
            guard let record = found.records.first(where: { $0["fields"]["name"]["value"].string == name }) else {
                throw UnexpectedAnswer(found)
            }
            return record.name
        }
        (folderRecord, fileRecord) = (try record(folder), try record(name))
        let published = try await database.post("files/publish", ["recordName": .string(fileRecord)])
        guard let id = published.json["publication"]["publicationID"].string,
            let url = published.json["publication"]["url"].string
        else { throw UnexpectedAnswer(published) }
        // Of the link only the token is secret.
        (publication, link) = (id, url.split(separator: "/").dropLast().last.map(String.init) ?? url)
    }

    /// Texts that nobody but the owner may read, with what they are.
    var secrets: [(text: String, what: String)] {
        [
            (folder, "the name of a folder"), (name, "the name of a file"), (content, "a file's content"),
            (backup, "a backup"), (folderRecord, "a folder's record"), (fileRecord, "a file's record"),
            (publication, "a publication"), (link, "a publication's link"), (device, "a device"),
        ]
    }

    // MARK: - Requests

    /// A request about something of the owner's.
    struct Request: Sendable {
        enum Entrance: Sendable { case appPassword, session }

        let entrance: Entrance
        let method: String
        let path: String
        var headers: HTTPHeaders = [:]
        var body = ""
        /// The status for other people.
        let status: Int

        /// The route, for the list of what was walked.
        var route: String
    }

    /// Sends a request as one of the people; as nobody, and nil, without their access.
    func send(_ request: Request, as person: Int?) async throws -> Answer {
        var headers = request.headers
        if request.entrance == .session { headers.append("Sec-Fetch-Site", "same-origin") }
        if let access = person.map({ access[$0] }) {
            switch request.entrance {
            case .appPassword: headers.append("Authorization", access.basic)
            case .session:
                headers.append("Cookie", access.cookie)
                headers.append("X-Stratus-Form", access.form)
            }
        }
        return try await tenant.database("private", .none).send(
            request.method, path: request.path, headers: headers, body: Array(request.body.utf8))
    }

    /// Requests of programs: all methods of WebDAV and restic's protocol but `OPTIONS`, which answers everybody alike.
    var programs: [Request] {
        let folder = "/dav/\(tenant.container)/\(folder)"
        let lock =
            #"<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>"#
            + "<D:locktype><D:write/></D:locktype></D:lockinfo>"
        let patch =
            #"<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><a xmlns="b">c</a></D:prop></D:set>"#
            + "</D:propertyupdate>"
        let elsewhere: HTTPHeaders = ["Destination": "/dav/\(tenant.container)/taken"]
        func dav(_ method: String, _ status: Int, _ headers: HTTPHeaders = [:], body: String = "") -> Request {
            Request(
                entrance: .appPassword, method: method, path: "\(folder)/\(name)", headers: headers, body: body,
                status: status, route: "dav \(method)")
        }
        let backup = "/backup/\(device)"
        let hash = Hex.encode(SHA256.hash(Array(self.backup.utf8)))
        func restic(_ method: String, _ rest: String, _ status: Int, _ route: String) -> Request {
            Request(
                entrance: .appPassword, method: method, path: "\(backup)/\(rest)",
                body: method == "POST" ? self.backup : "", status: status, route: "backup \(method) \(route)")
        }
        return [
            dav("GET", 404), dav("HEAD", 404), dav("PROPFIND", 404, ["Depth": "0"]), dav("PROPPATCH", 404, body: patch),
            dav("PUT", 409, body: "x"), dav("MKCOL", 409), dav("DELETE", 404), dav("COPY", 404, elsewhere),
            dav("MOVE", 404, elsewhere), dav("LOCK", 409, body: lock),
            dav("UNLOCK", 409, ["Lock-Token": "<urn:uuid:00000000-0000-0000-0000-000000000000>"]),
            Request(
                entrance: .appPassword, method: "PROPFIND", path: "/dav/\(tenant.container)/",
                headers: ["Depth": "1"], status: 207, route: "dav PROPFIND of the root folder"),
            restic("GET", "config", 404, "config"), restic("HEAD", "config", 404, "config"),
            restic("POST", "config", 404, "config"), restic("DELETE", "config", 403, "config"),
            restic("GET", "keys/", 404, "list"), restic("GET", "keys/\(hash)", 404, "file"),
            restic("HEAD", "keys/\(hash)", 404, "file"), restic("POST", "keys/\(hash)", 404, "file"),
            restic("DELETE", "keys/\(hash)", 403, "file"),
        ]
    }

    /// Requests of the scripts of the page `/files`.
    func scripts(owner: String) -> [Request] {
        let base = "/files/api/\(tenant.container)/development"
        func get(_ act: String, _ route: String, _ status: Int) -> Request {
            Request(
                entrance: .session, method: "GET", path: "\(base)/\(act)", status: status, route: "files \(route)")
        }
        func post(_ act: String, _ body: JSON, _ status: Int) -> Request {
            Request(
                entrance: .session, method: "POST", path: "\(base)/\(act)", body: body.text, status: status,
                route: "files \(act)")
        }
        let file = JSON.string(fileRecord)
        let (one, some): (JSON, JSON) = (["item": file], ["items": [file]])
        let others = "owner=\(owner)"
        let email: JSON = ["item": file, "email": "eve@example.org", "permission": "READ_ONLY"]
        let participant: JSON = ["item": file, "participant": "nobody", "permission": "READ_ONLY"]
        return [
            get("list?path=\(folder)", "list", 404), get("list?root=\(folderRecord)&\(others)", "list", 404),
            get("items/\(fileRecord)", "items", 404), get("items/\(fileRecord)?\(others)", "items", 404),
            get("items/\(fileRecord)/content", "content", 404),
            get("items/\(fileRecord)/content?\(others)", "content", 404),
            get("items/\(fileRecord)/picture", "picture", 404), get("items/\(fileRecord)/share", "item's share", 404),
            get("deleted", "deleted", 200), get("room", "room", 200), get("shared", "shared", 200),
            get("published", "published", 200),
            post("folder", ["name": "new", "folder": .string(folderRecord)], 412),
            post("taken", ["names": [.string(name)], "folder": .string(folderRecord)], 200), post("move", some, 200),
            post("delete", some, 200), post("archive/check", some, 404), post("share/invite", email, 404),
            post("share/permission", participant, 404), post("share/remove", participant, 404),
            post("share/access", ["item": file, "permission": "NONE"], 404), post("share/leave", one, 404),
            post("share/end", one, 404), post("restore-version", ["item": file, "version": "1"], 404),
            post("publish", one, 404), post("unpublish", ["publication": .string(publication)], 404),
            post("restore", some, 200), post("delete-for-good", some, 200),
            Request(
                entrance: .session, method: "PUT", path: "\(base)/upload?name=new&folder=\(folderRecord)", body: "x",
                status: 412, route: "files upload"),
            Request(
                entrance: .session, method: "POST", path: "\(base)/archive",
                body: "items=\(fileRecord)", status: 403, route: "files archive"),
        ]
    }
}
