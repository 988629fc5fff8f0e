import CloudKit
import Testing

@testable import StratusCloudKit

/// Deprecated at Apple, and still in programs.
@Suite struct NotificationOperationTests {
    private func run(_ container: CKContainer) async -> [String] {
        let diary = Diary()
        let badge = CKModifyBadgeOperation(badgeValue: 3)
        badge.modifyBadgeCompletionBlock = { diary.note("badge \($0?.cloudKitCode?.rawValue ?? 0)") }
        let fetch = CKFetchNotificationChangesOperation(previousServerChangeToken: CKServerChangeToken("here"))
        fetch.notificationChangedBlock = { _ in diary.note("notification") }
        fetch.fetchNotificationChangesCompletionBlock = { token, error in
            diary.note("fetched \(token?.text ?? "nothing") \(error?.cloudKitCode?.rawValue ?? 0)")
        }
        let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [CKNotificationID("n")])
        mark.markNotificationsReadCompletionBlock = { ids, error in
            diary.note("read \(ids?.count ?? 0) \(error?.cloudKitCode?.rawValue ?? 0)")
        }
        for operation in [badge, fetch, mark] { await end(of: operation) { _ in container.add(operation) } }
        #expect(!fetch.moreComing)
        return diary.text
    }

    @Test("There is nothing to fetch, to mark or to show; the account counts all the same", arguments: Door.allCases)
    func nothing(_ door: Door) async throws {
        let app = try await door.open()
        #expect(await run(app.alice) == ["badge 0", "fetched here 0", "read 1 0"])
        #expect(await run(app.nobody) == ["badge 9", "fetched here 9", "read 0 9"])
    }
}
