import StratusTestSupport
import Testing

/// Queries answered in pages.
@Suite("Paging")
struct PagingTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Paging")
        database = tenant.privateDatabase
    }

    /// A type with `count` records named r000…, each with its number in the field n.
    private func fill(_ count: Int, zone: String? = nil) async throws -> String {
        let type = Unique.name("Paged")
        for start in stride(from: 0, to: count, by: 200) {
            let changes = (start..<min(count, start + 200)).map {
                Change.create(type, Unique.name("r"), Fields.untyped(["n": .int($0)]))
            }
            expectSaved(try await database.modify(changes, zone: zone), count: changes.count)
        }
        return type
    }

    @Test("Case 40: pages hold up to the limit; the last has no marker", arguments: [1, 3, 7, 10, 11])
    func case40(limit: Int) async throws {
        let type = try await fill(10)
        var seen: [Int64] = []
        var options: JSON = ["resultsLimit": .int(limit)]
        repeat {
            let page = try await database.query(type, sorts: [Condition.sort("n")], options)
            #expect(page.status == 200, "\(page)")
            #expect(page.records.count <= limit)
            seen += page.records.compactMap { $0.value("n").int }
            options["continuationMarker"] = page.json["continuationMarker"].string.map(JSON.string) ?? .absent
        } while options["continuationMarker"].isPresent
        #expect(seen == Array(0..<10))
    }

    @Test("Case 40: a marker is base64 text")
    func markerIsBase64() async throws {
        let type = try await fill(3)
        let page = try await database.query(type, ["resultsLimit": 1])
        let marker = try #require(page.json["continuationMarker"].string)
        #expect(marker.utf8.count % 4 == 0)
        #expect(marker.utf8.allSatisfy { "+/=".utf8.contains($0) || Character(Unicode.Scalar($0)).isASCIIAlphanumeric })
    }

    @Test("Case 41: a page without a limit holds at most 200 records, and paging reaches all")
    func case41() async throws {
        let type = try await fill(450)
        let first = try await database.query(type, sorts: [Condition.sort("n")])
        #expect((1...200).contains(first.records.count))
        #expect(first.json["continuationMarker"].string != nil)
        let all = try await database.queryAll(type, sorts: [Condition.sort("n")])
        #expect(all.compactMap { $0.value("n").int } == Array(0..<450))
    }

    @Test("Paging backwards by a descending sort")
    func descending() async throws {
        let type = try await fill(25)
        let all = try await database.queryAll(type, sorts: [Condition.sort("n", ascending: false)], ["resultsLimit": 4])
        #expect(all.compactMap { $0.value("n").int } == Array((0..<25).reversed()))
    }

    @Test("Records that stay are seen exactly once while others come and go between the pages")
    func comingAndGoing() async throws {
        let type = try await fill(60)
        let staying = try await database.queryAll(type, sorts: [Condition.sort("n")]).filter {
            ($0.value("n").int ?? 0) % 2 == 0
        }
        let goers = try await database.queryAll(type).filter { ($0.value("n").int ?? 0) % 2 == 1 }
        var (seen, goers2) = ([String](), goers[...])
        var options: JSON = ["resultsLimit": 7]
        while true {
            let page = try await database.query(type, sorts: [Condition.sort("n")], options)
            #expect(page.status == 200, "\(page)")
            seen += page.records.map(\.name)
            guard let marker = page.json["continuationMarker"].string else { break }
            options["continuationMarker"] = .string(marker)
            let leaving = goers2.prefix(3)
            goers2 = goers2.dropFirst(3)
            let arriving = (0..<3).map { Change.create(type, Unique.name("r"), Fields.untyped(["n": .int($0 * 20)])) }
            _ = try await database.modify(leaving.map { Change.forceDelete($0.name) } + arriving)
        }
        #expect(Set(seen).count == seen.count, "a record was seen twice")
        let names = Set(staying.map(\.name))
        #expect(seen.filter(names.contains) == staying.map(\.name))
    }

    @Test("A marker goes on after the record it stopped at is gone")
    func deletedAnchor() async throws {
        let type = try await fill(6)
        let first = try await database.query(type, sorts: [Condition.sort("n")], ["resultsLimit": 3])
        let marker = try #require(first.json["continuationMarker"].string)
        _ = try await database.modify(first.records.map { Change.delete($0) })
        let second = try await database.query(
            type, sorts: [Condition.sort("n")], ["resultsLimit": 3, "continuationMarker": .string(marker)])
        #expect(second.records.compactMap { $0.value("n").int } == [3, 4, 5])
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
