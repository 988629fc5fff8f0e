import CloudKit
import StratusTesting
import XCTest

/// As teams with older tests write them: one cloud for each test, installed for all of the process.
final class InstallTests: XCTestCase {
    private var cloud: LocalCloud?

    override func setUp() async throws {
        let cloud = try await LocalCloud()
        cloud.account("ada").device().install()
        self.cloud = cloud
    }

    override func tearDown() async throws {
        LocalCloud.uninstall()
        cloud = nil
    }

    func testCodeOutsideOfTasks() async throws {
        let cloud = try XCTUnwrap(cloud)
        let tag: String? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                CKContainer.default().privateCloudDatabase.save(note("a")) { record, _ in
                    continuation.resume(returning: record?.recordChangeTag)
                }
            }
        }
        XCTAssertNotNil(tag)
        let records = try await cloud.records(of: cloud.account("ada"))
        XCTAssertEqual(records.map(\.recordID.recordName), ["a"])
    }

    func testFaults() async throws {
        let cloud = try XCTUnwrap(cloud)
        cloud.faults.inject(.error(.zoneBusy, retryAfter: 3), on: .saveRecords)
        do {
            try await CKContainer.default().privateCloudDatabase.save(note("a"))
            XCTFail("it should not be saved")
        } catch let error as CKError {
            XCTAssertEqual(error.code, .zoneBusy)
            XCTAssertEqual(error.retryAfterSeconds, 3)
        }
        XCTAssertTrue(cloud.faults.pending.isEmpty)
    }
}
