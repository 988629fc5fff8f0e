/// Looks into the manifest before LevelDB does: which log must be there?
///
/// A manifest is a log of edits, and LevelDB takes one whose last edit is damaged for one that a crash cut off. That is
/// harmless after a crash, because what an edit makes superfluous is removed when the edit is on disk: the log before it
/// is still there. After damage it is not, and what it held would be missing without a word.
enum LevelDBManifest {
    private enum Tag: UInt64 {
        case comparator = 1
        case logNumber, nextFile, lastSequence, compactPointer, deletedFile, newFile
        case previousLogNumber = 9
    }

    /// A table as a manifest names it.
    private struct Table: Hashable {
        let level: UInt64
        let number: UInt64
    }

    /// What the whole edits of a manifest name: the first log that is needed, and the numbers of the tables.
    /// - Returns: also the bytes of these edits, without the beginning of one that is being written.
    static func contents(
        of path: String
    ) throws(StoreError) -> (log: UInt64, tables: [UInt64], bytes: [UInt8]) {
        var log: UInt64 = 0
        var tables: Set<Table> = []
        let bytes = try LevelDBLogInspection.wholeWrites(of: path) { edit in
            var reader = Reader(bytes: edit)
            while let tag = reader.number().flatMap(Tag.init) {
                switch tag {
                case .deletedFile:
                    if let level = reader.number(), let number = reader.number() {
                        tables.remove(Table(level: level, number: number))
                    }
                case .newFile:
                    if let level = reader.number(), let number = reader.number() {
                        tables.insert(Table(level: level, number: number))
                    }
                    _ = reader.number()
                    reader.skipText()
                    reader.skipText()
                default:
                    if let number = reader.skip(tag) { log = number }
                }
            }
        }
        return (log, tables.map(\.number).sorted(), bytes)
    }

    /// - Throws: ``StoreError/Code/corrupted`` if the log that the last whole edit names is missing.
    static func check(_ directory: LevelDBDirectory) throws(StoreError) {
        var log: UInt64 = 0
        try LevelDBLogInspection.forEachWrite(path: try directory.manifest()) { edit in
            if let number = logNumber(in: edit) { log = number }
        }
        // 0 before there was the first one.
        if log > 0 { try directory.requireLog(log) }
    }

    /// The number that an edit sets, nil if it sets none or is not understood: then LevelDB will not understand it, either.
    private static func logNumber(in edit: [UInt8]) -> UInt64? {
        var reader = Reader(bytes: edit)
        var result: UInt64?
        while let tag = reader.number().flatMap(Tag.init) {
            if let number = reader.skip(tag) { result = number }
        }
        return result
    }

    /// Numbers of seven bits a byte, and texts behind their lengths.
    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func number() -> UInt64? {
            var (result, shift): (UInt64, UInt64) = (0, 0)
            while place < bytes.count, shift < 64 {
                let byte = bytes[place]
                place += 1
                result |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return result }
                shift += 7
            }
            place = bytes.count
            return nil
        }

        /// Goes past what stands behind a tag.
        /// - Returns: the log's number, if that is what it was.
        mutating func skip(_ tag: Tag) -> UInt64? {
            switch tag {
            case .logNumber: return number()
            case .previousLogNumber, .nextFile, .lastSequence: _ = number()
            case .comparator: skipText()
            case .compactPointer:
                _ = number()
                skipText()
            case .deletedFile:
                _ = number()
                _ = number()
            case .newFile:
                for _ in 0..<3 { _ = number() }
                skipText()
                skipText()
            }
            return nil
        }

        mutating func skipText() {
            let length = number() ?? 0
            place = length <= UInt64(bytes.count - place) ? place + Int(length) : bytes.count
        }
    }
}
