import Foundation

/// The values of transformable attributes as data: what the transformer of the attribute makes of them, or secure keyed
/// archives.
package enum TransformableValue {
    package static func data(of value: Any, _ attribute: NSAttributeDescription) throws -> Data {
        if let (name, transformer) = transformer(of: attribute) {
            // As with Apple, a transformer of archives is used backwards.
            let isOfArchives = transformer is NSSecureUnarchiveFromDataTransformer
            let result = isOfArchives ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
            guard let data = result as? Data else {
                throw CocoaError.make(
                    .persistentStoreSave, "transformer '\(name)' makes no data of attribute '\(attribute.name)'")
            }
            // Otherwise the value would be nil when it is read again.
            guard !isOfArchives || transformer.transformedValue(data) != nil else {
                throw CocoaError.make(
                    .persistentStoreSave,
                    "transformer '\(name)' does not allow the value of attribute '\(attribute.name)', a \(type(of: value))"
                )
            }
            return data
        }
        guard let data = SecureArchive.data(of: value) else {
            throw CocoaError.make(
                .persistentStoreSave, "the value of attribute '\(attribute.name)' does not support secure coding")
        }
        guard SecureArchive.object(in: data, ofClasses: classes(of: attribute)) != nil else {
            throw CocoaError.make(
                .persistentStoreSave,
                "attribute '\(attribute.name)' cannot hold a \(type(of: value)), because it could not be read again: the "
                    + "class is not of property lists, and not that of the attribute, which is "
                    + (attribute.attributeValueClassName.map { "'\($0)'" } ?? "not set"))
        }
        return data
    }

    /// The classes that values may have.
    private static func classes(of attribute: NSAttributeDescription) -> [AnyClass] {
        SecureArchive.ofPropertyLists + [ManagedClasses.ofValues(of: attribute)].compactMap { $0 }
    }

    /// The transformer of the program's own that an attribute names. Values of an attribute whose transformer nobody
    /// registered are secure archives, as with Apple.
    private static func transformer(of attribute: NSAttributeDescription) -> (name: String, ValueTransformer)? {
        let ofFoundation: [NSValueTransformerName] = [
            .secureUnarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName,
        ]
        guard let name = attribute.valueTransformerName, !ofFoundation.contains(NSValueTransformerName(name)) else {
            return nil
        }
        return ValueTransformer(forName: NSValueTransformerName(name)).map { (name, $0) }
    }

    /// Returns the value of an archive; nil if the archive has other classes than the attribute's and those of property
    /// lists.
    package static func value(of data: Data, _ attribute: NSAttributeDescription) -> Any? {
        if let (_, transformer) = transformer(of: attribute) {
            return transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        }
        return SecureArchive.object(in: data, ofClasses: classes(of: attribute))
    }
}
