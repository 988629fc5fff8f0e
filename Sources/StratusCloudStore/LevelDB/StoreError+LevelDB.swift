import StratusCLevelDB

extension StoreError {
    /// What a status of the C side means for the store.
    init(levelDB status: cleveldb_status, while action: String) {
        let detail = withUnsafeBytes(of: status.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let code: Code =
            switch UInt32(bitPattern: status.code) {
            case cleveldb_corruption.rawValue: .corrupted
            case cleveldb_io_error.rawValue: Self.code(systemError: status.system_error)
            default: .ioFailure
            }
        self.init(code, "LevelDB reports \"\(detail)\" while \(action)")
    }
}
