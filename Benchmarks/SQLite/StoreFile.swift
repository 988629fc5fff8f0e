import CSQLite

/// A look into the database file of a data directory, beside the server.
///
/// The file's layout is the engine's own affair; the benchmark knows it to write the same rows without Stratus.
final class StoreFile {
    private let database: Database

    init(_ data: StratusData) throws {
        database = try Database("\(data.path)/stratus.db", flags: SQLITE_OPEN_READONLY)
    }

    /// The last number given to a value that lies apart. Every article has one, and nothing else is written meanwhile,
    /// so that its growth tells how many articles were made, whatever the server answered.
    func lastPayload() throws -> Int { try Int(database.integer("SELECT coalesce(max(id), 0) FROM payload")) }

    /// All rows of the articles written after a payload, article by article in the order in which they were made.
    func articles(after payload: Int) throws -> [StoredArticle] {
        let nameSize = 36
        var articles: [[UInt8]: StoredArticle] = [:]
        let rows = try database.prepare("SELECT k, v, p, length(k) FROM entry")
        defer { sqlite3_finalize(rows) }
        while sqlite3_step(rows) == SQLITE_ROW {
            let key = Database.blob(rows, 0)
            guard key.count > nameSize else { continue }
            let identifier = sqlite3_column_type(rows, 2) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(rows, 2))
            let value = sqlite3_column_type(rows, 1) == SQLITE_NULL ? nil : Database.blob(rows, 1)
            articles[Array(key.suffix(nameSize)), default: StoredArticle()].add(key, value, identifier)
        }
        var made = articles.values.filter { $0.identifier ?? 0 > payload }
        made.sort { ($0.identifier ?? 0) < ($1.identifier ?? 0) }
        let payloads = try database.prepare("SELECT v FROM payload WHERE id = ?1")
        defer { sqlite3_finalize(payloads) }
        for index in made.indices {
            sqlite3_bind_int64(payloads, 1, Int64(made[index].identifier ?? 0))
            guard sqlite3_step(payloads) == SQLITE_ROW else { throw BenchmarkError("a payload is missing") }
            made[index].payload = Database.blob(payloads, 0)
            sqlite3_reset(payloads)
        }
        return made
    }
}

/// The rows of one article.
struct StoredArticle {
    private(set) var entries: [(key: [UInt8], value: [UInt8]?)] = []
    private(set) var recordKey: [UInt8] = []
    private(set) var identifier: Int?
    var payload: [UInt8] = []

    mutating func add(_ key: [UInt8], _ value: [UInt8]?, _ identifier: Int?) {
        if let identifier {
            self.identifier = identifier
            recordKey = key
        } else {
            entries.append((key, value))
        }
    }

    /// Rows in both tables.
    var rows: Int { entries.count + 2 }
    /// Bytes of keys and values.
    var size: Int {
        entries.reduce(recordKey.count + payload.count) { $0 + $1.key.count + ($1.value?.count ?? 0) }
    }
}
