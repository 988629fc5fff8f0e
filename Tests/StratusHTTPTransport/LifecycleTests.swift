import Foundation
import StratusHTTPTransport
import StratusTestSupport
import Testing

extension HTTPTransportTests {
    @Suite struct LifecycleTests {
        private func server(
            _ handler: any HTTPHandler, _ address: HTTPServerConfiguration.Address, limits: HTTPServerLimits = .init()
        ) -> HTTPServer {
            HTTPServer(
                configuration: HTTPServerConfiguration(address: address, limits: limits), executor: handlerPool,
                handler: handler)
        }

        private func failure(_ address: HTTPServerConfiguration.Address) -> HTTPServerError.Code? {
            do throws(HTTPServerError) {
                _ = try server(ClosureHandler.echo, address).start()
                return nil
            } catch { return error.code }
        }

        @Test func failuresToListenAreNamed() async throws {
            try await withServer(ClosureHandler.echo) { server, port in
                #expect(failure(.network(host: "127.0.0.1", port: port)) == .addressInUse)
                let error = #expect(throws: HTTPServerError.self) { try server.start() }
                #expect(error?.code == .alreadyStarted)
            }
            #expect(failure(.network(host: "203.0.113.1", port: 0)) == .addressUnavailable)
            #expect(failure(.network(host: "no host", port: 0)) == .addressUnavailable)
            #expect(failure(.unixSocket(path: "/nowhere/at/all")) == .invalidSocketPath)
            #expect(failure(.unixSocket(path: String(repeating: "a", count: 200))) == .invalidSocketPath)
            #expect(failure(.unixSocket(path: "/tmp")) == .invalidSocketPath)
        }

        @Test func aUnixSocketIsServedForItsOwnerOnly() async throws {
            let path = temporaryPath("socket")
            for _ in 0..<2 {
                let server = server(ClosureHandler.echo, .unixSocket(path: path))
                #expect(try server.start() == 0)
                #expect(failure(.unixSocket(path: path)) == .addressInUse)
                var status = stat()
                #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
                let text = try await client {
                    try RawClient(path: path).exchange("GET /u HTTP/1.1\r\nHost: a\r\n\r\n").text
                }
                #expect(text == "GET /u ")
                await server.stop(drainingFor: .seconds(1))
                #expect(lstat(path, &status) != 0)
            }
        }

        @Test func theClientsDisappearanceCancelsTheHandler() async throws {
            let (started, cancelled) = (Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler { _ in
                await started.happen(true)
                // Longer than any test waits: only cancellation ends it.
                do { try await Task.sleep(for: .seconds(3_600)) } catch { await cancelled.happen(true) }
                return HTTPResponse(status: 200)
            }
            var limits = HTTPServerLimits()
            limits.headTime = .milliseconds(400)
            try await withServer(handler, limits: limits) { server, port in
                let connection = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return UncheckedBox(value: connection)
                }
                _ = await started.wait()
                connection.value.close()
                #expect(await cancelled.wait())
                #expect(server.statistics().abandonedRequests == 1)
            }
        }

        @Test func aHandlerSeesWhetherItsClientIsThere() async throws {
            let (started, gone, seen) = (Event<Bool>(), Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler { request in
                await started.happen(request.isClientConnected())
                _ = await gone.wait()
                await seen.happen(request.isClientConnected())
                return HTTPResponse(status: 200)
            }
            try await withServer(handler) { _, port in
                let connection = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return UncheckedBox(value: connection)
                }
                #expect(await started.wait())
                connection.value.close()
                await gone.happen(true)
                #expect(await !seen.wait())
            }
        }

        @Test func aHandlerThatDoesNotEndIsCutOff() async throws {
            let (started, mayEnd) = (Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler { _ in
                await started.happen(true)
                _ = await mayEnd.wait()
                return HTTPResponse(status: 200)
            }
            let server = server(handler, .network(host: "127.0.0.1", port: 0))
            let port = try server.start()
            let closed = Event<Bool>()
            Task {
                let isClosed = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = connection.readToEnd()
                    return true
                }
                await closed.happen(isClosed)
            }
            _ = await started.wait()
            await server.stop(drainingFor: .milliseconds(50))
            #expect(await closed.wait())
            #expect(server.statistics().openConnections == 0)
            await mayEnd.happen(true)
        }

        /// Clients that keep asking: each request that was sent is answered, the last with `Connection: close`, or the
        /// connection was closed before anything of it was read.
        @Test(arguments: 1...5)
        func drainingLosesNoRequest(_ round: Int) async throws {
            let server = server(ClosureHandler.echo, .network(host: "127.0.0.1", port: 0))
            let port = try server.start()
            let underWay = Event<Bool>()
            let lost = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        let lost = try? await client {
                            let connection = try RawClient(port: port)
                            var count = 0
                            while true {
                                do {
                                    let answer = try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                    count += 1
                                    if count == 50 { Task { await underWay.happen(true) } }
                                    if answer.closes { return 0 }
                                } catch { return 1 }
                            }
                        }
                        return lost ?? 0
                    }
                }
                _ = await underWay.wait()
                await server.stop(drainingFor: .seconds(10))
                return await group.reduce(0, +)
            }
            #expect(lost == 0)
            #expect(server.statistics().openConnections == 0)
        }

        @Test func requestsInFlightAreAnsweredWhileDraining() async throws {
            let (started, mayEnd) = (Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler { _ in
                await started.happen(true)
                _ = await mayEnd.wait()
                return HTTPResponse(status: 200, body: .bytes([0x6F, 0x6B]))
            }
            let server = server(handler, .network(host: "127.0.0.1", port: 0))
            let port = try server.start()
            async let answer = client {
                let connection = try RawClient(port: port)
                let response = try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return response.text + (response.closes ? " closes" : "")
            }
            _ = await started.wait()
            async let stopped: Void = server.stop(drainingFor: .seconds(60))
            // Once nobody is let in any more, the server is draining.
            try await client { while (try? RawClient(port: port)) != nil {} }
            await mayEnd.happen(true)
            #expect(try await answer == "ok closes")
            await stopped
            await server.stop(drainingFor: .zero)
            #expect(throws: (any Error).self) { try RawClient(port: port) }
        }

        /// Version 1.2 only with keys of the connection's own. What is decrypted is checked as on plain connections.
        @Test func tls12HasForwardSecrecy() async throws {
            let (certificate, key) = (temporaryPath("cert.pem"), temporaryPath("key.pem"))
            defer { for path in [certificate, key] { unlink(path) } }
            // With such a key a client could encrypt what the session's keys are made of, and send it.
            _ = try await run(
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-keyout", key, "-out", certificate)
            let tls = HTTPServerConfiguration.TLS(
                certificate: try String(contentsOfFile: certificate, encoding: .utf8),
                key: try String(contentsOfFile: key, encoding: .utf8))
            try await withServer(ClosureHandler.echo, tls: tls) { server, port in
                func connect(_ arguments: String..., sending request: String = "") async throws -> String {
                    try await run(
                        "openssl",
                        ["s_client", "-ign_eof", "-connect", "localhost:\(port)", "-CAfile", certificate] + arguments,
                        input: request)
                }
                let close = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                for cipher in ["AES128-GCM-SHA256", "AES256-SHA256", "DHE-RSA-AES128-GCM-SHA256"] {
                    let refused = try await connect("-tls1_2", "-cipher", cipher, sending: close)
                    #expect(refused.contains("Cipher is (NONE)"), "\(refused)")
                }
                let served = try await connect("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", sending: close)
                #expect(served.contains("Cipher is ECDHE-RSA-AES128-GCM-SHA256") && served.contains("GET /a "))
                #expect(try await connect("-tls1_3", sending: close).contains("GET /a "))
                let malformed = try await connect(sending: "GET /b HTTP/1.1\nHost: a\r\n\r\n")
                #expect(
                    malformed.contains("HTTP/1.1 400 Bad Request") && !malformed.contains("GET /b "), "\(malformed)")
                #expect(server.statistics().malformedRequests == 1)
            }
        }

        @Test func tlsIsServedFromVersion12On() async throws {
            let (certificate, key) = (temporaryPath("cert.pem"), temporaryPath("key.pem"))
            defer { for path in [certificate, key] { unlink(path) } }
            _ = try await run(
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate
            )
            let tls = HTTPServerConfiguration.TLS(
                certificate: try String(contentsOfFile: certificate, encoding: .utf8),
                key: try String(contentsOfFile: key, encoding: .utf8))
            let handler = ClosureHandler { request in
                HTTPResponse(status: 200, body: .bytes(Array("secure \(request.head.isSecure)".utf8)))
            }
            try await withServer(handler, tls: tls) { _, port in
                let url = "https://localhost:\(port)/"
                let arguments = ["-sS", "--cacert", certificate, url]
                #expect(try await run("curl", arguments + ["--tlsv1.3"]) == "secure true")
                #expect(try await run("curl", arguments + ["--tls-max", "1.2"]) == "secure true")
                let old = try await run(
                    "curl", arguments + ["--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", "-w", "%{http_code}"])
                #expect(old == "000")
            }
            #expect(throws: HTTPServerError.self) {
                try HTTPServer(
                    configuration: HTTPServerConfiguration(
                        address: .network(host: "127.0.0.1", port: 0), tls: .init(certificate: "no", key: "pem")),
                    executor: handlerPool, handler: handler
                ).start()
            }
        }
    }
}

private func run(_ name: String, _ arguments: String...) async throws -> String { try await run(name, arguments) }

/// Runs a program: what it prints. It may end before it has read its input, as for a connection that is refused.
private func run(_ name: String, _ arguments: [String], input: String = "") async throws -> String {
    try await ChildProcess("/usr/bin/" + name, arguments, input: input).standardOutput
}
