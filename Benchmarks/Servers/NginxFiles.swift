import FoundationEssentials
import Glibc

/// nginx with a directory of files: WebDAV to write them, sendfile to read them. It syncs nothing.
final class NginxFiles: Server {
    let name: String
    let port: Int
    /// The directory of the files.
    let root: String
    private let child: ChildProcess

    private static let module = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"

    /// - Parameter isWhole: Whether it has all methods of WebDAV, `PROPFIND` among them, and not only `PUT`.
    init(in directory: String, isWhole: Bool = false) throws {
        name = isWhole ? "nginx, WebDAV" : "nginx, PUT and sendfile"
        if isWhole, access(Self.module, R_OK) != 0 {
            throw BenchmarkError("\(Self.module) is missing: install libnginx-mod-http-dav-ext")
        }
        port = try FreePort.take()
        root = "\(directory)/files"
        let methods =
            isWhole
            ? "dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;" : "dav_methods PUT;"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let file = "\(directory)/nginx-files.conf"
        let log = "\(directory)/nginx-files.log"
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/nginx-files-\($0);" }.joined(separator: "\n    ")
        let text = """
            \(isWhole ? "load_module \(Self.module);" : "")
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
                keepalive_requests 1000000000;
                \(temporary)
                server {
                    listen 127.0.0.1:\(port);
                    root \(root);
                    location / { \(methods) }
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
