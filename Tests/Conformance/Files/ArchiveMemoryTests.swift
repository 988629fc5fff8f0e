import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Folders as archives, of a server whose memory is watched.
@Suite("Archives of folders", .serialized)
struct ArchiveMemoryTests {
    private static let fileSize = 16 << 20
    private static let copies = 7
    private static let items = 2_000

    @Test("A folder of large files and many small ones comes as an archive with the server's memory flat")
    func memory() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let access = try await FilesAccess(of: tenant.alice, in: tenant)
        let database = tenant.privateDatabase
        func dav(_ method: String, _ path: String, _ headers: HTTPHeaders = [:], _ body: [UInt8] = []) async throws {
            var headers = headers
            headers.append("Authorization", access.basic)
            let path = "/dav/\(tenant.container)/\(path)"
            let answer = try await database.send(method, path: path, headers: headers, body: body)
            #expect(answer.status == 201, "\(answer)")
        }
        try await dav("MKCOL", "large")
        // Random, so that the archive has as many bytes.
        try await dav("PUT", "large/0", [:], RandomSource.system.bytes(Self.fileSize))
        for copy in 1...Self.copies {
            try await dav("COPY", "large/0", ["Destination": "/dav/\(tenant.container)/large/\(copy)"])
        }
        try await dav("MKCOL", "many")
        let folders = try await database.query("StratusFile", zone: "_files").records.filter {
            $0["fields"]["kind"]["value"] == "folder"
        }
        let ids = folders.map(\.name)
        let many = try #require(folders.first { $0["fields"]["name"]["value"] == "many" }).name
        for start in stride(from: 0, to: Self.items, by: 200) {
            let answer = try await database.modify(
                (start..<start + 200).map { number in
                    Change.create(
                        "StratusFile", "f\(number)",
                        [
                            "name": ["value": .string("a file with a name of some length, number \(number)")],
                            "kind": ["value": "file"], "folder": ["value": ["recordName": .string(many)]],
                        ])
                }, zone: "_files")
            #expect(answer.code == nil && answer.records.allSatisfy { $0["serverErrorCode"].string == nil })
        }
        var options = HTTPClientOptions()
        options.maximumResponseLength = 1 << 30
        let client = HTTPClient(options: options)
        func archive(_ items: [String]) async throws -> [UInt8] {
            let form = PercentEncoding.encode([("form", access.form), ("items", items.joined(separator: ","))])
            let request = HTTPClientRequest(
                method: "POST",
                url: "\(tenant.cloud.server.url)/files/api/\(tenant.container)/development/archive",
                headers: [
                    "Sec-Fetch-Site": "same-origin", "Cookie": access.cookie,
                    "Content-Type": "application/x-www-form-urlencoded",
                ], body: Array(form.utf8))
            return try await client.send(request).body
        }
        // Code and connections that are loaded once are loaded now.
        _ = try await archive(["f0"])
        try tenant.cloud.server.resetPeakMemory()
        let before = try tenant.cloud.server.peakMemory
        let bytes = try await archive(ids)
        let growth = Double(try tenant.cloud.server.peakMemory - before) / 1_024
        #expect(bytes.count > (Self.copies + 1) * Self.fileSize)
        // The end of the directory, with the number of entries.
        let count = Self.items + Self.copies + 1 + ids.count
        #expect(Array(bytes.suffix(22).prefix(4)) == [0x50, 0x4B, 5, 6])
        #expect(bytes.suffix(12).prefix(2).elementsEqual([UInt8(count & 0xFF), UInt8(count >> 8)]))
        print("archive of \(bytes.count >> 20) MiB: peak resident memory grew by \(growth) MiB")
        #expect(growth < 32)
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
    }
}
