import FoundationEssentials
import Glibc

/// nginx with two workers.
final class Nginx: Server {
    let name: String
    let port: Int
    private let child: ChildProcess

    /// One that answers every request with the same body.
    /// - Parameter body: JSON without `'` and `$`.
    convenience init(body: String, in directory: String) throws {
        try self.init("fixed body", location: "return 200 '\(body)';", in: directory)
    }

    /// One that serves the files of a directory.
    convenience init(files root: String, in directory: String) throws {
        try self.init("static files", location: "root \(root); sendfile on; tcp_nopush on;", in: directory)
    }

    private init(_ what: String, location: String, in directory: String) throws {
        name = "nginx, \(what)"
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
                        \(location)
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
