import Foundation
import StratusCoreData
import Testing

@Suite struct ModelChecksumTests {
    @Test func eachVersionOfAModelHasAChecksum() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).xcdatamodeld")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, attribute) in [("First", "title"), ("Second", "heading")] {
            let version = folder.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let xml = """
                <model><entity name="Note"><attribute name="\(attribute)" attributeType="String"/></entity></model>
                """
            try Data(xml.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: folder)
        #expect(Set(checksums.keys) == ["First", "Second"])
        let second = folder.appendingPathComponent("Second.xcdatamodel")
        #expect(checksums["Second"] == NSManagedObjectModel(contentsOf: second)?.versionChecksum)
        #expect(checksums["First"] != checksums["Second"])
        #expect(throws: (any Error).self) {
            try NSManagedObjectModel.checksumsForVersionedModel(at: folder.appendingPathComponent("missing.momd"))
        }
    }
}
