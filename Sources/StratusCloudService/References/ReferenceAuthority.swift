import StratusCloudModel
import StratusCloudStore

/// Decides whose references keep records of a public database from being deleted.
///
/// Anybody may refer to a record that they can read. A reference that holds its target is more: it takes from the
/// target's author what the grants give them. So it holds only if the author of the record that refers may change or
/// delete the target.
struct ReferenceAuthority: Sendable {
    /// What must be known of a target.
    struct Target: Hashable, Sendable {
        let recordType: String
        let author: String

        init(_ record: StoredRecord) {
            recordType = record.recordType
            author = record.created.userRecordName
        }
    }

    let schema: Schema
    let context: CloudContext

    /// Nil for the databases of one owner, who decided about everybody that may write there.
    init?(_ scope: DatabaseScope, _ schema: Schema, _ context: CloudContext) {
        guard scope == .public else { return nil }
        self.schema = schema
        self.context = context
    }

    /// The same for a database by its name in the store.
    init?(in database: Partition, _ schema: Schema, _ context: CloudContext) {
        self.init(database == .publicDatabase(of: context) ? .public : .private, schema, context)
    }

    /// Whether records of an author may hold a target.
    func mayHold(_ target: Target, author: String) -> Bool {
        if author == target.author { return true }
        // What bears nobody's name may be anybody's.
        let isNobody = author == Caller.nobodyRecordName
        return Authorization.permits(
            .write, in: .public, target.recordType, of: schema, creator: target.author,
            Caller(context: context, principal: isNobody ? .anonymous : .user(author)))
    }
}
