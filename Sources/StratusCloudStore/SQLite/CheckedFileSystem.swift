import Glibc
import StratusCSQLite
import StratusWorkers

/// A file system for SQLite (a VFS) that seals every page of a database file with a ``PageChecksum`` when it is
/// written, and verifies it when it is read. Without it, a flipped bit can make rows vanish without any error.
///
/// The log needs none: SQLite checks the frames of a log that it finds when it opens. Everything but reading and
/// writing the database file is left to the system's own VFS, whose file object is used as it is, with a table of
/// methods in which two are replaced.
enum CheckedFileSystem {
    static let name = "stratus-checked"

    /// Makes the VFS known to SQLite, once per process.
    static func register() throws(StoreError) {
        let status = registration
        guard status == SQLITE_OK else {
            throw StoreError(.ioFailure, "SQLite does not accept a file system: status \(status)")
        }
    }

    private static let registration: Int32 = {
        _ = stratus_sqlite3_disable_memory_statistics()
        guard let system = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        // Registered until the process ends, so never freed.
        let checked = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        checked.initialize(to: system.pointee)
        checked.pointee.zName = UnsafePointer(strdup(name))
        checked.pointee.pNext = nil
        checked.pointee.xOpen = openChecked
        return sqlite3_vfs_register(checked, 0)
    }()
}

/// A table of methods of the system's VFS with two replaced, and behind it the address of the original table.
private enum CheckedMethods {
    private static let originalOffset = MemoryLayout<sqlite3_io_methods>.stride
    /// Version 3 would let SQLite map the file into memory and read past the check.
    private static let version: Int32 = 2

    /// The tables made so far, by the address of the original: the system's VFS has a few. Never freed.
    private static let made = Lock<[UInt: UInt]>([:])

    static func table(for original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods>? {
        let address = UInt(bitPattern: original)
        let table = made.withLock { made in
            if let known = made[address] { return known }
            let new = make(for: original)
            made[address] = new
            return new
        }
        return UnsafePointer(bitPattern: table)
    }

    private static func make(for original: UnsafePointer<sqlite3_io_methods>) -> UInt {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: originalOffset + MemoryLayout<UInt>.size, alignment: MemoryLayout<sqlite3_io_methods>.alignment)
        let methods = memory.initializeMemory(as: sqlite3_io_methods.self, repeating: original.pointee, count: 1)
        methods.pointee.iVersion = min(original.pointee.iVersion, version)
        methods.pointee.xRead = readChecked
        methods.pointee.xWrite = writeChecked
        memory.storeBytes(of: UInt(bitPattern: original), toByteOffset: originalOffset, as: UInt.self)
        return UInt(bitPattern: memory)
    }

    static func original(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafePointer<sqlite3_io_methods>? {
        guard let table = file.pointee.pMethods else { return nil }
        let address = UnsafeRawPointer(table).load(fromByteOffset: originalOffset, as: UInt.self)
        return UnsafePointer(bitPattern: address)
    }
}

private func openChecked(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen, let file else { return SQLITE_ERROR }
    let status = open(system, path, file, flags, outFlags)
    guard status == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let methods = file.pointee.pMethods else {
        return status
    }
    file.pointee.pMethods = CheckedMethods.table(for: methods)
    return status
}

/// Where SQLite reads less than a page it looks at the header, which it verifies with the rest of page 1 afterwards.
private func readChecked(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
    guard let file, let bytes, let read = CheckedMethods.original(of: file)?.pointee.xRead else { return SQLITE_ERROR }
    let status = read(file, bytes, count, offset)
    if count < smallestPage { return status }
    // SQLite would take a page that ends early for one of zeros.
    if status == SQLiteStatus.shortRead { return SQLiteStatus.badChecksum }
    guard status == SQLITE_OK else { return status }
    let pageSize = Int64(PageChecksum.pageSize)
    guard Int64(count) == pageSize, offset % pageSize == 0,
        PageChecksum.isValid(bytes, number: UInt64(offset / pageSize))
    else { return SQLiteStatus.badChecksum }
    return SQLITE_OK
}

private func writeChecked(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
    guard let file, let bytes, let write = CheckedMethods.original(of: file)?.pointee.xWrite else {
        return SQLITE_ERROR
    }
    let pageSize = PageChecksum.pageSize
    guard Int(count) == pageSize, offset % Int64(pageSize) == 0 else { return SQLITE_IOERR }
    return withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: MemoryLayout<UInt64>.alignment) { page in
        guard let start = page.baseAddress else { return SQLITE_NOMEM }
        start.copyMemory(from: bytes, byteCount: pageSize)
        PageChecksum.seal(start, number: UInt64(offset) / UInt64(pageSize))
        return write(file, start, count, offset)
    }
}

/// The smallest page that SQLite knows.
private let smallestPage: Int32 = 512
