import CloudKit
import CoreData
import StratusTestSupport
import Testing

/// Stores of Core Data that a server mirrors over HTTP.
@Suite struct ServerTests {
    private let phone: MirroredApp
    private let laptop: MirroredApp
    private let guest: MirroredApp
    private let guestEmail: String

    init() async throws {
        let tenant = try await Tenant.shared("MirroredStores")
        phone = try MirroredApp(tenant, tenant.alice)
        laptop = try MirroredApp(tenant, tenant.alice)
        guest = try MirroredApp(tenant, tenant.bob, [.shared])
        guestEmail = tenant.bob.email
    }

    /// Shares the note of a title with the guest, who accepts the invitation.
    private func share(_ title: String) async throws {
        let note = try #require(
            try await phone.container.performBackgroundTask { try $0.note(title)?.objectID })
        let object = phone.container.newBackgroundContext().object(with: note)
        let (moved, share, _) = try await phone.container.share([object], to: nil)
        #expect(moved.count == 2)
        let people = try await phone.container.fetchParticipants(
            matching: CKUserIdentity.LookupInfo.lookupInfos(withEmails: [guestEmail]), into: phone.store(.private))
        let participant = try #require(people.first)
        participant.permission = .readWrite
        share.addParticipant(participant)
        let saved = try await phone.container.persistUpdatedShare(share, in: phone.store(.private))
        let metadata = try await guest.cloud.shareMetadata(for: try #require(saved.url))
        _ = try await guest.container.acceptShareInvitations(from: [metadata], into: guest.store(.shared))
    }

    @Test func devicesAndAParticipantHaveTheSameObjects() async throws {
        try await phone.save { context in
            let folder = context.insert("Folder", ["name": "Shopping"])
            context.insert("Note", ["title": "Milk"]).setValue(folder, forKey: "folder")
            context.insert("Note", ["title": "Secret"])
        }
        try await laptop.wait(for: "the notes") { context in
            try context.titles(in: "Shopping") == ["Milk"] && context.note("Secret") != nil
        }
        try await laptop.save { try $0.note("Milk")?.setValue("two", forKey: "text") }
        try await phone.wait(for: "the text") { try $0.note("Milk")?.value(forKey: "text") as? String == "two" }
        try await share("Milk")
        try await guest.wait(for: "the shared note") { context in
            try context.titles(in: "Shopping") == ["Milk"]
                && context.note("Milk")?.value(forKey: "text") as? String == "two"
        }
        try await guest.save { context in
            let milk = try #require(try context.note("Milk"))
            milk.setValue("three", forKey: "text")
            context.insert("Note", ["title": "Bread"]).setValue(milk.value(forKey: "folder"), forKey: "folder")
        }
        for device in [phone, laptop] {
            try await device.wait(for: "the changes of the guest") { context in
                try context.titles(in: "Shopping") == ["Bread", "Milk"] && context.note("Secret") != nil
                    && context.note("Milk")?.value(forKey: "text") as? String == "three"
            }
        }
        try await laptop.save { context in
            if let note = try context.note("Bread") { context.delete(note) }
        }
        for app in [phone, guest] {
            try await app.wait(for: "the deletion") { try $0.titles(in: "Shopping") == ["Milk"] }
        }
        #expect(try await guest.container.performBackgroundTask { try $0.titles() } == ["Milk"])
    }
}
