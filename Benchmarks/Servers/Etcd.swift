import FoundationEssentials
import Glibc

/// etcd with its HTTP gateway, one member.
final class Etcd: Server {
    let name = "etcd, HTTP gateway"
    let port: Int
    private let child: ChildProcess
    private let directory: TemporaryDirectory

    init(in parent: String) throws {
        port = try FreePort.take()
        directory = try TemporaryDirectory(in: parent)
        let (client, peer) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(try FreePort.take())")
        let log = "\(parent)/etcd.log"
        child = try ChildProcess(
            [
                "etcd", "--name", "bench", "--data-dir", "\(directory.path)/data", "--log-level", "error",
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", "bench=\(peer)", "--max-txn-ops", "1000",
                "--max-request-bytes", "\(16 * 1_048_576)", "--quota-backend-bytes", "\(8 * 1_073_741_824)",
            ], log: log)
        try awaitAnswer("/health", log: log)
        try awaitLeader()
    }

    var processes: [pid_t] { [child.pid] }
    func stop() {
        child.end()
        directory.remove()
    }

    /// Puts of articles, one a request or many in a transaction.
    func creates(_ count: Int) -> LoadScript {
        let key = LoadScript.random(24, of: LoadScript.hexDigits)
        let beginning = LoadScript.random(8, of: LoadScript.hexDigits)
        let put = "{\"key\":\"\(key)\",\"value\":\"\(beginning)\(Self.value)\"}"
        let headers = ["Content-Type": "application/json"]
        if count == 1 {
            return LoadScript(method: "POST", path: "/v3/kv/put", headers: headers, body: put)
        }
        let puts = repeatElement("{\"requestPut\":\(put)}", count: count).joined(separator: ",")
        return LoadScript(method: "POST", path: "/v3/kv/txn", headers: headers, body: "{\"success\":[\(puts)]}")
    }

    /// How many keys it holds.
    func count() throws -> Int {
        struct Answer: Decodable { var count: String? }
        let response = try HTTP.expect(
            "POST", "http://127.0.0.1:\(port)/v3/kv/range",
            body: #"{"key":"AA==","range_end":"AA==","count_only":true}"#)
        let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))
        return answer.count.flatMap { Int($0) } ?? 0
    }

    /// Base64 of an article's fields. Keys are 36 bytes, like a record's name: 48 digits of base64. The first 16
    /// digits are replaced by random ones.
    private static let value = String(Data(Article.fields(1, of: 1_000_000).utf8).base64EncodedString().dropFirst(16))

    /// The health page answers before there is a leader.
    private func awaitLeader() throws {
        let patience = 100
        for _ in 0..<patience {
            let response = try HTTP.send(
                "POST", "http://127.0.0.1:\(port)/v3/kv/put", body: #"{"key":"Zmlyc3Q=","value":"Zmlyc3Q="}"#)
            if response.status == 200 { return }
            usleep(100_000)
        }
        throw BenchmarkError("etcd finds no leader")
    }
}
