import Glibc
import StratusCProgramMemory
import Testing

@Suite struct ProgramMemoryTests {
    /// A library of glibc's that no test needs, so that only this one brings its pages into memory.
    private static let library = "libnss_hesiod.so.2"

    @Test func codeIsLetGoOfAndComesBackAsItWas() throws {
        let handle = try #require(dlopen(Self.library, RTLD_LAZY))
        defer { dlclose(handle) }
        let address = try #require(try codeAddress())
        let code = try #require(UnsafePointer<UInt8>(bitPattern: address))
        let before = Array(UnsafeBufferPointer(start: code, count: 64))
        #expect(try isPresent(address))
        program_memory_release_files()
        #expect(try !isPresent(address))
        #expect(Array(UnsafeBufferPointer(start: code, count: 64)) == before)
        #expect(try isPresent(address))
    }

    /// Where the code of the library begins.
    private func codeAddress() throws -> UInt? {
        for line in try text("/proc/self/maps").split(separator: "\n") where line.hasSuffix("/\(Self.library)") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            if parts.count > 1, parts[1] == "r-xp" { return UInt(parts[0].prefix { $0 != "-" }, radix: 16) }
        }
        return nil
    }

    /// Whether the page of an address is in the process's memory: the highest bit of its eight bytes in the page map.
    private func isPresent(_ address: UInt) throws -> Bool {
        let file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var entry: UInt64 = 0
        let place = off_t(address / UInt(sysconf(Int32(_SC_PAGESIZE)))) * 8
        try #require(pread(file, &entry, 8, place) == 8)
        return entry >> 63 == 1
    }

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var byte = fgetc(file)
        while byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
