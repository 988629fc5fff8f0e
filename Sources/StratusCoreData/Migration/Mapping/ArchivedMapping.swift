import Foundation
import StratusCompatibility
import StratusModelFiles

/// Reads the archive of a mapping model, a `.cdm`, as Xcode compiles it. The meaning of the keys follows a file in a
/// public repository whose source is there, too.
struct ArchivedMapping {
    let file: String

    static func read(_ url: URL) throws -> [NSEntityMapping] {
        let root = try KeyedArchive(Array(try ModelPackage.data(url)), file: url.path).root()
        guard root.className == "NSMappingModel" else {
            throw ModelFileError(file: url.path, reason: "is an archive of a '\(root.className)'")
        }
        let reader = ArchivedMapping(file: url.path)
        return try root.elements("NSEntityMappings").compactMap(\.object).map(reader.entityMapping)
    }

    private func entityMapping(_ object: ArchivedObject) throws -> NSEntityMapping {
        let mapping = NSEntityMapping()
        guard let name = object.text("NSMappingName") else {
            throw ModelFileError(file: file, element: "an entity mapping", reason: "has no name")
        }
        mapping.name = name
        mapping.mappingType =
            NSEntityMappingType(rawValue: UInt(clamping: object.number("NSMappingType")))
            ?? .undefinedEntityMappingType
        mapping.sourceEntityName = object.text("NSSourceEntityName")
        mapping.destinationEntityName = object.text("NSDestinationEntityName")
        mapping.sourceEntityVersionHash = object.data("NSSourceEntityVersionHash")
        mapping.destinationEntityVersionHash = object.data("NSDestinationEntityVersionHash")
        mapping.entityMigrationPolicyClassName = object.text("NSEntityMigrationPolicyClassName")
        mapping.userInfo = userInfo(object)
        mapping.source = try object.object("NSSourceExpression").map { try expression($0, of: name) }
        mapping.attributeMappings = try properties(object.elements("NSAttributeMappings"), of: name)
        mapping.relationshipMappings = try properties(object.elements("NSRelationshipMappings"), of: name)
        return mapping
    }

    private func properties(_ elements: [ArchivedElement], of name: String) throws -> [NSPropertyMapping] {
        try elements.compactMap(\.object).map { object in
            let mapping = NSPropertyMapping()
            mapping.name = object.text("NSDestinationPropertyName")
            mapping.userInfo = userInfo(object)
            mapping.value = try object.object("NSValueExpression").map { try expression($0, of: name) }
            return mapping
        }
    }

    private func userInfo(_ object: ArchivedObject) -> [AnyHashable: Any]? {
        let entries = object.entries("NSUserInfo")
        guard !entries.isEmpty else { return nil }
        return Dictionary(entries.map { ($0.key, $0.value.text ?? "") }, uniquingKeysWith: { $1 })
    }

    /// A fetch is read as its request: the migration manager executes it in the source context.
    func expression(_ object: ArchivedObject, of mapping: String) throws -> NSObject {
        let request = object.className == "NSFetchRequestExpression" ? object.object("NSFRExpression") : object
        do {
            return try ArchivedPredicates.operand(of: request ?? object).expression
        } catch {
            throw ModelFileError(
                file: file, element: "entity mapping '\(mapping)'", reason: "has an expression that \(error.reason)")
        }
    }
}
