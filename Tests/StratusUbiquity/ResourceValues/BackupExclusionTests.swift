import Foundation
import StratusTestSupport
import StratusUbiquity
import Testing

@Suite struct BackupExclusionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func anItemIsExcludedAsOnApplesSystems() throws {
        var url = try directory.file("cache.bin", "x")
        #expect(try url.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == false)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        // In another URL, which has no memory of its own.
        let other = URL(fileURLWithPath: url.path)
        let keys: Set<URLResourceKey> = [.isExcludedFromBackupKey, .fileSizeKey]
        let read = try other.resourceValues(forKeys: keys)
        #expect(read.isExcludedFromBackup == true)
        #expect(read.fileSize == 1)
        values.isExcludedFromBackup = false
        try url.setResourceValues(values)
        #expect(try other.resourceValues(forKeys: keys).isExcludedFromBackup == false)
    }

    @Test func atomicWritesLoseTheExclusion() throws {
        var url = try directory.file("cache.bin", "x")
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        try Data("y".utf8).write(to: url, options: .atomic)
        let other = URL(fileURLWithPath: url.path)
        #expect(try other.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == false)
    }

    @Test func foundationsOwnValuesAreSetAsBefore() throws {
        var url = try directory.file("a", "x")
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        values.contentModificationDate = Date(timeIntervalSince1970: 1_000)
        try url.setResourceValues(values)
        let other = URL(fileURLWithPath: url.path)
        let read = try other.resourceValues(forKeys: [.contentModificationDateKey, .isExcludedFromBackupKey])
        #expect(read.contentModificationDate == Date(timeIntervalSince1970: 1_000))
        #expect(read.isExcludedFromBackup == true)
    }

    @Test func whereThereIsNoFileNothingCanBeSet() throws {
        var url = try directory.file("nothing")
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        #expect(throws: (any Error).self) { try url.setResourceValues(values) }
    }
}
