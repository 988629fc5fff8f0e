import FoundationEssentials
import Glibc

/// Kinto on PostgreSQL, behind gunicorn with a process per core.
final class Kinto: Server {
    let name = "Kinto, PostgreSQL"
    let port: Int
    private let child: ChildProcess
    private let database: PostgreSQL

    private static let collection = "/v1/buckets/bench/collections/articles"
    private static let headers = [
        "Authorization": "Basic " + Data("bench:bench".utf8).base64EncodedString(),
        "Content-Type": "application/json",
    ]
    private static let packages = ["kinto[postgresql]", "gunicorn"]

    init(_ settings: Settings, in directory: String) throws {
        let programs = try Self.environment(settings, in: directory)
        database = try PostgreSQL(in: directory)
        port = try FreePort.take()
        let log = "\(directory)/kinto.log"
        let file = "\(directory)/kinto.ini"
        try Self.configuration(database).write(toFile: file, atomically: false, encoding: .utf8)
        try Program.run(["\(programs)/kinto", "migrate", "--ini", file], log: log)
        let module = "from pyramid.paster import get_app\napplication = get_app('\(file)')\n"
        try module.write(toFile: "\(directory)/kintoapp.py", atomically: false, encoding: .utf8)
        child = try ChildProcess(
            [
                "\(programs)/gunicorn", "--chdir", directory, "--bind", "127.0.0.1:\(port)", "--workers", "2",
                "--threads", "8", "--keep-alive", "60", "--log-level", "warning", "kintoapp:application",
            ], log: log)
        try awaitAnswer("/v1/", log: log)
        for path in ["/v1/buckets/bench", Self.collection] {
            _ = try HTTP.expect("PUT", "http://127.0.0.1:\(port)\(path)", headers: Self.curlHeaders)
        }
    }

    /// It tells changes apart by the millisecond, and answers 503 if two writers meet in one too often.
    let refusesUnderLoad = true
    var processes: [pid_t] { [child.pid, database.process] }

    func stop() {
        child.end()
        database.stop()
    }

    var creates: LoadScript {
        LoadScript(
            method: "POST", path: "\(Self.collection)/records", headers: Self.headers,
            body: "{\"data\":\(Article.plain)}")
    }

    func lookups(of identifiers: [String]) -> LoadScript {
        LoadScript(
            method: "GET", paths: identifiers.map { "\(Self.collection)/records/\($0)" }, headers: Self.headers,
            bodies: identifiers.map { _ in "" })
    }

    /// Names of records that it holds.
    func identifiers(_ limit: Int) throws -> [String] {
        struct Page: Decodable {
            struct Item: Decodable { var id: String }
            var data: [Item]
        }
        let address = "http://127.0.0.1:\(port)\(Self.collection)/records?_limit=\(limit)&_fields=id"
        let response = try HTTP.expect("GET", address, headers: Self.curlHeaders)
        return try JSONDecoder().decode(Page.self, from: Data(response.body)).data.map(\.id)
    }

    /// How many records it holds.
    func count() throws -> Int {
        let response = try HTTP.expect(
            "HEAD", "http://127.0.0.1:\(port)\(Self.collection)/records", headers: Self.curlHeaders)
        let line = response.head.split(whereSeparator: \.isNewline).first {
            $0.lowercased().hasPrefix("total-objects:")
        }
        guard let digits = line?.split(separator: " ").last, let count = Int(digits) else {
            throw BenchmarkError("Kinto does not say how many records it holds")
        }
        return count
    }

    private static var curlHeaders: [String] { headers.map { "\($0.key): \($0.value)" } }

    /// The version, nil before it is installed.
    static func version(_ settings: Settings) -> String? {
        Program.version(["\(settings.directory)/python/bin/kinto", "version"]).map { "Kinto \($0)" }
    }

    /// A virtual environment that is kept for later runs.
    private static func environment(_ settings: Settings, in directory: String) throws -> String {
        let root = "\(settings.directory)/python"
        if FileManager.default.fileExists(atPath: "\(root)/complete") { return "\(root)/bin" }
        Progress.say("Installing Kinto from PyPI")
        let log = "\(directory)/python.log"
        try Program.run(["python3", "-m", "venv", root], log: log)
        try Program.run(["\(root)/bin/pip", "install", "--quiet"] + packages, log: log)
        try "".write(toFile: "\(root)/complete", atomically: false, encoding: .utf8)
        return "\(root)/bin"
    }

    /// What its documentation has for production: both backends on PostgreSQL.
    private static func configuration(_ database: PostgreSQL) -> String {
        let address = "postgresql://\(PostgreSQL.user)@/kinto?host=\(database.socketDirectory)"
        return """
            [app:main]
            use = egg:kinto
            kinto.storage_backend = kinto.core.storage.postgresql
            kinto.storage_url = \(address)
            kinto.permission_backend = kinto.core.permission.postgresql
            kinto.permission_url = \(address)
            kinto.cache_backend = kinto.core.cache.memory
            kinto.paginate_by = 1000
            multiauth.policies = basicauth
            kinto.userid_hmac_secret = only-for-this-run
            kinto.bucket_create_principals = system.Authenticated
            [loggers]
            keys = root
            [handlers]
            keys = console
            [formatters]
            keys = generic
            [logger_root]
            level = ERROR
            handlers = console
            [handler_console]
            class = StreamHandler
            args = (sys.stderr,)
            level = NOTSET
            formatter = generic
            [formatter_generic]
            format = %(levelname)s %(message)s
            """
    }
}
