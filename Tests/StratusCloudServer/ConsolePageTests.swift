import Foundation
import Testing

@testable import StratusCloudServer

/// How the console's pages come to a browser.
@Suite struct ConsolePageTests {
    private static let files = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources/Console/Files"
    ).standardizedFileURL.path

    private func cloud(files: String? = files) async throws -> TestCloud {
        try await TestCloud(configure: { $0.consoleFiles = files })
    }

    /// The version that the page names its files by.
    private func version(of page: RawResponse) throws -> String {
        let start = try #require(page.body.firstRange(of: "/console/app/"))
        return String(page.body[start.upperBound...].prefix { $0 != "/" })
    }

    @Test func showsThePageForEveryViewUnderAStrictPolicy() async throws {
        let cloud = try await cloud()
        for path in ["/console/", "/console/sign-in", "/console/c/iCloud.org.example/development/records?type=Note"] {
            let page = try await cloud.client.send("GET", path)
            #expect(page.status == 200, "\(path)")
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page["Cache-Control"] == "no-cache")
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(!policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(page.body.hasPrefix("<!doctype html>"))
            // Nothing the policy would refuse.
            for refused in ["<script>", "<style", " style=", " onclick="] { #expect(!page.body.contains(refused)) }
        }
        let bare = try await cloud.client.send("GET", "/console")
        #expect(bare.status == 308)
        #expect(bare["Location"] == "/console/")
        await cloud.stop()
    }

    @Test func filesBelowTheirVersionAreKeptForeverAndOthersAskedForAgain() async throws {
        let cloud = try await cloud()
        let version = try version(of: try await cloud.client.send("GET", "/console/"))
        let kept = try await cloud.client.send("GET", "/console/app/\(version)/main.js")
        #expect(kept.status == 200)
        #expect(kept["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(kept["Cache-Control"] == "public, max-age=31536000, immutable")
        let asked = try await cloud.client.send("GET", "/console/app/main.js")
        #expect(asked["Cache-Control"] == "no-cache")
        #expect(asked.body == kept.body)
        let tag = try #require(asked["ETag"])
        let again = try await cloud.client.send("GET", "/console/app/main.js", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        // What an older page asks for is gone, not something else.
        #expect(try await cloud.client.send("GET", "/console/app/0123456789abcdef/main.js").status == 404)
        await cloud.stop()
    }

    @Test(arguments: [
        ("gzip", true), ("br, gzip;q=0.5", true), ("deflate, GZIP", true), ("gzip;q=0", false), ("gzip; q=0.0", false),
        ("br", false), ("", false),
    ])
    func compressesForWhoTakesIt(accepted: String, isCompressed: Bool) async throws {
        let cloud = try await cloud()
        let headers = [("Accept-Encoding", accepted)]
        let file = try await cloud.client.send("GET", "/console/app/main.js", headers: headers)
        #expect(file.status == 200)
        #expect((file["Content-Encoding"] == "gzip") == isCompressed)
        #expect(file["Vary"] == "Accept-Encoding")
        #expect((file["ETag"]?.contains("gzip") == true) == isCompressed)
        await cloud.stop()
    }

    @Test(arguments: [
        "app/../../../Package.swift", "app/%2e%2e/%2e%2e/Package.swift", "app/..%2F..%2FPackage.swift", "app/", "app",
        "app/index.html", "app/core", "lib/bootstrap5/../../../../etc/passwd", "lib//etc/passwd", "lib/bootstrap5",
        "lib/codemirror/codemirror.js.map", "lib/jquery/jquery.js", "lib/",
    ])
    func servesNothingElse(path: String) async throws {
        let cloud = try await cloud()
        let answer = try await cloud.client.send("GET", "/console/\(path)")
        #expect(answer.status == 404)
        #expect(answer.body == "not found\n")
        await cloud.stop()
    }

    @Test(arguments: [
        ("bootstrap5/bootstrap-reboot.min.css", "text/css; charset=utf-8"),
        ("chart.js/chart.min.js", "text/javascript; charset=utf-8"),
        ("codemirror/codemirror.js", "text/javascript; charset=utf-8"),
        ("codemirror/simple.js", "text/javascript; charset=utf-8"), ("world/outlines.json", "application/json"),
    ])
    func servesTheInstalledLibraries(name: String, type: String) async throws {
        let cloud = try await cloud()
        let file = try await cloud.client.send("GET", "/console/lib/\(name)")
        #expect(file.status == 200)
        #expect(file["Content-Type"] == type)
        await cloud.stop()
    }

    @Test(arguments: [nil, "/nowhere"]) func saysThatTheConsoleIsNotInstalled(files: String?) async throws {
        let cloud = try await cloud(files: files)
        let page = try await cloud.client.send("GET", "/console/")
        #expect(page.status == 404)
        #expect(page.body.contains("--console-files"))
        await cloud.stop()
    }

    @Test func takesNoOtherMethods() async throws {
        let cloud = try await cloud()
        for method in ["POST", "PUT", "DELETE"] {
            #expect(try await cloud.client.send(method, "/console/").status == 405)
        }
        #expect(try await cloud.client.send("HEAD", "/console/").status == 200)
        await cloud.stop()
    }
}
