import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Files beside records, from the place to send them to until they are fetched.
@Suite("Assets")
struct AssetTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Assets")
        database = tenant.privateDatabase
    }

    private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }

    /// A record with `bytes`, and the address to fetch them from.
    private func stored(_ bytes: [UInt8]? = nil, in database: Database? = nil) async throws -> (JSON, url: String) {
        let database = database ?? self.database
        let record = try await database.saveFile(bytes ?? self.bytes, "Document", Unique.name("d"))
        return (record, try #require(record["fields"]["file"]["value"]["downloadURL"].string))
    }

    private func reason(_ response: HTTPClientResponse) -> String {
        (try? JSON(parsing: response.body))?["reason"].string ?? ""
    }

    @Test("Cases 60 and 152: place, upload, save, lookup, fetch", arguments: ["private", "public"])
    func case152(scope: String) async throws {
        let database = tenant.database(scope, tenant.credential(of: tenant.alice))
        let name = Unique.name("d")
        let answer = try await database.post(
            "assets/upload",
            [
                "tokens": [
                    ["recordType": "Document", "fieldName": "file", "recordName": .string(name)],
                    ["recordType": "Document", "fieldName": "other"],
                ]
            ])
        let tokens = answer.json["tokens"]
        #expect(answer.status == 200 && tokens.array?.count == 2, "\(answer)")
        #expect(tokens[0]["recordName"].string == name && tokens[0]["fieldName"] == "file")
        #expect(tokens[1]["recordName"].string?.count == 36 && tokens[1]["fieldName"] == "other")
        let upload = try await Database.transfer(
            "POST", try #require(tokens[0]["url"].string), ["Content-Type": "image/png"], body: bytes)
        let asset = try JSON(parsing: upload.body)["singleFile"]
        #expect(upload.status == 200 && asset["size"].int == 100_000, "\(asset)")
        for key in ["fileChecksum", "receipt", "referenceChecksum", "wrappingKey"] {
            #expect(asset[key].string.flatMap { Base64.decode($0) } != nil, "\(key) of \(asset)")
        }
        try await database.save(Change.create("Document", name, ["file": ["value": asset]]))
        let field = try await database.find(name)["fields"]["file"]
        let value = field["value"]
        #expect(field["type"] == "ASSETID")
        #expect(value["fileChecksum"] == asset["fileChecksum"] && value["size"] == asset["size"])
        #expect(!value["receipt"].isPresent)
        #expect(value["wrappingKey"].isPresent == (scope == "private"))
        let url = try #require(value["downloadURL"].string)
        #expect(url.hasSuffix("/${f}"))
        for address in [url, url.replacing("${f}", with: "a%20name.png"), url.replacing("${f}", with: "$%7Bf%7D")] {
            let download = try await Database.transfer("GET", address)
            #expect(download.status == 200 && download.body == bytes)
        }
    }

    @Test("Case 61: ASSETID_LIST, also from a query")
    func lists() async throws {
        let name = Unique.name("d")
        let type = Unique.name("Album")
        var assets: [JSON] = []
        for byte in UInt8(1)...3 { assets.append(try await database.upload([byte], type, name, "files")) }
        try await database.save(Change.create(type, name, ["files": ["value": .array(assets)]]))
        let records = try await database.queryAll(type)
        let field = try #require(records.first)["fields"]["files"]
        #expect(field["type"] == "ASSETID_LIST" && field["value"].array?.count == 3)
        for (index, byte) in (UInt8(1)...3).enumerated() {
            let url = try #require(field["value"][index]["downloadURL"].string)
            #expect(try await Database.transfer("GET", url).body == [byte])
        }
    }

    @Test("Case 153: an upload for the default zone is refused in another")
    func case153() async throws {
        let zone = try await database.makeZone("Assets")
        let name = Unique.name("d")
        let asset = try await database.upload(bytes, "Document", name)
        let change = Change.create("Document", name, ["file": ["value": asset]])
        let answer = try await database.modify([change], zone: zone)
        expectFailed(answer.records.first ?? .absent, "BAD_REQUEST", "'file'", "receipt")
        try await database.save(change)
    }

    @Test("Case 154: untouched it stays, replaced it changes its checksum")
    func case154() async throws {
        let (record, url) = try await stored()
        let touched = try await database.save(Change.update(record, Fields.untyped(["title": "t"])))
        let checksum = record["fields"]["file"]["value"]["fileChecksum"]
        #expect(touched["fields"]["file"]["value"]["fileChecksum"] == checksum)
        #expect(try await Database.transfer("GET", url).status == 200)
        let name = try #require(record["recordName"].string)
        let replaced = try await database.saveFile([1, 2, 3], "Document", name)
        #expect(replaced["fields"]["file"]["value"]["fileChecksum"] != checksum)
        let old = try await Database.transfer("GET", url)
        #expect(old.status == 404, "the old bytes are the record's no more")
    }

    @Test("PUT takes bytes like POST")
    func put() async throws {
        let url = try await database.uploadURL("Document", Unique.name("d"))
        #expect(try await Database.transfer("PUT", url, body: bytes).status == 200)
    }

    // MARK: - Forms

    /// A form with these parts: header lines and bytes.
    private static func form(_ parts: [(String, [UInt8])], boundary: String = "----b0undary") -> [UInt8] {
        parts.flatMap { Array("--\(boundary)\r\n\($0)\r\n\r\n".utf8) + $1 + Array("\r\n".utf8) }
            + Array("--\(boundary)--\r\n".utf8)
    }

    private static let file =
        "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png"

    @Test("A form with one part is unwrapped; sizes and digests are the file's", arguments: [0, 1, 100_000, 700_000])
    func form(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 9) }
        let name = Unique.name("d")
        let url = try await database.uploadURL("Document", name)
        let digest = "sha-256=:\(Base64.string(SHA256.hash(bytes))):"
        let upload = try await Database.transfer(
            "POST", url,
            ["Content-Type": "multipart/form-data; boundary=\"----b0undary\"", "Content-Digest": digest],
            body: Self.form([(Self.file, bytes)]))
        let asset = try JSON(parsing: upload.body)["singleFile"]
        #expect(upload.status == 200 && asset["size"].int == Int64(size), "\(reason(upload))")
        #expect(upload.headers["Upload-Offset"] == String(size))
        let record = try await database.save(Change.create("Document", name, ["file": ["value": asset]]))
        let download = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
        #expect(try await Database.transfer("GET", download).body == bytes)
    }

    @Test("Forms that are not one part are refused, and nothing of them is kept")
    func malformedForms() async throws {
        let whole = Self.form([(Self.file, bytes)])
        let cases: [([UInt8], String)] = [
            (Self.form([(Self.file, bytes), (Self.file, [1])]), "more than one part"), (Self.form([]), "no part"),
            (bytes, "does not begin"), ([], "last boundary"), (whole.dropLast(6), "last boundary"),
            (Self.form([("Content-Type: image/png", bytes)]), "Content-Disposition"),
            (Self.form([(Self.file + "\r\nContent-Length: 5", bytes)]), "100000 bytes instead of 5"),
            (whole + [1], "data after"),
        ]
        for (body, word) in cases {
            let url = try await database.uploadURL("Document", Unique.name("d"))
            let answer = try await Database.transfer(
                "POST", url, ["Content-Type": "multipart/form-data; boundary=----b0undary"], body: body)
            #expect(answer.status == 400 && reason(answer).contains(word), "\(word): \(reason(answer))")
            #expect(try await Database.transfer("HEAD", url).headers["Upload-Offset"] == "0", "\(word)")
        }
        let url = try await database.uploadURL("Document", Unique.name("d"))
        for (headers, word) in [
            (["Content-Type": "multipart/form-data"], "boundary"),
            (["Content-Type": "multipart/form-data; boundary=x", "Content-Range": "bytes 0-4/9"], "Content-Range"),
        ] as [(HTTPHeaders, String)] {
            let answer = try await Database.transfer("POST", url, headers, body: [1, 2, 3, 4, 5])
            #expect(answer.status == 400 && reason(answer).contains(word), "\(reason(answer))")
        }
    }

    @Test("Encoded bytes are not stored as if they were the asset")
    func encoded() async throws {
        let url = try await database.uploadURL("Document", Unique.name("d"))
        for (coding, status) in [("gzip", 415), ("br", 415), ("identity", 200)] {
            let answer = try await Database.transfer("POST", url, ["Content-Encoding": coding], body: bytes)
            #expect(answer.status == status, "\(coding): \(reason(answer))")
        }
    }

    @Test("CloudKit JS copies an asset by naming a record and a field")
    func rereference() async throws {
        let (record, _) = try await stored()
        let source = try #require(record["recordName"].string)
        let answer = try await database.post(
            "assets/rereference",
            [
                "zoneID": ["zoneName": "_defaultZone"],
                "assets": [
                    ["recordName": .string(source), "fieldName": "file"], ["recordName": "none", "fieldName": "file"],
                ],
            ])
        let asset = answer.json["assets"][0]
        #expect(answer.status == 200 && answer.json["assets"].array?.count == 2, "\(answer)")
        #expect(answer.json["assets"][1]["serverErrorCode"] == "NOT_FOUND")
        let copy = try await database.save(Change.create("Copy", Unique.name("c"), ["file": ["value": asset]]))
        _ = try await database.modify([Change.forceDelete(source)])
        let url = try #require(copy["fields"]["file"]["value"]["downloadURL"].string)
        #expect(try await Database.transfer("GET", url).body == bytes)
    }

    // MARK: - Parts and conditions

    @Test(
        "Ranges",
        arguments: [
            ("bytes=0-9", 206, 0..<10), ("bytes=99990-", 206, 99_990..<100_000), ("bytes=-5", 206, 99_995..<100_000),
            ("bytes=99999-200000", 206, 99_999..<100_000), ("BYTES=1-1", 206, 1..<2), ("bytes=-0", 416, 0..<0),
            ("bytes=100000-", 416, 0..<0), ("bytes=5-4", 200, 0..<100_000), ("bytes=1-2,5-6", 200, 0..<100_000),
            ("bytes=a-b", 200, 0..<100_000), ("lines=1-2", 200, 0..<100_000), ("bytes=-", 200, 0..<100_000),
            ("bytes=0-99999999999999999999999", 206, 0..<100_000),
        ])
    func ranges(header: String, status: Int, range: Range<Int>) async throws {
        let (_, url) = try await stored()
        let response = try await Database.transfer("GET", url, ["Range": header])
        #expect(response.status == status)
        #expect(response.body == Array(bytes[range]))
        switch status {
        case 206:
            let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/100000"
            #expect(response.headers["Content-Range"] == expected)
        case 416: #expect(response.headers["Content-Range"] == "bytes */100000")
        default: #expect(response.headers["Content-Range"] == nil)
        }
    }

    @Test("HEAD tells what GET would bring")
    func head() async throws {
        let (_, url) = try await stored()
        let response = try await Database.transfer("HEAD", url)
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response.headers["Content-Length"] == "100000" && response.headers["Accept-Ranges"] == "bytes")
        #expect(response.headers["ETag"]?.hasPrefix("\"") == true)
        let digest = Base64.string(SHA256.hash(bytes))
        #expect(response.headers["Repr-Digest"] == "sha-256=:\(digest):")
    }

    @Test("Conditional requests")
    func conditions() async throws {
        let (_, url) = try await stored()
        let tag = try #require(try await Database.transfer("HEAD", url).headers["ETag"])
        let cases: [(HTTPHeaders, Int)] = [
            (["If-None-Match": tag], 304), (["If-None-Match": "\"x\", W/\(tag)"], 304), (["If-None-Match": "*"], 304),
            (["If-None-Match": "\"x\""], 200), (["If-Match": tag], 200), (["If-Match": "\"x\""], 412),
            (["Range": "bytes=0-1", "If-Range": tag], 206), (["Range": "bytes=0-1", "If-Range": "\"x\""], 200),
            (["Range": "bytes=0-1", "If-Range": "Sat, 21 Nov 2026 00:00:00 GMT"], 200),
            (["Range": "bytes=0-1", "If-None-Match": tag], 304),
        ]
        for (headers, status) in cases {
            let response = try await Database.transfer("GET", url, headers)
            #expect(response.status == status, "\(headers)")
            #expect(response.headers["ETag"] == tag)
            if status == 304 || status == 412 { #expect(response.body.isEmpty) }
        }
    }

    @Test("An upload in parts, asked how far it is, and what its receipt was")
    func parts() async throws {
        let name = Unique.name("d")
        let url = try await database.uploadURL("Document", name)
        #expect(try await Database.transfer("HEAD", url).headers["Upload-Offset"] == "0")
        let first = try await Database.transfer(
            "PUT", url, ["Content-Range": "bytes 0-59999/100000"], body: Array(bytes[..<60_000]))
        #expect(first.status == 202 && first.headers["Upload-Offset"] == "60000")
        #expect(try JSON(parsing: first.body)["uploadOffset"].int == 60_000)
        let wrong = try await Database.transfer(
            "PUT", url, ["Content-Range": "bytes 5-9/100000"], body: [1, 2, 3, 4, 5])
        #expect(wrong.status == 409 && reason(wrong).contains("60000"))
        let asked = try await Database.transfer("HEAD", url)
        #expect(asked.headers["Upload-Offset"] == "60000" && asked.headers["Upload-Complete"] == "?0")
        let digest = Base64.string(SHA256.hash(bytes))
        let last = try await Database.transfer(
            "POST", url, ["Content-Range": "bytes 60000-99999/100000", "Repr-Digest": "sha-256=:\(digest):"],
            body: Array(bytes[60_000...]))
        #expect(last.status == 200 && last.headers["Upload-Complete"] == "?1")
        let again = try await Database.transfer("GET", url)
        #expect(again.body == last.body)
        let asset = try JSON(parsing: again.body)["singleFile"]
        try await database.save(Change.create("Document", name, ["file": ["value": asset]]))
    }

    @Test(
        "Content-Range that cannot be meant is refused before the bytes",
        arguments: [
            "bytes 0-4", "bytes 4-0/5", "bytes 0-4/4", "bytes 0-9/10", "0-4/5", "bytes */5", "bytes a-b/c",
            "bytes -1-3/5",
        ])
    func badContentRange(header: String) async throws {
        let url = try await database.uploadURL("Document", Unique.name("d"))
        let response = try await Database.transfer("PUT", url, ["Content-Range": header], body: [1, 2, 3, 4, 5])
        #expect(response.status == 400 && reason(response).contains("Content-Range"))
        #expect(try await Database.transfer("HEAD", url).headers["Upload-Offset"] == "0")
    }

    @Test("A plain POST whose client goes away is kept, and goes on with a part")
    func brokenOff() async throws {
        let size: Int64 = 5_000_000
        let url = try await database.uploadURL("Document", Unique.name("d"))
        try await RawTransfer.breakOff(after: 3_000_000, of: size, to: url)
        var offset: Int64 = 0
        // The server notices that the client is gone when it does.
        while offset == 0 {
            offset = try await Database.transfer("HEAD", url).headers["Upload-Offset"].flatMap { Int64($0) } ?? -1
        }
        #expect((1...3_000_000).contains(offset))
        let rest = Array(RawTransfer.pattern(size)[Int(offset)...])
        let range = "bytes \(offset)-\(size - 1)/\(size)"
        let digest = "sha-256=:\(Base64.string(RawTransfer.digest(size: size))):"
        let last = try await Database.transfer(
            "PUT", url, ["Content-Range": range, "Repr-Digest": digest], body: rest)
        #expect(last.status == 200, "\(reason(last))")
    }

    // MARK: - Threats

    @Test("Threat 14: who may not save gets no place, and keys and tokens of elsewhere get nothing")
    func threat14() async throws {
        let body = Database.tokens("Document", Unique.name("d"), "file")
        let anonymous = tenant.anonymousDatabase
        let refused = try await anonymous.post("assets/upload", body)
        expectRefused(refused, 421, "AUTHENTICATION_REQUIRED")
        #expect(refused.json["redirectURL"].string != nil)
        let signedOut = try await tenant.database("private", .apiToken(tenant.apiToken)).post("assets/upload", body)
        expectRefused(signedOut, 421, "AUTHENTICATION_REQUIRED")
        expectRefused(
            try await tenant.database("private", tenant.key).post("assets/upload", body), 403, "ACCESS_DENIED")
        expectRefused(
            try await tenant.database("public", .none).post("assets/upload", body), 401, "AUTHENTICATION_FAILED")
        let key = try await tenant.database("public", tenant.key).post("assets/upload", body)
        #expect(key.json["tokens"][0]["url"].isPresent, "\(key)")
    }

    @Test("Threat 14: another's record takes no upload, and gives none away")
    func othersRecord() async throws {
        let (record, _) = try await stored(in: tenant.publicDatabase)
        let name = try #require(record["recordName"].string)
        let place = try await tenant.bobsPublicDatabase.post("assets/upload", Database.tokens(nil, name, "file"))
        #expect(place.json["tokens"][0]["serverErrorCode"] == "ACCESS_DENIED", "\(place)")
        let (own, _) = try await stored()
        let ownName = try #require(own["recordName"].string)
        let rereference: JSON = ["assets": [["recordName": .string(ownName), "fieldName": "file"]]]
        let answer = try await tenant.bobsPrivateDatabase.post("assets/rereference", rereference)
        #expect(answer.json["assets"][0]["serverErrorCode"] == "NOT_FOUND", "\(answer)")
    }

    @Test("Threat 36: 200 tokens pass, 201 are refused; so do rereferenced assets")
    func threat36() async throws {
        func token(_ number: Int) -> JSON {
            ["recordType": "Document", "fieldName": "file", "recordName": .string("r\(number)")]
        }
        for (action, list) in [("assets/upload", "tokens"), ("assets/rereference", "assets")] {
            let many = (0..<201).map(token)
            expectRefused(try await database.post(action, [list: .array(many)]), 400, "BAD_REQUEST", "201", "200")
            let answer = try await database.post(action, [list: .array(Array(many.prefix(200)))])
            #expect(answer.status == 200 && answer.json[list].array?.count == 200)
        }
    }

    @Test("Threat 36: an asset over the limit is refused before its bytes are sent")
    func tooLarge() async throws {
        let url = try await database.uploadURL("Document", Unique.name("d"))
        let greatest = Int64(4) << 30
        let response = try await Database.transfer(
            "PUT", url, ["Content-Range": "bytes \(greatest)-\(greatest)/\(greatest + 1)"], body: [1])
        #expect(response.status == 400 && reason(response).contains("\(greatest)"))
    }

    @Test("Threat 47: addresses that were changed, or are for something else, are refused precisely")
    func threat47() async throws {
        let (_, url) = try await stored()
        let upload = try await database.uploadURL("Document", Unique.name("d"))
        func changed(_ address: String, _ part: String) throws -> String {
            let start = try #require(address.firstRange(of: part)).upperBound
            let middle = address.index(start, offsetBy: 30)
            return address.replacingCharacter(at: middle)
        }
        let forgedUpload = try await Database.transfer("POST", try changed(upload, "/upload/"), body: bytes)
        #expect(
            forgedUpload.status == 403 && reason(forgedUpload).contains("upload address was not issued by this server"))
        let forged = try await Database.transfer("GET", try changed(url, "/download/"))
        #expect(forged.status == 403 && reason(forged).contains("download address was not issued by this server"))
        let crossed = try await Database.transfer("POST", url.replacing("/download/", with: "/upload/"), body: [1])
        #expect(crossed.status == 404)
        let ticket = try #require(upload.split(separator: "/").last)
        let asDownload = try await Database.transfer("GET", "\(database.server)/assets/download/\(ticket)/x")
        #expect(asDownload.status == 403)
    }

    @Test(
        "Threat 47: paths that would leave the directory lead nowhere",
        arguments: [
            "/assets/download/..%2F..%2Fsecret.key/x", "/assets/download/%2e%2e/%2e%2e/secret.key",
            "/assets/../stratus.db", "/assets/upload/..%2f..%2fx", "/assets/secret.key", "/assets/",
        ])
    func traversal(path: String) async throws {
        for method in ["GET", "POST"] {
            let response = try await Database.transfer(method, database.server + path, body: method == "GET" ? [] : [1])
            #expect([400, 403, 404, 405].contains(response.status), "\(method): \(response.status)")
            #expect(!response.headers.contains { $0.name.lowercased() == "etag" })
        }
    }

    @Test("Threat 47: receipts of another person are refused")
    func foreignReceipt() async throws {
        let name = Unique.name("d")
        let asset = try await tenant.publicDatabase.upload(bytes, "Document", name)
        let change = Change.create("Document", name, ["file": ["value": asset]])
        let answer = try await tenant.bobsPublicDatabase.modify([change])
        expectFailed(answer.records.first ?? .absent, "BAD_REQUEST", "receipt")
        let elsewhere = try await tenant.privateDatabase.modify([change])
        expectFailed(elsewhere.records.first ?? .absent, "BAD_REQUEST", "receipt")
        try await tenant.publicDatabase.save(change)
    }

    @Test(
        "Threat 48: whatever was uploaded is a file to save, never a page",
        arguments: ["text/html", "image/svg+xml", "application/javascript"])
    func threat48(type: String) async throws {
        let name = Unique.name("d")
        let url = try await database.uploadURL("Document", name)
        let page = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
        let upload = try await Database.transfer("POST", url, ["Content-Type": type], body: page)
        let asset = try JSON(parsing: upload.body)["singleFile"]
        let record = try await database.save(Change.create("Document", name, ["file": ["value": asset]]))
        let address = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
        let names = [
            "x.html", "a%22%3B%20filename%3D%22b.html", "%0D%0ASet-Cookie%3A%20x%3D1", "..%2F..%2Fx",
            "%E2%80%AEgpj.exe",
        ]
        for fileName in names {
            let response = try await Database.transfer("GET", address.replacing("${f}", with: fileName))
            #expect(response.status == 200 && response.body == page)
            #expect(response.headers["Content-Type"] == "application/octet-stream")
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(response.headers["Set-Cookie"] == nil)
            let disposition = response.headers["Content-Disposition"] ?? ""
            #expect(disposition.hasPrefix("attachment"))
            #expect(disposition.filter { $0 == "\"" }.count == 2 && !disposition.contains("/"), "\(disposition)")
            #expect(!disposition.contains("E2%80%AE"))
        }
    }

    @Test("A page of another origin can upload with any type, and fetch ranges")
    func crossOrigin() async throws {
        let origin = "https://app.example.org"
        let url = try await database.uploadURL("Document", Unique.name("d"))
        let preflight = try await Database.transfer(
            "OPTIONS", url,
            [
                "Origin": origin, "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "content-range",
            ])
        #expect(preflight.status == 200)
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        #expect(preflight.headers["Access-Control-Allow-Headers"]?.contains("Content-Range") == true)
        let upload = try await Database.transfer("POST", url, ["Origin": origin], body: bytes)
        #expect(upload.headers["Access-Control-Allow-Origin"] == origin)
        let (_, address) = try await stored()
        let download = try await Database.transfer("GET", address, ["Origin": origin, "Range": "bytes=0-0"])
        #expect(download.headers["Access-Control-Allow-Origin"] == origin)
        #expect(download.headers["Access-Control-Expose-Headers"]?.contains("Content-Range") == true)
    }

    @Test("Other methods are refused by name")
    func methods() async throws {
        let (_, url) = try await stored()
        let upload = try await database.uploadURL("Document", Unique.name("d"))
        for (address, method) in [(url, "POST"), (url, "DELETE"), (upload, "DELETE"), (upload, "PATCH")] {
            let response = try await Database.transfer(method, address)
            #expect(response.status == 405, "\(method)")
            #expect(response.headers["Allow"]?.contains("GET") == true)
        }
    }
}

extension String {
    /// With another letter at a place.
    fileprivate func replacingCharacter(at index: Index) -> String {
        var copy = self
        copy.replaceSubrange(index...index, with: self[index] == "A" ? "B" : "A")
        return copy
    }
}
