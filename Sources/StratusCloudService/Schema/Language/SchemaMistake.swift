import StratusCloudModel

/// Why a text is no schema, and where.
public struct SchemaMistake: Error, Hashable, Sendable {
    /// Counted from 1.
    public var line: Int
    /// Characters from the beginning of the line, counted from 1.
    public var column: Int
    /// What could have stood there, for people; nil where the words are right and what they say is not.
    public var expected: String?
    /// For people, without the place.
    public var message: String

    /// As callers of the service are told.
    var refusal: CloudError { CloudError(.badRequest, "schema line \(line), column \(column): \(message)") }
}

extension CloudService {
    /// What is wrong with a text in the schema language; nil if it can be read.
    public static func schemaMistake(in text: String) -> SchemaMistake? {
        do {
            _ = try SchemaParser.read(text)
            return nil
        } catch {
            return error
        }
    }
}
