import StratusCloudModel

/// What a request that may be about shares needs from outside of its transaction.
struct ShareSetting: Sendable {
    /// What the caller is called; nil in a request that does not say that it is about shares.
    var callerNames: PersonNames?
    /// Short GUIDs for one-time links.
    var oneTimeGUIDs: [String] = []
}

extension RecordInput {
    /// Whether the client means a share record.
    var isShare: Bool { recordType == SystemRecordType.share || share != nil }
}

extension PreparedOperation {
    /// Whether the client means a share record.
    var isShare: Bool { input.isShare }
}

/// The fields of share records, which are the same in every container.
enum ShareFields {
    static let title = "cloudkit.title"

    private static let types: [String: FieldType] = [
        title: FieldType(.string), "cloudkit.type": FieldType(.string),
        "cloudkit.thumbnailImageData": FieldType(.bytes),
    ]

    static func merge(_ input: RecordInput, into old: FieldMap) throws(CloudError) -> FieldMap {
        var fields = old
        for (name, value) in input.fields {
            guard let type = types[name] else {
                throw CloudError(
                    .badRequest,
                    "field '\(name.prefix(64))' in record '\(SystemRecordType.share)': shares have "
                        + "\(types.keys.sorted().joined(separator: ", ")) and nothing else")
            }
            fields[name] = try FieldCoercion.value(
                of: value, as: type, subject: "field '\(name)' in record '\(SystemRecordType.share)'"
            ).map { Field($0) }
        }
        return fields
    }
}
