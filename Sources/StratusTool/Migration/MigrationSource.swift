import Foundation
import Glibc
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudWire
import StratusHTTPClient

/// A container of another cloud, as its web services show it.
///
/// Waits as long as the cloud asks, and tries again what did not get through; what it reads changes nothing there.
final class MigrationSource: Sendable {
    /// Who asks.
    enum Credential: Sendable {
        /// Reads the public database.
        case serverKey(id: String, P256PrivateKey)
        /// Reads what one person may see. The token is renewed with each answer, and its file with it.
        case user(apiToken: String, tokenFile: String)
    }

    /// Scheme, host and port.
    let origin: String
    private let place: String
    private let credential: Credential
    private let http: HTTPClient
    /// For the bytes of assets that lie elsewhere than the cloud itself: where the cloud says, so not in this network. Of
    /// the environment's proxy nobody knows what it reaches, so only one is used that is named for this.
    private let outside: HTTPClient
    private let told: @Sendable (String) -> Void

    /// - Parameters:
    ///   - assetProxy: the URL of a proxy for the bytes of assets that lie elsewhere; without one they are fetched directly,
    ///     from addresses that the internet routes.
    ///   - told: called with what is worth knowing while it waits.
    init(
        origin: String, container: String, environment: String, credential: Credential, authorities: String?,
        assetProxy: String?,
        told: @escaping @Sendable (String) -> Void
    ) {
        self.origin = origin
        place = "/database/1/\(PercentEncoding.encode(container))/\(environment)"
        self.credential = credential
        self.told = told
        var options = HTTPClientOptions()
        options.certificateAuthorityFile = authorities
        options.usesEnvironmentProxy = true
        http = HTTPClient(options: options)
        options.usesEnvironmentProxy = false
        options.proxy = assetProxy
        options.allowsPrivateAddresses = assetProxy != nil
        outside = HTTPClient(options: options)
    }

    /// The answer to a request of the web services.
    /// - Throws: ``ToolError`` with the code of the refusal.
    func post(_ path: String, _ body: () throws(CloudError) -> [UInt8]) async throws(ToolError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(CloudError) { bytes = try body() } catch { throw ToolError(error) }
        return try await patiently { () async throws(ToolError) -> HTTPClientResponse in
            try await self.send(path, bytes)
        }
    }

    /// Some bytes of an asset; fewer than asked for at its end. A server that knows no ranges gives all of them.
    func bytes(at url: String, from offset: Int64, count: Int64) async throws(ToolError) -> (
        bytes: [UInt8], isAll: Bool
    ) {
        // Apple leaves the name of the file to whoever fetches it.
        let address = url.replacingPlaceholder(with: "asset")
        let isOwn = address.hasPrefix(origin + "/")
        guard isOwn || address.hasPrefix("https://") else {
            throw ToolError("the address of the asset is not https", code: "BAD_ADDRESS")
        }
        let client = isOwn ? http : outside
        let headers: HTTPHeaders = ["Range": "bytes=\(offset)-\(offset + count - 1)"]
        var isAll = false
        let body = try await patiently { () async throws(ToolError) -> HTTPClientResponse in
            let response = try await self.send(HTTPClientRequest(url: address, headers: headers), by: client)
            isAll = response.status == 200
            return response
        }
        return (body, isAll)
    }

    // MARK: - One request

    private func send(_ path: String, _ body: [UInt8]) async throws(ToolError) -> HTTPClientResponse {
        let target = "\(place)/\(path)"
        var request = HTTPClientRequest(
            method: "POST", url: origin + target, headers: ["Content-Type": "application/json"], body: body)
        switch credential {
        case .serverKey(let id, let key):
            let date = Self.date()
            do {
                let signature = try key.sign(Array("\(date):\(Base64.string(SHA256.hash(body))):\(target)".utf8))
                request.headers.append("X-Apple-CloudKit-Request-KeyID", id)
                request.headers.append("X-Apple-CloudKit-Request-ISO8601Date", date)
                request.headers.append("X-Apple-CloudKit-Request-SignatureV1", Base64.string(signature))
            } catch {
                throw ToolError("the request cannot be signed: \(error)")
            }
        case .user(let apiToken, let file):
            let token = try Self.text(of: file)
            request.url +=
                "?"
                + PercentEncoding.encode([
                    (name: "ckAPIToken", value: apiToken), (name: "ckWebAuthToken", value: token),
                ])
        }
        let response = try await send(request, by: http)
        if case .user(_, let file) = credential, let token = response.headers["X-Apple-CloudKit-Web-Auth-Token"],
            !token.isEmpty
        {
            // At Apple the old one is void from now on.
            try AtomicFile.replace(file, with: Array((token + "\n").utf8))
        }
        return response
    }

    private func send(
        _ request: HTTPClientRequest, by client: HTTPClient
    ) async throws(ToolError) -> HTTPClientResponse {
        do throws(HTTPClientError) {
            return try await client.send(request)
        } catch {
            throw ToolError(
                "'\(request.url.prefix { $0 != "?" })' cannot be fetched: \(error.message)", code: Self.code(of: error))
        }
    }

    private static let interruption = "a request was interrupted"
    static let unreachable = "UNREACHABLE"
    private static let untrusted = "TLS"

    /// Only what may pass is said to be unreachable: anything else is wrong with one address for good.
    private static func code(of error: HTTPClientError) -> String {
        switch error.code {
        case .forbiddenAddress, .invalidRequest: "BAD_ADDRESS"
        case .tooLarge: "TOO_LARGE"
        case .tls: untrusted
        case .cancelled: ToolError.interruptedCode
        default: unreachable
        }
    }

    /// Times that a request is sent that fails with a code. A connection that breaks while it is being secured looks like
    /// one that cannot be, so that is tried again, but not for long.
    private static func attempts(_ code: String) -> Int {
        code == untrusted ? MigrationLimits.tlsAttempts : MigrationLimits.attempts
    }

    /// The body of a good answer. What the cloud asks to try later is tried later.
    private func patiently(
        _ body: () async throws(ToolError) -> HTTPClientResponse
    ) async throws(ToolError) -> [UInt8] {
        var pause = 1
        for attempt in 1... {
            try ToolError.checkInterruption(Self.interruption)
            var failure: ToolError
            var wait: Int?
            do throws(ToolError) {
                let response = try await body()
                if (200..<300).contains(response.status) { return response.body }
                let refusal = try? ResponseDecoder().refusal(response.body)
                failure =
                    refusal.map { ToolError($0.error) }
                    ?? ToolError(
                        "the server answered with the HTTP status \(response.status)", code: "HTTP_\(response.status)")
                wait =
                    refusal?.error.retryAfter ?? response.retryAfter(now: Int64(Date().timeIntervalSince1970 * 1_000))
                let code = refusal?.error.code
                let isPassing =
                    code?.passes == true || wait != nil
                    || [429, 502, 503, 504].contains(response.status)
                guard isPassing else { throw failure }
            } catch {
                guard
                    [Self.unreachable, Self.untrusted].contains(error.code) || wait != nil
                        || MigrationLimits.passing.contains(error.code)
                else { throw error }
                failure = error
            }
            guard attempt < Self.attempts(failure.code) else { throw failure }
            let seconds = min(max(wait ?? pause, 0), MigrationLimits.longestPause)
            pause = min(pause * 2, MigrationLimits.longestPause)
            told("waiting \(seconds) s: \(failure.message)")
            // One that is cut short ends before the next attempt.
            try? await Task.sleep(for: .seconds(seconds))
        }
        throw ToolError("the source does not answer")
    }

    /// Such as `2026-11-22T10:15:00Z`.
    private static func date() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func text(of file: String) throws(ToolError) -> String {
        let text = TextValue.trimmed(
            String(decoding: try AtomicFile.read(file, limit: MigrationLimits.secretSize), as: UTF8.self))
        guard !text.isEmpty else { throw .usage("\(file) is empty") }
        return text
    }
}

extension String {
    /// The address with a name in the place of `${f}`.
    fileprivate func replacingPlaceholder(with name: String) -> String {
        guard let range = firstRange(of: "${f}") else { return self }
        return self[..<range.lowerBound] + name + self[range.upperBound...]
    }
}

/// Limits of migrations.
enum MigrationLimits {
    /// Times that a request is sent while the source asks to try again later, or cannot be reached.
    static let attempts = 20
    /// Times that it is sent while no secure connection comes about.
    static let tlsAttempts = 3
    /// Seconds between two of them at most.
    static let longestPause = 300
    /// Bytes of an asset that are fetched at a time.
    static let pieceSize: Int64 = 8 * 1_048_576
    /// Bytes of a file with a token or a key.
    static let secretSize = 65_536
    /// Bytes of the file that says how far it is.
    static let stateSize = 16 * 1_048_576
    /// Times that what could not be saved is tried again, since what it refers to may have come meanwhile.
    static let passes = 4
    /// Things left out that the report names; others are counted.
    static let listed = 1_000
    /// Codes of refusals that pass.
    static let passing = Set(CloudError.Code.allCases.filter(\.passes).map(\.rawValue))
}
