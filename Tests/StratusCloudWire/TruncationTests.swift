import StratusCloudModel
import StratusCloudWire
import StratusSeeds
import Testing

struct TruncationTests {
    /// A body cut anywhere is refused: it never means something else than the whole.
    @Test func everyPrefixIsRefused() throws {
        var random = SeededRandom(seed: Seed.draw())
        let operations = (0..<4).map { _ in random.operation() }
        let modify = try RequestEncoder().modifyRecords(ModifyRecordsRequest(operations: operations))
        let query = try RequestEncoder().queryRecords(random.query())
        let record = RecordLine.encode(random.record())
        for length in 1..<modify.count {
            #expect(throws: CloudError.self, "\(random)") { try decoder.modifyRecords(Array(modify[..<length])) }
        }
        for length in 1..<query.count {
            #expect(throws: CloudError.self, "\(random)") { try decoder.queryRecords(Array(query[..<length])) }
        }
        for length in 0..<record.count {
            #expect(throws: CloudError.self, "\(random)") { try RecordLine.decode(Array(record[..<length])) }
        }
    }
}
