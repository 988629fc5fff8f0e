import Foundation
import StratusCloudKit

/// Two records whose objects are linked by a many-to-many relationship.
struct LinkedPair: Hashable, Sendable {
    static let recordType = "CDMR"

    private enum Key {
        static let entities = "CD_entityNames"
        static let records = "CD_recordNames"
        static let relationships = "CD_relationships"
    }

    /// Entity and name of the relationship, and of its inverse, with dots between them. The entity that comes first in the
    /// alphabet is the first one.
    var relationship: String
    /// The names of the records.
    var first: String
    var second: String

    init(relationship: String, first: String, second: String) {
        (self.relationship, self.first, self.second) = (relationship, first, second)
    }

    /// A text that is the same for the same pair.
    var identity: String { "\(relationship)/\(first.utf8.count)/\(first)/\(second)" }

    /// The names of both entities and both relationships: entity, relationship, entity, relationship.
    private var names: [String] { relationship.split(separator: ".").map(String.init) }

    /// The relationship from the object of the first record to that of the second.
    var firstRelationship: String { names.count == 4 ? names[1] : "" }

    /// The name of the pair's record: a UUID that follows from the pair, so that two devices that link the same objects
    /// write the same record.
    var recordName: String { .uuid(following: identity) }

    /// Returns the pair with another name for one of the records.
    func renaming(_ name: String, to other: String) -> LinkedPair {
        var ends = [first, second].map { $0 == name ? other : $0 }
        // The ends of a relationship that is its own inverse are in the order of their names.
        if names.count == 4, names[0] == names[2], names[1] == names[3] { ends.sort() }
        return LinkedPair(relationship: relationship, first: ends[0], second: ends[1])
    }

    /// Whether the pair is one of a relationship of an object.
    func belongs(to link: MirroredLink, of recordName: String) -> Bool {
        link.pair(from: recordName, to: first == recordName ? second : first) == self
    }

    // MARK: - Records

    /// Returns a new record of the pair.
    func record(_ recordID: CKRecord.ID) -> CKRecord {
        let record = CKRecord(recordType: Self.recordType, recordID: recordID)
        let names = names
        guard names.count == 4 else { return record }
        record[Key.entities] = "\(names[0]):\(names[2])"
        record[Key.records] = "\(first):\(second)"
        record[Key.relationships] = "\(names[1]):\(names[3])"
        return record
    }

    /// Reads the pair of a record; nil if it is of no relationship of the model.
    init?(_ record: CKRecord, in model: MirroredModel) {
        guard record.recordType == Self.recordType, let entities = record.pair(Key.entities),
            let records = record.pair(Key.records), let relationships = record.pair(Key.relationships),
            let link = model.entity(named: entities.0)?.links.first(where: { $0.name == relationships.0 }),
            link.inverse == relationships.1
        else { return nil }
        self = link.pair(from: records.0, to: records.1)
    }
}

extension CKRecord {
    /// Returns the two parts of a text of a link.
    fileprivate func pair(_ key: String) -> (String, String)? {
        // Apple's documentation has a semicolon, its systems write a colon.
        guard let text = self[key] as? String else { return nil }
        let parts = text.split(separator: text.contains(":") ? ":" : ";", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}
