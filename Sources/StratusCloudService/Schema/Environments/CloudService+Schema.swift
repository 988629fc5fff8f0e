import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// A context's schema in the schema language.
    /// - Throws: `notFound` if there is no such container.
    public func schemaText(of context: CloudContext) async throws(CloudError) -> String {
        try await checkContainer(context)
        return SchemaDocument(try await schema(of: context)).text
    }

    /// What makes `new` of `old`, both of them texts in the schema language.
    /// - Throws: `badRequest` with line and column.
    public static func schemaDiff(from old: String, to new: String) throws(CloudError) -> SchemaDiff {
        SchemaDiff(from: try SchemaParser.parse(old), to: try SchemaParser.parse(new))
    }

    /// A text in the schema language as it would be exported: without comments, in order.
    /// - Throws: `badRequest` with line and column.
    public static func canonicalSchema(_ text: String) throws(CloudError) -> String {
        try SchemaParser.parse(text).text
    }

    /// What a text in the schema language, as the whole schema of a context, would make of it; whether it may is another
    /// question.
    /// - Throws: `badRequest` with line and column, `notFound` if there is no such container.
    public func schemaDiff(of context: CloudContext, to text: String) async throws(CloudError) -> SchemaDiff {
        let document = try SchemaParser.parse(text)
        try await checkContainer(context)
        let before = try await schema(of: context)
        var after = before
        _ = try after.replace(with: document)
        return SchemaDiff(from: SchemaDocument(before), to: SchemaDocument(after))
    }

    /// What production would become by a deployment, seen from production.
    /// - Throws: `notFound` if there is no such container.
    public func schemaDiff(of container: ContainerIdentifier) async throws(CloudError) -> SchemaDiff {
        let context = CloudContext(container: container, environment: .production)
        try await checkContainer(context)
        return SchemaDiff(
            from: SchemaDocument(try await schema(of: context)),
            to: SchemaDocument(try await schema(of: context.development)))
    }

    /// Adds to a context's schema what a text in the schema language defines beyond it; the whole or nothing. Grants that
    /// it has take the place of the former ones. An index that is new on a field that was there before is built in the
    /// background.
    /// - Returns: what changed.
    /// - Throws: `badRequest` with line and column for a text that is no schema, `conflict` naming the field that exists
    ///   with another type, `notFound` if there is no such container.
    @discardableResult
    public func applySchema(
        _ text: String, to context: CloudContext, by operatorName: String = ""
    ) async throws(CloudError) -> SchemaDiff {
        let document = try SchemaParser.parse(text)
        try await checkContainer(context)
        let change = SchemaChange(kind: .apply, name: "", by: operatorName, time: environment.now())
        return try await change.carryOut(on: schemas, context, self) { (schema) throws(CloudError) in
            try schema.apply(document)
        }
    }

    /// Makes development's schema what a text in the schema language says: all of it, and nothing else.
    ///
    /// What production has stays; so does a record type, a field or a field's type as long as records have it.
    /// - Parameters:
    ///   - shown: The difference in words that the operator has seen and agreed to; nil if any will do.
    ///   - isTrial: Whether nothing is changed.
    /// - Returns: what changes.
    /// - Throws: `badRequest` with line and column for a text that is no schema, and for production, which changes by
    ///   deployments only; `conflict` naming what may not go, or because the difference is not the one that was shown
    ///   any more; `notFound` if there is no such container.
    public func importSchema(
        _ text: String, to context: CloudContext, by operatorName: String = "", expecting shown: String? = nil,
        isTrial: Bool = false
    ) async throws(CloudError) -> SchemaDiff {
        let document = try SchemaParser.parse(text)
        try await checkContainer(context)
        guard context.environment == .development else {
            throw CloudError(
                .badRequest, "a schema can only be imported into development; deploy it to production")
        }
        let change = SchemaChange(kind: .imported, name: "", by: operatorName, time: environment.now())
        return try await replaceSchema(
            of: context, by: change, expecting: shown, isTrial: isTrial
        ) { (_, _) throws(CloudError) in
            document
        }
    }

    /// Makes a context's schema what a document says, while it is certain that nobody has what goes.
    /// - Parameters:
    ///   - shown: The difference in words that there must be; nil if any will do.
    ///   - isTrial: Whether nothing is changed.
    ///   - document: Makes the document of the schema as it is; of production's, too, where the schema is development's.
    ///     It is asked again when the schema changed meanwhile.
    /// - Throws: `conflict` naming what may not go.
    func replaceSchema(
        of context: CloudContext, by change: SchemaChange, expecting shown: String? = nil, isTrial: Bool = false,
        with document: (_ schema: Schema, _ production: Schema?) throws(CloudError) -> SchemaDocument
    ) async throws(CloudError) -> SchemaDiff {
        for _ in 0..<ServiceLimits.schemaAttempts {
            let before = try await schema(of: context)
            let production: Schema? =
                context.environment == .development ? try await schema(of: context.production) : nil
            let wanted = try document(before, production)
            var after = before
            let losses = try after.replace(with: wanted)
            let diff = SchemaDiff(from: SchemaDocument(before), to: SchemaDocument(after))
            try diff.check(isStill: shown)
            if let production { try losses.checkAbsent(from: production) }
            let isDone = try await withNobodyHaving(losses, in: context) { () throws(CloudError) -> SchemaDiff? in
                if isTrial { return diff }
                return try await change.carryOut(on: schemas, context, self, ifStill: before.version) {
                    (schema) throws(CloudError) in _ = try schema.replace(with: wanted)
                }
            }
            if let isDone { return isDone }
        }
        throw CloudError(.tryAgainLater, "the schema is changing too quickly; try again", retryAfter: 1)
    }

    func checkContainer(_ context: CloudContext) async throws(CloudError) {
        let isThere: Bool
        do {
            isThere = try await directory.hasContainer(context.container)
        } catch {
            throw cloudError(from: error)
        }
        guard isThere else {
            throw CloudError(.notFound, "container '\(context.container)' does not exist")
        }
    }
}

extension CloudContext {
    /// The same container in development.
    var development: CloudContext { CloudContext(container: container, environment: .development) }
    /// The same container in production.
    var production: CloudContext { CloudContext(container: container, environment: .production) }
}

extension SchemaParts {
    /// - Throws: `conflict` naming the first part that production has.
    fileprivate func checkAbsent(from production: Schema) throws(CloudError) {
        for type in recordTypes.sorted() where production.recordTypes[type] != nil {
            throw CloudError(
                .conflict, "record type '\(type)' is in production and cannot be removed from development")
        }
        for (type, names) in fields.sorted(by: { $0.key < $1.key }) {
            for name in names.sorted() where production.recordTypes[type]?.fields[name] != nil {
                throw CloudError(
                    .conflict,
                    "field '\(name)' in record type '\(type)' is in production: it cannot be removed from "
                        + "development, and its type cannot change")
            }
        }
    }
}
