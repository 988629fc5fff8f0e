import StratusCloudModel
import StratusCloudStore

/// How the records of a zone are above and below one another, for shares.
///
/// A shared record has everything below it in its share. What participants are not shown, and may not do, depends on
/// it, too: whatever is above a shared root is its owner's alone.
protocol RecordHierarchy: Sendable {
    /// The kind of the references that lead upwards.
    static var kind: ActingReference.Kind { get }

    /// The name of the record above another; nil at the top.
    static func above(_ record: StoredRecord) -> String?

    /// Whether a record is in no share for the time being. A root that is detached keeps its share, without anything in
    /// it, until it is attached again.
    static func isDetached(_ record: StoredRecord) -> Bool

    /// Where an operation that saves puts its record.
    static func destination(of operation: PreparedOperation) -> HierarchyMove

    /// - Throws: `badRequest` for a stored record that cannot become the root of a share.
    static func checkRoot(_ record: StoredRecord, in zone: ZoneNumber, _ transaction: any ReadTransaction) throws

    /// - Throws: `accessDenied` for a save that is not a participant's to do, whatever they may write.
    static func checkParticipant(_ operation: PreparedOperation, _ stored: StoredRecord, isRoot: Bool) throws

    /// The save of a root by a participant who does not see what is above it, and so cannot mean to change it.
    static func keepingAbove(_ operation: PreparedOperation, over root: StoredRecord) -> RecordInput

    /// Whether records of the zone other than roots have something that is concealed, too.
    static var concealsAll: Bool { get }

    /// Takes away what participants do not see of a record.
    static func conceal(_ record: inout some SharedRecord, isRoot: Bool)
}

/// Where a save puts a record in the hierarchy.
enum HierarchyMove: Hashable {
    /// Where it is.
    case stays
    /// Below a record; nil is the top.
    case below(String?)
    /// Out of the hierarchy; see ``RecordHierarchy/isDetached(_:)``.
    case detaches
}

/// A record in one of its forms, as far as parts of it may be concealed.
protocol SharedRecord {
    var fields: FieldMap { get set }
    var parent: Reference? { get set }
}

extension Record: SharedRecord {}
extension StoredRecord: SharedRecord {}

/// The hierarchies that apps make with parents.
enum ParentHierarchy: RecordHierarchy {
    static let kind = ActingReference.Kind.parent
    static let concealsAll = false

    static func above(_ record: StoredRecord) -> String? { record.parent?.recordName }
    static func isDetached(_ record: StoredRecord) -> Bool { false }

    static func destination(of operation: PreparedOperation) -> HierarchyMove {
        if let parent = operation.input.parent { return .below(parent.recordName) }
        return operation.input.clearsParent ? .below(nil) : .stays
    }

    static func checkRoot(_ record: StoredRecord, in zone: ZoneNumber, _ transaction: any ReadTransaction) throws {}

    static func checkParticipant(_ operation: PreparedOperation, _ stored: StoredRecord, isRoot: Bool) throws {
        // Not even the parent that it has, which could be guessed so.
        guard !isRoot || operation.input.parent == nil else { throw BatchShares.denied("WRITE") }
    }

    static func keepingAbove(_ operation: PreparedOperation, over root: StoredRecord) -> RecordInput {
        var input = operation.input
        input.clearsParent = false
        return input
    }

    static func conceal(_ record: inout some SharedRecord, isRoot: Bool) {
        if isRoot { record.parent = nil }
    }
}

extension ReservedZones {
    /// The hierarchy of a zone's records; nil if none of them can be shared.
    static func hierarchy(of zoneName: String) -> (any RecordHierarchy.Type)? {
        guard Names.isReserved(zoneName) else { return ParentHierarchy.self }
        return kind(of: zoneName)?.hierarchy
    }

    /// The hierarchy of records of a type, which only one kind of zone has.
    static func hierarchy(ofType recordType: String) -> any RecordHierarchy.Type {
        guard recordTypes[recordType] != nil else { return ParentHierarchy.self }
        return kinds.first { $0.recordTypes.contains { $0.name == recordType } }?.hierarchy ?? ParentHierarchy.self
    }
}
