import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// The schemas of all contexts, remembered once read. Changes go through here, so what is remembered is true.
///
/// A request works with the schema that it found at its beginning. So that it never writes by one that is no longer
/// true, its transaction looks again, see ``check(_:of:)``: from the moment that a change is remembered on, nothing is
/// written by what was before it, and what a transaction after that sees is all that ever will be.
final class SchemaCatalog: Sendable {
    private let store: any CloudStore
    private let memory = Lock(Memory())

    fileprivate struct Memory {
        var schemas: [CloudContext: Schema] = [:]
        /// Grows with all that is remembered.
        var epoch: UInt64 = 0
        /// What may not be saved for the moment, by who wants it so.
        var frozen: [CloudContext: [UInt64: SchemaParts]] = [:]
    }

    /// Thrown in transactions that were begun with a schema that is no longer true: nothing may be written.
    struct Outdated: Error {}

    init(store: any CloudStore) { self.store = store }

    func schema(of context: CloudContext) async throws -> Schema {
        if let schema = memory.withLock({ $0.schemas[context] }) { return schema }
        let schema = try await store.read(.context(context)) { try Self.read(in: $0) }
        return remember(schema, of: context)
    }

    /// For transactions that write records.
    /// - Throws: ``Outdated`` unless the schema is the one that holds now, `tryAgainLater` while all records are deleted.
    func check(_ schema: Schema, of context: CloudContext) throws {
        guard isCurrent(schema, of: context) else { throw Outdated() }
        guard !schema.isBeingReset else {
            throw CloudError(.tryAgainLater, "the environment is being reset; try again later", retryAfter: 5)
        }
    }

    /// Whether the schema is the one that holds now.
    func isCurrent(_ schema: Schema, of context: CloudContext) -> Bool {
        memory.withLock { $0.schemas[context]?.epoch } == schema.epoch
    }

    /// Applies a change durably; it holds when this returns.
    /// - Parameter body: Changes the schema, and writes what goes with that in the same transaction.
    func change<Result: Sendable>(
        _ context: CloudContext, _ body: @escaping @Sendable (inout Schema, any WriteTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await commit(context, body)
        } catch let error as CloudError {
            throw error
        } catch {
            // The change may be there although its answer was lost: what holds is what is stored.
            try await reload(context)
            throw error
        }
    }

    private func reload(_ context: CloudContext) async throws {
        do {
            let schema = try await store.read(.context(context)) { try Self.read(in: $0) }
            _ = remember(schema, of: context)
        } catch {
            memory.withLock { $0.schemas[context] = nil }
            throw error
        }
    }

    private func commit<Result: Sendable>(
        _ context: CloudContext, _ body: @escaping @Sendable (inout Schema, any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let (schema, result) = try await store.write(.context(context)) { transaction in
            let before = try Self.read(in: transaction)
            var schema = before
            let result = try body(&schema, transaction)
            schema.version = before.version + 1
            for (name, type) in schema.recordTypes where before.recordTypes[name] != type {
                transaction.set(Self.key(ofType: name), type)
            }
            for name in before.recordTypes.keys where schema.recordTypes[name] == nil {
                transaction.clear(Self.key(ofType: name))
            }
            for (user, roles) in schema.members where before.members[user] != roles {
                transaction.set(Self.key(ofMember: user), RoleMembership(user: user, roles: roles))
            }
            for user in before.members.keys where schema.members[user] == nil {
                transaction.clear(Self.key(ofMember: user))
            }
            transaction.set(Self.header, SchemaHeader(schema))
            return (schema, result)
        }
        _ = remember(schema, of: context)
        return result
    }

    /// Keeps the newer of two versions: a read may end after a change that it did not see.
    private func remember(_ schema: Schema, of context: CloudContext) -> Schema {
        memory.withLock { memory in
            if let known = memory.schemas[context], known.version >= schema.version { return known }
            return memory.remember(schema, of: context)
        }
    }

    // MARK: - Freezing

    /// Keeps parts of a schema from being saved until ``thaw(_:in:)``: whoever wants to take them away has to know that
    /// nobody has them.
    /// - Returns: what to thaw them with.
    func freeze(_ parts: SchemaParts, in context: CloudContext) async throws -> UInt64 {
        let schema = try await schema(of: context)
        return memory.withLock { memory in
            let number = memory.epoch + 1
            memory.frozen[context, default: [:]][number] = parts
            _ = memory.remember(memory.schemas[context] ?? schema, of: context)
            return number
        }
    }

    func thaw(_ number: UInt64, in context: CloudContext) {
        memory.withLock { memory in
            memory.frozen[context]?[number] = nil
            if let schema = memory.schemas[context] { _ = memory.remember(schema, of: context) }
        }
    }

    // MARK: - Stored

    private static func read(in transaction: any ReadTransaction) throws -> Schema {
        var schema = Schema()
        if let header: SchemaHeader = try transaction.value(at: header) {
            schema.version = header.version
            schema.nextIndexNumber = header.nextIndexNumber
            schema.roles = Set(header.roles)
            schema.droppedIndexes = header.droppedIndexes
            schema.isBeingReset = header.isBeingReset
        }
        for entry in try transaction.entries(in: types, limit: maximumRecordTypes) {
            let type = try RecordTypeSchema(stored: entry.value)
            schema.recordTypes[type.name] = type
        }
        for membership in try transaction.allValues(RoleMembership.self, in: members) {
            schema.members[membership.user] = membership.roles
        }
        if schema.recordTypes[SystemRecordType.users] == nil {
            schema.recordTypes[SystemRecordType.users] = .users
        }
        return schema
    }

    /// Record types that one context can have.
    static let maximumRecordTypes = 10_000

    private static let header = Key([0x01])
    private static let types = KeyRange(prefix: Key([0x02]))
    private static let members = KeyRange(prefix: Key([0x03]))
    /// What was changed when; see ``SchemaHistory``.
    static let history = KeyRange(prefix: Key([0x04]))
    /// How far indexes are built; see ``IndexBuildProgress``.
    static let builds = KeyRange(prefix: Key([0x05]))

    /// Everything that the partition of a context holds beside the schema.
    static let besideSchema = KeyRange(lower: history.lower, upper: Key().afterAllWithThisPrefix)

    private static func key(ofType name: String) -> Key { key(types, name) }
    private static func key(ofMember user: String) -> Key { key(members, user) }

    /// The key of what has a name, in one of the ranges.
    static func key(_ range: KeyRange, _ name: String) -> Key { Key(range.lower.bytes + Array(name.utf8)) }
}

extension SchemaCatalog.Memory {
    /// Makes a schema the one that holds.
    fileprivate mutating func remember(_ schema: Schema, of context: CloudContext) -> Schema {
        epoch += 1
        var schema = schema
        schema.epoch = epoch
        schema.frozen = SchemaParts()
        schema.recordTypes.merge(ReservedZones.recordTypes) { _, reserved in reserved }
        for parts in (frozen[context] ?? [:]).values { schema.frozen.formUnion(parts) }
        schemas[context] = schema
        return schema
    }
}

/// Which roles somebody has.
struct RoleMembership: StoredValue, Hashable {
    static let format: UInt8 = 1

    var user: String
    var roles: Set<String>

    init(user: String, roles: Set<String>) {
        self.user = user
        self.roles = roles
    }

    init(from reader: inout ByteReader) throws {
        user = try reader.string()
        roles = []
        for _ in 0..<(try reader.unsigned()) { roles.insert(try reader.string()) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(user)
        writer.write(unsigned: UInt64(roles.count))
        for role in roles.sorted() { writer.write(role) }
    }
}
