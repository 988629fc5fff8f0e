import FoundationEssentials
import Glibc

/// nginx, which answers every request with the same body.
final class Nginx: Server {
    let name = "nginx, fixed body"
    let port: Int
    private let child: ChildProcess

    /// - Parameter body: JSON without `'` and `$`.
    init(body: String, in directory: String) throws {
        port = try FreePort.take()
        let file = "\(directory)/nginx.conf"
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/nginx-\($0);" }.joined(separator: "\n    ")
        let text = """
            worker_processes 2;
            daemon off;
            pid \(directory)/nginx.pid;
            error_log \(directory)/nginx.log;
            events { worker_connections 1024; }
            http {
                access_log off;
                keepalive_requests 1000000000;
                \(temporary)
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        default_type application/json;
                        return 200 '\(body)';
                    }
                }
            }
            """
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let log = "\(directory)/nginx.log"
        child = try ChildProcess(["nginx", "-p", directory, "-c", file, "-e", log], log: log)
        try awaitAnswer("/", log: log)
    }

    var processes: [pid_t] { [child.pid] }
    func stop() { child.end() }
}
