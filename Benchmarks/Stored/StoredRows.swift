import StratusCLevelDB

/// A look into the database of a data directory whose server was stopped.
///
/// How rows lie there is the engine's own affair; the benchmark knows it to write the same rows without Stratus.
final class StoredRows {
    private let handle: OpaquePointer

    init(_ data: StratusData) throws {
        var options = cleveldb_options(
            write_buffer_size: 4 * 1_048_576, block_cache_size: 1_048_576, open_tables: 100, table_size: 4 * 1_048_576,
            block_size: 4_096,
            // It reads ranges, which ask no filter.
            unfiltered_kinds: nil, unfiltered_kind_count: 0, may_create: false, fault: nil, fault_context: nil,
            hold: nil)
        var status = cleveldb_status()
        guard let handle = cleveldb_open("\(data.path)/stratus.leveldb", &options, &status) else {
            throw BenchmarkError("the stopped server's data cannot be opened: status \(status.code)")
        }
        self.handle = handle
    }

    deinit { cleveldb_close(handle) }

    /// How many articles there are, whatever the server answered.
    func countArticles() throws -> Int {
        var count = 0
        try forEach { _, value in if Self.isArticle(value) { count += 1 } }
        return count
    }

    /// All rows of the articles, article by article, in the order in which they were made.
    func articles() throws -> [StoredArticle] {
        var articles: [[UInt8]: StoredArticle] = [:]
        try forEach { key, value in
            let isRecord = Self.isArticle(value)
            guard isRecord || key.count > Self.nameSize else { return }
            // A record's own row has its name behind a byte and the name's length.
            let name = isRecord ? Array(value.dropFirst(2).prefix(Self.nameSize)) : Array(key.suffix(Self.nameSize))
            articles[name, default: StoredArticle()].add(Array(key), Array(value), isRecord: isRecord)
        }
        // The keys of records end with the numbers of their saves.
        return articles.values.filter { !$0.recordKey.isEmpty }
            .sorted { $0.recordKey.lexicographicallyPrecedes($1.recordKey) }
    }

    private static let nameSize = 36

    /// No other row is as large.
    private static func isArticle(_ value: UnsafeRawBufferPointer) -> Bool { value.count >= Article.bodySize }

    private func forEach(_ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws {
        let end: [UInt8] = [0xFF]
        let iterator: OpaquePointer = cleveldb_iterate(handle, nil, nil, 0, end, end.count, false, true)
        var (key, value): (UnsafeRawPointer?, UnsafeRawPointer?)
        var (keySize, valueSize) = (0, 0)
        while cleveldb_next(iterator, &key, &keySize, &value, &valueSize) {
            body(
                UnsafeRawBufferPointer(start: key, count: keySize),
                UnsafeRawBufferPointer(start: value, count: valueSize))
        }
        var status = cleveldb_status()
        cleveldb_end_iteration(iterator, &status)
        guard status.code == 0 else { throw BenchmarkError("the stopped server's data cannot be read") }
    }
}

/// The rows of one article.
struct StoredArticle {
    /// All but the record itself.
    private(set) var entries: [(key: [UInt8], value: [UInt8]?)] = []
    private(set) var recordKey: [UInt8] = []
    private(set) var record: [UInt8] = []

    mutating func add(_ key: [UInt8], _ value: [UInt8], isRecord: Bool) {
        if isRecord {
            (recordKey, record) = (key, value)
        } else {
            entries.append((key, value.isEmpty ? nil : value))
        }
    }

    var rows: Int { entries.count + 1 }
    /// Bytes of keys and values.
    var size: Int {
        entries.reduce(recordKey.count + record.count) { $0 + $1.key.count + ($1.value?.count ?? 0) }
    }
}
