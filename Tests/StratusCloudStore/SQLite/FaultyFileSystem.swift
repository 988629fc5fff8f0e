import Glibc
import StratusCSQLite
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// A VFS over the checked one in which writing and syncing can be made to fail.
enum FaultyFileSystem {
    static let name = "stratus-faulty"

    /// What fails from now on, in stores that were opened with this VFS.
    struct Faults: Sendable {
        /// The status of the next sync of a log.
        var logSync: Int32?
        /// The status of the next write to a log that comes after `logWritesBefore` others.
        var logWrite: Int32?
        var logWritesBefore = 0
    }

    static let faults = Lock(Faults())

    static func options() throws -> SQLiteStore.Options {
        try CheckedFileSystem.register()
        try #require(registration == SQLITE_OK)
        faults.withLock { $0 = Faults() }
        var options = SQLiteStore.Options()
        options.fileSystem = name
        return options
    }

    private static let registration: Int32 = {
        guard let checked = sqlite3_vfs_find(CheckedFileSystem.name) else { return SQLITE_ERROR }
        let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        faulty.initialize(to: checked.pointee)
        faulty.pointee.zName = UnsafePointer(strdup(name))
        faulty.pointee.pNext = nil
        faulty.pointee.xOpen = openFaulty
        return sqlite3_vfs_register(faulty, 0)
    }()

    /// The tables replaced, by the address of the table that replaces them.
    fileprivate static let originals = Lock<[UInt: UInt]>([:])

    fileprivate static func original(_ file: UnsafeMutablePointer<sqlite3_file>) -> sqlite3_io_methods? {
        let table = UInt(bitPattern: file.pointee.pMethods)
        return originals.withLock { UnsafePointer<sqlite3_io_methods>(bitPattern: $0[table] ?? 0)?.pointee }
    }
}

private func openFaulty(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let checked = sqlite3_vfs_find(CheckedFileSystem.name), let open = checked.pointee.xOpen, let file else {
        return SQLITE_ERROR
    }
    let status = open(checked, path, file, flags, outFlags)
    guard status == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0, let original = file.pointee.pMethods else { return status }
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: original.pointee)
    methods.pointee.xWrite = writeLog
    methods.pointee.xSync = syncLog
    FaultyFileSystem.originals.withLock { $0[UInt(bitPattern: methods)] = UInt(bitPattern: original) }
    file.pointee.pMethods = UnsafePointer(methods)
    return status
}

private func writeLog(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
    guard let file, let write = FaultyFileSystem.original(file)?.xWrite else { return SQLITE_ERROR }
    let fault = FaultyFileSystem.faults.withLock { faults -> Int32? in
        guard faults.logWrite != nil else { return nil }
        faults.logWritesBefore -= 1
        return faults.logWritesBefore < 0 ? faults.logWrite.take() : nil
    }
    guard let fault else { return write(file, bytes, count, offset) }
    // Half of it gets there, as when the disk is full.
    _ = write(file, bytes, count / 2, offset)
    return fault
}

private func syncLog(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
    guard let file, let sync = FaultyFileSystem.original(file)?.xSync else { return SQLITE_ERROR }
    return FaultyFileSystem.faults.withLock { $0.logSync.take() } ?? sync(file, flags)
}
