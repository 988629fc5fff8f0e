import CloudModel

extension CloudService {
    /// Adds to a context's schema what a text in the schema language defines beyond it; the whole or nothing.
    ///
    /// In production this is the only way to new record types and fields.
    /// - Throws: `badRequest` with line and column for a text that is no schema, `conflict` naming the field that exists
    ///   with another type or without an index, `notFound` if there is no such container.
    public func applySchema(_ text: String, to context: CloudContext) async throws(CloudError) {
        let document = try SchemaParser.parse(text)
        do {
            try await checkContainer(context)
            _ = try await schemas.change(context) { try $0.apply(document) }
        } catch {
            throw cloudError(from: error)
        }
    }

    /// A context's schema in the schema language.
    /// - Throws: `notFound` if there is no such container.
    public func schemaText(of context: CloudContext) async throws(CloudError) -> String {
        do {
            try await checkContainer(context)
            return SchemaDocument(try await schemas.schema(of: context)).text
        } catch {
            throw cloudError(from: error)
        }
    }

    private func checkContainer(_ context: CloudContext) async throws {
        guard try await directory.hasContainer(context.container) else {
            throw CloudError(.notFound, "container '\(context.container)' does not exist")
        }
    }
}
