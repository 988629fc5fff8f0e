import FoundationEssentials
import Glibc

/// nginx with a directory of files: WebDAV's PUT to write them, sendfile to read them. It syncs nothing.
final class NginxFiles: Server {
    let name = "nginx, PUT and sendfile"
    let port: Int
    private let child: ChildProcess

    init(in directory: String) throws {
        port = try FreePort.take()
        let root = "\(directory)/files"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let file = "\(directory)/nginx-files.conf"
        let log = "\(directory)/nginx-files.log"
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/nginx-files-\($0);" }.joined(separator: "\n    ")
        let text = """
            \(geteuid() == 0 ? "user root;" : "")
            worker_processes 2;
            daemon off;
            pid \(directory)/nginx-files.pid;
            error_log \(log);
            events { worker_connections 1024; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                client_max_body_size 0;
                \(temporary)
                server {
                    listen 127.0.0.1:\(port);
                    root \(root);
                    location / { dav_methods PUT; }
                }
            }
            """
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        child = try ChildProcess(["nginx", "-p", directory, "-c", file, "-e", log], log: log)
        try awaitAnswer("/", log: log)
    }

    var processes: [pid_t] { [child.pid] }
    func stop() { child.end() }
}
