import Foundation
import StratusWorkers

@testable import StratusUbiquity

/// An agent of a tree that never changes, which remembers what it was asked for.
final class StaticControls: DriveControls {
    private let log = Lock<[String]>([])
    private let items: [DriveItem]
    /// What a download does.
    private let fetch: @Sendable (String) async throws(DriveError) -> Void

    /// What it was asked for, in order.
    var calls: [String] { log.withLock { $0 } }

    init(
        _ items: [DriveItem] = [],
        fetch: @escaping @Sendable (String) async throws(DriveError) -> Void = { (_: String) throws(DriveError) in }
    ) {
        self.items = items
        self.fetch = fetch
    }

    private func note(_ call: String) { log.withLock { $0.append(call) } }

    func status() async throws(DriveError) -> DriveStatus {
        note("status")
        var status = DriveStatus(
            isOnline: true, account: "ann", container: "c", directory: "/d", pending: 2, conflicts: 1)
        (status.unwatched, status.unmounted) = (3, ["disk"])
        return status
    }

    func items(in folder: String) async throws(DriveError) -> [DriveItem] {
        note("items \(folder)")
        return items
    }

    func download(_ path: String) async throws(DriveError) {
        note("download \(path)")
        try await fetch(path)
    }

    func startDownload(_ path: String) async throws(DriveError) { note("start \(path)") }

    func evict(_ path: String) async throws(DriveError) {
        note("evict \(path)")
        throw DriveError(.notUploaded, path: path, "the item is not uploaded yet")
    }

    func setPinned(_ isPinned: Bool, _ path: String) async throws(DriveError) { note("pin \(isPinned) \(path)") }

    func setSelected(_ isSelected: Bool, _ path: String) async throws(DriveError) {
        note("select \(isSelected) \(path)")
    }

    func versions(of path: String) async throws(DriveError) -> [DriveVersion] {
        note("versions \(path)")
        return [DriveVersion(identifier: "7", size: 3, modified: Date(timeIntervalSince1970: 1_000), device: "laptop")]
    }

    func restore(_ path: String, version: String) async throws(DriveError) { note("restore \(path) \(version)") }

    func recentlyDeleted() async throws(DriveError) -> [DriveItem] {
        note("recentlyDeleted")
        return items
    }

    func restoreDeleted(_ recordName: String) async throws(DriveError) -> String {
        note("restoreDeleted \(recordName)")
        return "a 2.txt"
    }

    func conflicts() async throws(DriveError) -> [DriveItem] {
        note("conflicts")
        return items
    }

    func resolve(_ path: String, keeping version: String) async throws(DriveError) {
        note("resolve \(path) \(version)")
    }

    func settle() async throws(DriveError) { note("settle") }

    func record(of path: String) async throws(DriveError) -> DriveRecord {
        note("record \(path)")
        return DriveRecord(recordName: "R", contentVersion: 4)
    }
}
