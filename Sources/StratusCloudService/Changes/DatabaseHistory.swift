import StratusCloudStore

/// Which of the histories that a database may have had a state belongs to.
///
/// A backup that is put back goes on from an older state, and what clients saw after it is another history with the
/// same version numbers. Nothing tells a server that its files were put back, so each run of a server that changes a
/// database begins a history of its own there, and the database remembers how far those before it got: a token of a
/// history that got less far here than the token knows is one of a future that never was.
struct HistoryMark: Hashable, Sendable {
    /// Counts the histories of the database.
    var number: UInt64 = 0
    /// The ``ChangeOrigin/run`` that began it.
    var run: UInt64 = 0

    init() {}

    init(number: UInt64, run: UInt64) {
        self.number = number
        self.run = run
    }

    init(from reader: inout ByteReader) throws {
        number = try reader.unsigned()
        run = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        writer.write(unsigned: run)
    }
}

/// A history that another followed.
struct PastHistory: StoredValue, Hashable {
    static let format: UInt8 = 1

    var run: UInt64
    /// The database's change version when it ended.
    var end: UInt64
    /// When the next one began: milliseconds since 1970-01-01 UTC.
    var ended: Int64

    init(run: UInt64, end: UInt64, ended: Int64) {
        self.run = run
        self.end = end
        self.ended = ended
    }

    init(from reader: inout ByteReader) throws {
        self.init(run: try reader.unsigned(), end: try reader.unsigned(), ended: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: run)
        writer.write(unsigned: end)
        writer.write(signed: ended)
    }
}

/// Who changes a database, and when.
struct ChangeOrigin: Hashable, Sendable {
    /// A random number of this run of the service.
    var run: UInt64
    /// Milliseconds since 1970-01-01 UTC.
    var now: Int64
}

extension DatabaseCounters {
    /// Counts a change of a zone; the first of a run begins a new history.
    mutating func countChange(_ origin: ChangeOrigin, in transaction: any WriteTransaction) {
        if history.run != origin.run {
            transaction.set(
                Keyspace.history(history.number),
                PastHistory(run: history.run, end: changeVersion, ended: origin.now))
            history = HistoryMark(number: history.number + 1, run: origin.run)
        }
        changeVersion += 1
    }

    /// Whether a state, at a change version of a history, lies in the past of the current one.
    func includes(
        _ mark: HistoryMark, at version: UInt64, in transaction: any ReadTransaction
    ) throws -> Bool {
        if mark == history { return version <= changeVersion }
        guard mark.number < history.number,
            let past: PastHistory = try transaction.value(at: Keyspace.history(mark.number))
        else { return false }
        return past.run == mark.run && version <= past.end
    }
}
