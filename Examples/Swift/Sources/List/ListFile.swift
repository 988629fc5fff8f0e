// As on Apple's systems, the import of a part brings the whole.
import CloudKit.CKRecord

/// What a device keeps: the items of the list, and how far the engine got.
struct ListFile: Codable {
    struct Item: Codable {
        var text: String
        /// Whether the cloud is not known to have it.
        var isUnsent = true
        /// The record's name, tag and dates as the cloud had them last: whoever saves without them overwrites nobody, but is told
        /// of a conflict.
        var systemFields: Data?
    }

    var items: [String: Item] = [:]
    var state: CKSyncEngine.State.Serialization?

    init(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        self = try JSONDecoder().decode(ListFile.self, from: Data(contentsOf: url))
    }

    func write(to url: URL) throws { try JSONEncoder().encode(self).write(to: url, options: .atomic) }
}

extension ListFile.Item {
    /// The record as the cloud had it last, without its values.
    var record: CKRecord? {
        guard let systemFields, let reader = try? NSKeyedUnarchiver(forReadingFrom: systemFields) else { return nil }
        return CKRecord(coder: reader)
    }

    mutating func keep(_ record: CKRecord) {
        let writer = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: writer)
        systemFields = writer.encodedData
    }
}
