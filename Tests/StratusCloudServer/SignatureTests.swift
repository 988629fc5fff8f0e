import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Who is let in with a server-to-server key.
@Suite struct SignatureTests {
    private static let emptyHash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let lookup = #"{"records":[{"recordName":"none"}]}"#

    private struct Signer {
        let key: P256PrivateKey
        var id = ""

        func headers(
            path: String, body: String, date: String, hash: String? = nil
        ) throws -> [(String, String)] {
            let hash = hash ?? Data(SHA256.hash(Array(body.utf8))).base64EncodedString()
            let signature = try key.sign(Array("\(date):\(hash):\(path)".utf8))
            return [
                (SignatureHeader.keyID, id), (SignatureHeader.date, date),
                (SignatureHeader.signature, Data(signature).base64EncodedString()),
            ]
        }
    }

    private func cloudAndSigner() async throws -> (TestCloud, Signer) {
        let cloud = try await TestCloud()
        var signer = Signer(key: try P256PrivateKey.generate())
        let pem = try signer.key.publicKey.pem()
        signer.id = try await cloud.service.registerServerKey(
            for: TestCloud.context(), name: "test", publicKeyPEM: pem)
        return (cloud, signer)
    }

    private func date(_ offset: Int64 = 0) -> String {
        let seconds = TimeInterval(TestCloud.start / 1_000 + offset)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    @Test func takesWhatClientsSign() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/records/lookup")
        let double = TestCloud.path("/public/records/lookup")
        let query = "?ckjsBuildVersion=1&ckjsVersion=2.6.1&clientId=a"
        for (sent, signed) in [
            (path, path), (path + query, path + query), (path + query, path),
            (double, double), (double, path), (double + query, double),
            (TestCloud.path("public/rec%6Frds/lookup"), path), (TestCloud.path("/public/rec%6Frds/lookup"), double),
            (TestCloud.path("/public/rec%6Frds/lookup"), path),
        ] {
            let headers = try signer.headers(path: signed, body: Self.lookup, date: date())
            let response = try await cloud.client.send("POST", sent, headers: headers, body: Self.lookup)
            #expect(response.status == 200, "sent \(sent), signed \(signed)")
        }
        await cloud.stop()
    }

    @Test func takesBothFormsOfNoBody() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/zones/list")
        for hash in ["", Self.emptyHash] {
            let headers = try signer.headers(path: path, body: "", date: date(), hash: hash)
            #expect(try await cloud.client.send("GET", path, headers: headers).status == 200)
        }
        await cloud.stop()
    }

    @Test func takesAnIgnoredBodyOfGetAsItWasSigned() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/zones/list")
        let headers = try signer.headers(path: path, body: "not JSON", date: date())
        let response = try await cloud.client.send("GET", path, headers: headers, body: "not JSON")
        #expect(response.status == 200)
        await cloud.stop()
    }

    @Test func refusesEverythingElseInTheSameWords() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/records/lookup")
        let good = try signer.headers(path: path, body: Self.lookup, date: date())
        var bad: [[(String, String)]] = []
        for index in good.indices {
            var missing = good
            missing.remove(at: index)
            bad.append(missing)
            var wrong = good
            wrong[index].1 = "AAAA"
            bad.append(wrong)
        }
        bad.append(try signer.headers(path: path, body: Self.lookup, date: date(11 * 60)))
        bad.append(try signer.headers(path: path, body: Self.lookup, date: date(-11 * 60)))
        bad.append(try signer.headers(path: path, body: Self.lookup + " ", date: date()))
        bad.append(try signer.headers(path: TestCloud.path("public/records/query"), body: Self.lookup, date: date()))
        bad.append(try signer.headers(path: path, body: Self.lookup, date: date(), hash: ""))
        bad.append(try signer.headers(path: path, body: Self.lookup, date: "2026-01-01 00:00:00"))
        var reasons: Set<String> = []
        for headers in bad {
            let response = try await cloud.client.send("POST", path, headers: headers, body: Self.lookup)
            #expect(response.status == 401)
            #expect(response.isWholeError)
            reasons.insert(response.json["reason"] as? String ?? "")
        }
        #expect(reasons.count == 1)
        await cloud.stop()
    }

    @Test func toleratesClocksThatAreOffALittle() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/records/lookup")
        for offset in [-9 * 60, 9 * 60] as [Int64] {
            let headers = try signer.headers(path: path, body: Self.lookup, date: date(offset))
            #expect(try await cloud.client.send("POST", path, headers: headers, body: Self.lookup).status == 200)
        }
        await cloud.stop()
    }

    @Test func refusesAChangeThatIsSentTwice() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let path = TestCloud.path("public/records/modify")
        let body = #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":{}}}]}"#
        let headers = try signer.headers(path: path, body: body, date: date())
        #expect(try await cloud.client.send("POST", path, headers: headers, body: body).status == 200)
        let replay = try await cloud.client.send("POST", path, headers: headers, body: body)
        #expect(replay.status == 401)
        #expect(replay.code == "AUTHENTICATION_FAILED")
        // Reading twice does no harm.
        let reading = TestCloud.path("public/records/lookup")
        let again = try signer.headers(path: reading, body: Self.lookup, date: date())
        for _ in 0..<2 {
            #expect(try await cloud.client.send("POST", reading, headers: again, body: Self.lookup).status == 200)
        }
        await cloud.stop()
    }

    @Test func refusesMixedCredentials() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        let token = try await cloud.webAuthToken()
        for query in ["?ckAPIToken=\(cloud.apiToken)", "?ckWebAuthToken=\(token)"] {
            let path = TestCloud.path("public/records/lookup")
            let headers = try signer.headers(path: path, body: Self.lookup, date: date())
            let response = try await cloud.client.send("POST", path + query, headers: headers, body: Self.lookup)
            #expect(response.status == 401)
        }
        await cloud.stop()
    }

    @Test func staysInThePublicDatabase() async throws {
        let (cloud, signer) = try await cloudAndSigner()
        for (rest, body) in [
            ("private/records/lookup", Self.lookup), ("shared/zones/list", ""),
            ("public/users/token", #"{"apiToken":"x"}"#), ("public/users/lookup/contacts", #"{"contactHashes":[]}"#),
        ] {
            let path = TestCloud.path(rest)
            let headers = try signer.headers(path: path, body: body, date: date())
            let response = try await cloud.client.send("POST", path, headers: headers, body: body)
            #expect(response.status == 403, "\(rest)")
            #expect(response.code == "ACCESS_DENIED")
            #expect(response.json["redirectURL"] == nil)
        }
        await cloud.stop()
    }

    @Test func triesPathsInOrderAndOnce() {
        #expect(SignedPaths.candidates(target: "/a/b") == ["/a/b"])
        #expect(SignedPaths.candidates(target: "/a//b?c=%20") == ["/a//b?c=%20", "/a//b", "/a/b"])
        #expect(SignedPaths.candidates(target: "//a%20?") == ["//a%20?", "//a%20", "//a ", "/a%20", "/a "])
        #expect(SignedPaths.candidates(target: "/%zz") == ["/%zz"])
    }
}
