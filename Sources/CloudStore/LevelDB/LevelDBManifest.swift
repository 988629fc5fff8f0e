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
            switch tag {
            case .logNumber: result = reader.number()
            case .previousLogNumber, .nextFile, .lastSequence: _ = reader.number()
            case .comparator: reader.skipText()
            case .compactPointer:
                _ = reader.number()
                reader.skipText()
            case .deletedFile:
                _ = reader.number()
                _ = reader.number()
            case .newFile:
                for _ in 0..<3 { _ = reader.number() }
                reader.skipText()
                reader.skipText()
            }
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

        mutating func skipText() {
            let length = number() ?? 0
            place = length <= UInt64(bytes.count - place) ? place + Int(length) : bytes.count
        }
    }
}
