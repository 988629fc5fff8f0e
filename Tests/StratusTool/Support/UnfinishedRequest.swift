import Foundation
import Testing

/// A request whose body never comes, so that a stop of the server must wait for it.
final class UnfinishedRequest: Sendable {
    private let closed: Task<Int32, any Error>

    /// Sends it and waits until the server has begun with it.
    init(to server: RunningServer) async throws {
        let port = try #require(server.baseURL.split(separator: ":").last)
        let client = Process()
        client.executableURL = URL(filePath: "/bin/bash")
        client.arguments = [
            "-c",
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'POST /database/1/iCloud.a/development/public/records/query HTTP/1.1\\r\\n' >&3
            printf 'Host: a\\r\\nContent-Length: 9\\r\\nExpect: 100-continue\\r\\n\\r\\n' >&3
            read -r line <&3 && echo "$line"
            cat <&3
            """,
        ]
        let pipe = Pipe()
        client.standardOutput = pipe
        closed = Task { try await client.runToEnd() }
        let answer = try await LineReader(pipe.fileHandleForReading).next()
        try #require(answer?.contains("100") == true, "\(answer ?? "nothing")")
    }

    /// Waits until the server has closed the connection.
    func end() async throws { _ = try await closed.value }
}
