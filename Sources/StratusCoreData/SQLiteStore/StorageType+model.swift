extension StorageType {
    init(_ type: NSAttributeType) {
        self =
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer
            case .booleanAttributeType: .boolean
            case .decimalAttributeType: .decimal
            case .doubleAttributeType: .double
            case .floatAttributeType: .float
            case .stringAttributeType: .string
            case .dateAttributeType: .date
            case .UUIDAttributeType: .uuid
            case .URIAttributeType, .objectIDAttributeType: .url
            case .undefinedAttributeType, .binaryDataAttributeType, .transformableAttributeType,
                .compositeAttributeType:
                .data
            }
    }

    /// The type that columns are declared with.
    var declaration: String {
        switch self {
        case .integer, .boolean, .reference: "INTEGER"
        case .decimal: "DECIMAL"
        case .double, .float: "FLOAT"
        case .string, .url: "VARCHAR"
        case .date: "TIMESTAMP"
        case .data, .externalData, .uuid: "BLOB"
        }
    }
}
