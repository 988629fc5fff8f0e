import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTesting
import StratusWorkers
import Testing

/// Processes that end at any step of the mirroring of a public database.
@Suite struct PublicRestartTests {
    /// Ends the mirroring at a step.
    private final class End: Sendable {
        let controls = MirroringControls()
        private let state = Lock<(remaining: Int, container: NSPersistentCloudKitContainer?)>((0, nil))

        init(at step: Int) {
            state.withLock { $0.remaining = step }
            controls.setCheckpoint { [weak self] _ in self?.reach() }
        }

        func watch(_ container: NSPersistentCloudKitContainer) { state.withLock { $0.container = container } }

        /// Whether the step was reached.
        var hasHappened: Bool { state.withLock { $0.remaining <= 0 } }

        private func reach() {
            let container = state.withLock { state -> NSPersistentCloudKitContainer? in
                state.remaining -= 1
                return state.remaining == 0 ? state.container : nil
            }
            container?.abandonMirroring()
        }
    }

    @Test(arguments: [false, true])
    func everyStepMayBeTheLast(hasFeed: Bool) async throws {
        var step = 1
        var isReached = true
        while isReached {
            isReached = try await end(at: step, hasFeed)
            step += 1
        }
        #expect(step > 20, "the steps of an export, an import and a change that is taken back")
    }

    /// Ends the mirroring of Bob's store at a step, and starts his program again.
    /// - Returns: Whether the step was reached.
    private func end(at step: Int, _ hasFeed: Bool) async throws -> Bool {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 2))
        if !hasFeed { cloud.faults.inject(.error(.unknownItem), on: .fetchPublicChanges, times: nil) }
        let ada = try MirroredDevice.public(cloud.account("ada").device("phone"))
        try await ada.save { context in
            for number in 0..<3 { context.insert("Note", ["title": "ada \(number)"]) }
        }
        await ada.synchronize()
        let end = End(at: step)
        var bob = try MirroredDevice.public(cloud.account("bob").device("phone"), end.controls)
        end.watch(bob.container)
        try await bob.save { context in
            let note = context.insert("Note", ["title": "bob"])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "T"]))
        }
        await bob.container.waitUntilMirrored()
        await bob.container.synchronizeMirrors()
        try await bob.save { context in
            // Ada's, which the server forbids.
            if let note = try context.note("ada 0") { context.delete(note) }
            try context.note("ada 1")?.setValue("changed", forKey: "text")
            try context.note("bob")?.setValue(1, forKey: "pages")
        }
        await bob.container.synchronizeMirrors()
        bob = try bob.restarted(controls: MirroringControls())
        await bob.synchronize()
        await bob.synchronize()
        await ada.synchronize()
        let expected = ["ada 0", "ada 1", "ada 2", "bob"]
        for app in [ada, bob] {
            #expect(try await app.read { try $0.titles() } == expected, "step \(step)")
            #expect(
                try await app.read { context in
                    let note = try context.note("bob")
                    return try context.note("ada 1")?.value(forKey: "text") == nil
                        && (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
                }, "step \(step)")
        }
        let pages = try await ada.read { try $0.note("bob")?.value(forKey: "pages") as? Int }
        #expect(pages == 1, "step \(step)")
        #expect(try await cloud.publicRecords().filter { $0.recordType != "Users" }.count == 6, "step \(step)")
        return end.hasHappened
    }
}
