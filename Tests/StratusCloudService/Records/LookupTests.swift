import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct LookupTests {
    @Test func theAnswerOfOneLookupIsBounded() async throws {
        let cloud = try await TestCloud()
        let bytes = InputValue.scalar(.bytes([UInt8](repeating: 7, count: 1_000_000)))
        let names = (0..<34).map { "r\($0)" }
        for name in names {
            let saved = try await cloud.modify([.make(.create, name, ["data": bytes])])[0].saved
            #expect(saved != nil)
        }
        // 33 records of a million bytes are just under the limit of 32 MiB, 34 just over it.
        #expect(try await cloud.lookup(Array(names.prefix(33))).compactMap(\.saved).count == 33)
        let error = await #expect(throws: CloudError.self) { try await cloud.lookup(names) }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("\(ServiceLimits.lookupSize)") == true)
    }
}
