import Foundation
import StratusCloudModel
import StratusCloudServer
import StratusCloudService
import StratusCloudStore
import Testing

@Suite struct ControlServiceTests {
    private let service = CloudService(store: MemoryStore(), secret: [UInt8](repeating: 7, count: 32))
    private let context = ControlContext(container: "iCloud.a", environment: "development")

    private func failure(_ response: ControlResponse) throws -> CloudError {
        guard case .failed(let failure) = response else {
            Issue.record("not refused: \(response)")
            throw CloudError(.internalError, "not refused")
        }
        return failure.error
    }

    @Test func databasesThatCannotBeMeant() async throws {
        let control = ControlService(service)
        let missing = await control.perform(.listZones(database: ControlDatabase(context: context, scope: "public")))
        #expect(try failure(missing).code == .notFound)
        #expect(await control.perform(.createContainer(identifier: "iCloud.a")) == .done)
        let databases = [
            ControlDatabase(context: context, scope: "private"),
            ControlDatabase(context: context, scope: "shared", email: "a@b.c"),
            ControlDatabase(context: context, scope: "secret"),
            ControlDatabase(context: ControlContext(container: "a", environment: "production"), scope: "public"),
            ControlDatabase(context: ControlContext(container: "iCloud.a", environment: "test"), scope: "public"),
        ]
        for database in databases {
            #expect(try failure(await control.perform(.listZones(database: database))).code == .badRequest)
        }
        let nobody = ControlDatabase(context: context, scope: "private", email: "a@b.c")
        #expect(try failure(await control.perform(.listZones(database: nobody))).code == .notFound)
    }

    @Test func aStoreInMemoryHasNoBackup() async throws {
        let control = ControlService(service, store: MemoryStore())
        for request in [ControlRequest.verify(), .backUp(path: "/tmp/never", keep: 1, includesKeys: false)] {
            #expect(try failure(await control.perform(request)).reason.contains("neither copied nor checked"))
        }
    }

    @Test(arguments: ["", "copy", "/", "/copy/", "/a\u{0}b"])
    func aBackupNeedsAPlace(path: String) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "stratus-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try SQLiteStore(directory: directory.path())
        let files = CloudFiles(assets: directory.appending(path: "assets").path(), keys: [:])
        let control = ControlService(CloudService(store: store, secret: [1]), store: store, files: files)
        let request = ControlRequest.backUp(path: path, keep: 1, includesKeys: false)
        #expect(try failure(await control.perform(request)).code == .badRequest)
        for kept in [0, 10_001] {
            let place = directory.appending(path: "backup").path()
            let request = ControlRequest.backUp(path: place, keep: kept, includesKeys: false)
            #expect(try failure(await control.perform(request)).code == .badRequest)
        }
        await store.close()
    }

    @Test func onlyTheOperatorExports() async throws {
        let identifier = try #require(ContainerIdentifier("iCloud.a"))
        let context = CloudContext(container: identifier, environment: .development)
        for principal in [Caller.Principal.anonymous, .user("_u"), .serverToServer("_s")] {
            let error = await #expect(throws: CloudError.self) {
                try await service.exportRecords(
                    of: nil, in: .public, zoneID: .default, after: nil,
                    as: Caller(context: context, principal: principal))
            }
            #expect(error?.code == .accessDenied)
        }
    }

    @Test func pagesOfAnExportEndByCountAndGoOn() async throws {
        let control = ControlService(service)
        #expect(await control.perform(.createContainer(identifier: "iCloud.a")) == .done)
        let database = ControlDatabase(context: context, scope: "public")
        for start in stride(from: 0, to: 1_000, by: 200) {
            let operations = (start..<start + 200).map { index in
                #"{"operationType":"create","record":{"recordType":"\#(index % 2 == 0 ? "Even" : "Odd")","#
                    + #""recordName":"r\#(index + 1_000)"}}"#
            }
            let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
            guard case .body = await control.perform(.modifyRecords(database: database, body: body)) else {
                Issue.record("not saved")
                return
            }
        }
        for (type, expected) in [(nil, 1_000), ("Even", 500), ("None", 0)] as [(String?, Int)] {
            var lines: [String] = []
            var pages = 0
            var after: String?
            repeat {
                let request = ControlRequest.exportRecords(
                    database: database, zone: "_defaultZone", recordType: type, after: after)
                guard case .page(let page) = await control.perform(request) else {
                    Issue.record("no page")
                    return
                }
                lines += page.lines
                after = page.next
                pages += 1
            } while after != nil
            #expect(lines.count == expected)
            #expect(Set(lines).count == expected)
            #expect(pages > 1)
        }
    }
}
