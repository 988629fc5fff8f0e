import Foundation
import StratusCompatibility
import StratusSQLite
import Synchronization
import Testing

@testable import StratusCoreData

/// Large data of attributes that allow external storage is in files beside the store.
@Suite struct ExternalDataTests {
    private let fixture: StoreFixture
    private let store: SQLiteRowStore

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    private var directory: URL { fixture.folder.appendingPathComponent(".store_SUPPORT/_EXTERNAL_DATA") }

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    }

    private func data(_ count: Int, _ byte: UInt8 = 7) -> StoredValue { .data(Data(repeating: byte, count: count)) }

    private func book(_ cover: StoredValue, _ code: String = "a") throws -> StoredRow {
        let book = try store.make("Book", ["code": .string(code), "cover": cover])
        try store.insert(book)
        return book
    }

    @Test func dataAboveTheThresholdIsInAFileOfItsOwn() throws {
        let small = try book(data(ExternalFiles.threshold), "small")
        #expect(files().isEmpty)
        let large = try book(data(ExternalFiles.threshold + 1), "large")
        let file = try #require(files().first)
        #expect(files().count == 1 && UUID(uuidString: file) != nil)
        #expect(try store.value("cover", of: small.key) == data(ExternalFiles.threshold))
        #expect(try store.value("cover", of: large.key) == data(ExternalFiles.threshold + 1))
        let column = try fixture.inFile { connection in
            try connection.prepare("SELECT ZCOVER FROM ZWORK WHERE ZCODE = 'large'").first { $0.blob(0) ?? [] }
        }
        #expect(column == [2] + Array(file.utf8) + [0])
    }

    @Test func replacedAndDeletedDataLosesItsFile() throws {
        let book = try book(data(200_000))
        let former = files()
        let update = try store.set("cover", to: data(300_000), of: book.key, version: 1)
        _ = try store.save(RowChanges(updated: [update]))
        #expect(files().count == 1 && files() != former)
        // A change of another attribute keeps the file.
        _ = try store.save(RowChanges(updated: [try store.set("count", to: .integer(1), of: book.key, version: 2)]))
        #expect(try store.value("cover", of: book.key) == data(300_000))
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: book.key, version: 3)]))
        #expect(files().isEmpty)
    }

    @Test func aSaveThatFailsLeavesTheFilesAsTheyWere() throws {
        let first = try book(data(200_000))
        let former = files()
        let update = try store.set("cover", to: data(300_000), of: first.key, version: 1)
        let second = try store.make("Book", ["code": .string("a"), "cover": data(400_000)])
        #expect(throws: SaveFailure.self) { try store.save(RowChanges(inserted: [second], updated: [update])) }
        // The join table has no such columns, so that the failure comes after the files were written.
        try fixture.inFile { try $0.execute("DROP TABLE Z_3WORKS") }
        let tag = try store.make("Tag")
        let third = try store.make("Book", ["code": .string("b"), "cover": data(400_000)])
        let relation = ToManyChange(owner: third.key, relationship: "tags", added: [tag.key])
        #expect(throws: StoreFailure.self) {
            try store.save(RowChanges(inserted: [third, tag], updated: [update], toMany: [relation]))
        }
        #expect(files() == former)
        #expect(try store.value("cover", of: first.key) == data(200_000))
    }

    @Test func aReaderReadsARowAgainWhoseFileWasReplaced() throws {
        let book = try book(data(200_000))
        let plan = FetchPlan(entity: "Work")
        let other = try fixture.open()
        let end = Mutex(false)
        let saves = DispatchGroup()
        DispatchQueue.global().async(group: saves) { [store] in
            for version in 1...150 {
                do {
                    let value = StoredValue.data(Data(repeating: 7, count: 200_000 + version))
                    _ = try store.save(
                        RowChanges(updated: [try store.set("cover", to: value, of: book.key, version: Int64(version))]))
                } catch {
                    Issue.record(error)
                }
            }
            end.withLock { $0 = true }
        }
        while !end.withLock({ $0 }) {
            #expect(try other.value("cover", of: book.key) != nil)
            #expect(try other.fetch(plan).rows?.count == 1)
        }
        saves.wait()
        #expect(try other.value("cover", of: book.key) == data(200_150))
    }

    @Test func aStoreInMemoryHasNoFiles() throws {
        let store = try fixture.open(":memory:")
        let book = try store.make("Book", ["code": .string("a"), "cover": data(300_000)])
        try store.insert(book)
        #expect(try store.value("cover", of: book.key) == data(300_000))
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func dataWhoseFileIsLostIsNil() throws {
        let book = try book(data(200_000))
        let other = try self.book(data(300_000), "b")
        let lost = try fixture.inFile { file in
            try file.prepare("SELECT ZCOVER FROM ZWORK WHERE ZCODE = 'a'").first { ExternalData($0.blob(0) ?? []) }
        }
        guard case .inFile(let name)?? = lost else { throw CocoaError(.fileNoSuchFile) }
        try FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        #expect(try store.value("cover", of: book.key) == .null)
        #expect(try store.value("code", of: book.key) == .string("a"))
        #expect(try store.fetch(FetchPlan(entity: "Work")).rows?.count == 2)
        #expect(try store.value("cover", of: other.key) == data(300_000))
        _ = try store.save(RowChanges(updated: [try store.set("cover", to: data(400_000), of: book.key, version: 1)]))
        #expect(try store.value("cover", of: book.key) == data(400_000))
    }

    @Test func aFormerStateKeepsItsFiles() throws {
        let book = try book(data(200_000))
        let (first, second) = (try #require(try store.snapshot()), try #require(try store.snapshot()))
        _ = try store.save(RowChanges(updated: [try store.set("cover", to: data(300_000), of: book.key, version: 1)]))
        let position = try #require(try store.layout.entity("Book").positions["cover"])
        first.close()
        #expect(try second.row(book.key)?.values[position] == data(200_000) && files().count == 2)
        #expect(try store.value("cover", of: book.key) == data(300_000))
        second.close()
        second.close()
        #expect(files().count == 1)
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: book.key, version: 2)]))
        #expect(files().isEmpty)
    }

    @Test func namesThatLeadElsewhereAreErrors() throws {
        let book = try book(data(200_000))
        let outside = Array("../../../etc/hostname".utf8)
        _ = try fixture.inFile { try $0.prepare("UPDATE ZWORK SET ZCOVER = ?").run([2] + outside) }
        let error = #expect(throws: StoreFailure.self) { try store.value("cover", of: book.key) }
        #expect(error?.kind == .damaged)
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: book.key, version: 1)]))
    }

    @Test func predicatesKnowWhetherThereIsData() throws {
        _ = try book(data(200_000))
        _ = try book(.null, "b")
        let plan = FetchPlan(entity: "Book", predicate: NSPredicate(format: "cover != nil").predicateTree)
        #expect(try store.fetch(plan).rows?.count == 1)
        let equal = PredicateComparison(.keyPath("cover"), .equalTo, .value(.data(Data([1]))))
        #expect(throws: FetchFailure.self) {
            try store.fetch(FetchPlan(entity: "Book", predicate: .comparison(equal)))
        }
    }
}
