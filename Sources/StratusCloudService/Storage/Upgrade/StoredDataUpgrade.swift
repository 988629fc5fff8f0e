import StratusCloudModel
import StratusCloudStore

/// Brings what older versions of Stratus stored into the form that this one reads.
///
/// To be run on a store that was opened, before a ``CloudService`` uses it. It works in transactions of bounded size, and
/// notes at the end that it is done: if it is cut short, it goes on at the next start. The engines' own format numbers
/// keep older versions from opening what is, or is half, in the new form.
public struct StoredDataUpgrade: Sendable {
    /// The form that this version reads: 2 since records lie under their versions, 3 since the directory knows of all
    /// invitations, and of no links but those of shares that there are.
    static let present: UInt64 = 3

    private let store: any MaintainedStore

    /// An upgrade of what a store holds.
    public init(_ store: any MaintainedStore) { self.store = store }

    /// Does what is to be done: nothing, after one small read, if that was done before.
    /// - Parameter told: called with how many records were brought into the new form so far, now and then.
    /// - Returns: how many records were brought into the new form.
    /// - Throws: ``StoreError``, `newerFormat` among them for what a later version left, which stays as it is; or what
    ///   says that something stored cannot be read.
    @discardableResult
    public func run(telling told: @Sendable (Int) -> Void = { _ in }) async throws -> Int {
        let form = try await form()
        guard form <= Self.present else {
            throw StoreError(
                .newerFormat,
                "the data has form \(form), but this version of Stratus reads forms up to \(Self.present): "
                    + "use the version "
                    + "that wrote it, or a newer one")
        }
        guard form < Self.present else { return 0 }
        var moved = 0
        if form < 2 {
            moved = try await moveRecords(telling: told)
            try await note(form: 2)
        }
        try await ShareDirectoryUpgrade(store).run()
        try await note(form: Self.present)
        return moved
    }

    private func moveRecords(telling told: @Sendable (Int) -> Void) async throws -> Int {
        let schemas = SchemaCatalog(store: store)
        var moved = 0
        for partition in try await store.partitions() {
            guard let context = partition.databaseContext else { continue }
            let move = RecordMove(schema: try await schemas.schema(of: context))
            var next: Key?
            repeat {
                let lower = next
                let step = try await store.write(partition) { try move.step(from: lower, in: $0) }
                next = step.next
                moved += step.moved
                if step.moved > 0 { told(moved) }
            } while next != nil
            while try await store.write(partition, { try RecordMove.clearStep(in: $0) }) {}
        }
        return moved
    }

    private func note(form: UInt64) async throws {
        var writer = ByteWriter(capacity: 10)
        writer.write(unsigned: form)
        let bytes = writer.bytes
        try await store.write(.directory) { $0.set(DirectoryKey.storedForm, bytes) }
    }

    private func form() async throws -> UInt64 {
        guard let bytes = try await store.read(.directory, { try $0.get(DirectoryKey.storedForm) }) else { return 1 }
        return try ByteReader.read(bytes) { try $0.unsigned() }
    }
}
