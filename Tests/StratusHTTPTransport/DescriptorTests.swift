import Glibc
import Testing

@testable import StratusHTTPTransport

extension HTTPTransportTests {
    /// What the process's file descriptors allow.
    @Suite struct DescriptorTests {
        /// In a process of its own, whose limit nobody else needs.
        @Test func withTooFewNoServerStarts() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit(rlim_cur: 255, rlim_max: 255)
                try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                let server = HTTPServer(
                    configuration: HTTPServerConfiguration(address: .network(host: "127.0.0.1", port: 0)),
                    executor: handlerPool, handler: ClosureHandler.echo)
                let error = #expect(throws: HTTPServerError.self) { try server.start() }
                #expect(error?.code == .tooFewDescriptors)
                #expect(error?.description.contains("at least 256") == true)
            }
        }

        @Test(arguments: [(1_000_000, 12_288), (16_384, 12_288), (8_192, 6_144), (128, 96), (1, 1)])
        func theShareOfAnAddressShrinksWithTheWhole(descriptors: Int, ofAddress: Int) {
            let registry = ConnectionRegistry(limits: HTTPServerLimits(), descriptors: descriptors)
            #expect(registry.mostOfAddress == ofAddress)
        }

        @Test func filesCountAsConnectionsDo() throws {
            let core = ServerCore(
                configuration: HTTPServerConfiguration(address: .unixSocket(path: "")), executor: handlerPool,
                handler: ClosureHandler.echo)
            let registry = ConnectionRegistry(limits: HTTPServerLimits(), descriptors: 3)
            func add(_ socket: Int32) -> ConnectionRegistry.Refusal? {
                registry.add(
                    Connection(
                        core: core, socket: socket, address: ClientAddress(sockaddr_storage()),
                        resumptions: ResumptionQueue()))
            }
            #expect(add(1_000) == nil)
            var file = registry.leaseFile()
            #expect(file != nil)
            #expect(add(1_001) == nil)
            #expect(add(1_002) == .tooManyConnections)
            #expect(registry.leaseFile() == nil)
            file = nil
            #expect(add(1_002) == nil)
        }

        /// Files that are sent give their descriptors back.
        @Test func downloadsGiveTheirDescriptorsBack() async throws {
            let file = try HTTPFile(path: "/etc/passwd")
            let handler = ClosureHandler { _ in
                HTTPResponse(status: 200, body: .file(file, offset: 0, length: 10))
            }
            try await withServer(handler) { server, port in
                let statuses = try await client {
                    let connection = try RawClient(port: port)
                    return try (0..<3).map { _ in
                        try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status
                    }
                }
                #expect(statuses == [200, 200, 200])
                try await client { while server.openFiles > 0 { sched_yield() } }
            }
        }
    }
}
