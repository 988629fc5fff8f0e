import Foundation
import StratusCompatibility
import StratusWorkers

/// A question about the records of one type.
///
/// `@unchecked Sendable`: what changes is under a lock; predicates and sort descriptors never change.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type asked about.
    public let recordType: CKRecord.RecordType
    /// The condition. What the service cannot do is refused when the query is sent.
    public let predicate: NSPredicate
    private let sorts: Lock<SortDescriptors>

    /// Sort descriptors never change.
    private struct SortDescriptors: @unchecked Sendable {
        var list: [NSSortDescriptor]?
    }

    /// Makes a query. An empty type and a predicate that is code are faults of the program.
    public convenience init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        ProgramFault.check(FieldName.isIdentifier(recordType), "'\(recordType)' is no name for a record type.")
        if case .code = predicate.predicateTree { ProgramFault.stop("A predicate that is a block cannot be sent.") }
        self.init(recordType, predicate)
    }

    /// For what came from a server or an archive, where a wrong type is no fault of the program.
    init(_ recordType: CKRecord.RecordType, _ predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
        sorts = Lock(SortDescriptors())
    }

    /// The order of the results, the most significant key first; nil leaves it to the server.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { sorts.withLock { $0 }.list }
        set {
            let descriptors = SortDescriptors(list: newValue)
            sorts.withLock { $0 = descriptors }
        }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        guard let type = coder.decoded(NSString.self, "RecordType") as String?,
            FieldName.isIdentifier(type), let archived = ArchivedQuery(coder: coder)
        else { return nil }
        self.init(type, archived.predicate)
        sortDescriptors = archived.sortDescriptors
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordType as NSString, forKey: "RecordType")
        ArchivedQuery(predicate: predicate, sortDescriptors: sortDescriptors).encode(recordType, with: coder)
    }

    /// An equal query of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType, predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }

    /// For logs.
    public override var description: String { "<CKQuery: recordType=\(recordType)>" }
}
