import StratusCloudModel
import StratusCloudStore

/// A cascade that goes on after the transaction that began it. It is noted before that transaction, so that a server
/// that starts again finishes it.
struct DeferredCascade: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Which note this is; not part of the value.
    var key = Key()
    let context: CloudContext
    let partition: Partition
    let zoneName: String

    init(context: CloudContext, partition: Partition, zoneName: String) {
        self.context = context
        self.partition = partition
        self.zoneName = zoneName
    }

    init(from reader: inout ByteReader) throws {
        guard let container = ContainerIdentifier(try reader.string()),
            let environment = CloudEnvironment(rawValue: try reader.string())
        else { throw ByteReader.Malformed() }
        context = CloudContext(container: container, environment: environment)
        partition = Partition(try reader.string())
        zoneName = try reader.string()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(context.container.rawValue)
        writer.write(context.environment.rawValue)
        writer.write(partition.name)
        writer.write(zoneName)
    }

    /// Where the notes lie.
    static let notes = KeyRange(prefix: Key([0x01]))
    /// Notes taken up at once.
    static let notesPerRead = 100
}

extension CloudService {
    /// Finishes what a server that ended left undone: news of shared zones that were not told, containers that are
    /// being deleted, people who are being erased, and large cascades of deletions. To be called once, after the start.
    /// Stops early if the task is cancelled; the next start goes on.
    /// - Throws: what makes the store unusable.
    public func resumeDeferredWork() async throws(CloudError) {
        try await resumeSharedNews()
        try await resumeContainerDeletions()
        try await resumeErasures()
        var range = DeferredCascade.notes
        while true {
            let unread = range
            let entries = try await reading(.deferredWork) {
                try $0.entries(in: unread, limit: DeferredCascade.notesPerRead)
            }
            guard let last = entries.last else { return }
            for entry in entries {
                do {
                    var cascade = try DeferredCascade(stored: entry.value)
                    cascade.key = entry.key
                    try await finish(cascade, stopsEarly: true)
                } catch {
                    throw cloudError(from: error)
                }
            }
            range.lower = last.key.next
        }
    }

    /// Notes that a cascade in a zone may go on after its first transaction.
    func note(_ cascade: DeferredCascade) async throws(CloudError) -> DeferredCascade {
        var cascade = cascade
        cascade.key = Key(DeferredCascade.notes.lower.bytes + Array(environment.random.uuid().utf8))
        let noted = cascade
        try await writing(.deferredWork) { $0.set(noted.key, noted) }
        return noted
    }

    /// As ``finish(_:stopsEarly:)``, for a deletion that is done whatever becomes of the rest: what fails now is taken up at the next
    /// start, and was reported.
    func finishAcknowledged(_ cascade: DeferredCascade) async {
        do {
            try await finish(cascade)
        } catch {
            // Reported where it became a CloudError.
        }
    }

    /// Deletes what remains of a noted cascade, then the note. Bounded work in each transaction.
    /// - Parameter stopsEarly: whether a cancelled task leaves the rest to the next start.
    func finish(_ cascade: DeferredCascade, stopsEarly: Bool = false) async throws(CloudError) {
        let work = environment.cascadeWork
        let owner = cascade.partition.privateOwner(in: cascade.context)
        let zoneID = ZoneID(
            zoneName: cascade.zoneName, ownerRecordName: owner ?? DatabaseAddress.publicOwner)
        while true {
            let step = CascadeStep(
                zoneID: zoneID, schema: try await schema(of: cascade.context), schemas: schemas, now: environment.now(),
                run: run, work: work,
                scope: owner == nil ? .public : .private, context: cascade.context, makeID: environment.random.uuid)
            let told: RecordModification.Outcome?
            do {
                told = try await store.write(cascade.partition) { try step.run(in: $0) }
            } catch is SchemaCatalog.Outdated {
                continue
            } catch {
                throw cloudError(from: error)
            }
            guard let told else { break }
            await deliver(told, of: cascade.partition, in: cascade.context)
            if stopsEarly, Task.isCancelled { return }
        }
        try await writing(.deferredWork) { $0.clear(cascade.key) }
    }
}
