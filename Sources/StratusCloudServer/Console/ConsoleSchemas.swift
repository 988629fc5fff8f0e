import StratusCloudModel
import StratusCloudService

/// The schema: looking, changing it in development, bringing it to production.
enum ConsoleSchemas {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/schema", .team(.seeSchema), show),
        ConsoleRoute("POST", "c/:container/:environment/schema/validate", .team(.seeSchema), validate),
        ConsoleRoute("POST", "c/:container/development/schema/import", .team(.changeSchema), importText),
        ConsoleRoute("GET", "c/:container/schema/diff", .team(.seeSchema), diff),
        ConsoleRoute("POST", "c/:container/schema/deploy", .team(.deploySchema), deploy),
        ConsoleRoute("GET", "c/:container/:environment/schema/history", .team(.seeSchema), history),
        ConsoleRoute("POST", "c/:container/:environment/schema/rollback", .team(.rollBackSchema), rollBack),
        ConsoleRoute("POST", "c/:container/development/schema/reset", .team(.resetDevelopment), reset),
        ConsoleRoute("GET", "c/:container/:environment/schema/indexes", .team(.seeSchema), indexes),
    ]

    private static func show(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let schema = try await call.service.schemaDescription(of: try call.context())
        return ConsoleAnswer([
            "text": .string(schema.text), "types": .array(schema.recordTypes.map(json)),
            "roles": ConsoleJSON(schema.roles),
        ])
    }

    private static func json(_ type: SchemaDescription.RecordType) -> ConsoleJSON {
        [
            "name": .string(type.name),
            "fields": .array(
                type.fields.map { field in
                    [
                        "name": .string(field.name), "type": .string(field.type),
                        "encrypted": .boolean(field.isEncrypted), "queryable": .boolean(field.isQueryable),
                        "sortable": .boolean(field.isSortable), "searchable": .boolean(field.isSearchable),
                        "system": .boolean(field.isSystem),
                    ]
                }),
            "grants": .object(type.grants.map { ($0.role, ConsoleJSON($0.permissions)) }),
        ]
    }

    /// Says what a text would change; a text that is no schema is an answer, too.
    private static func validate(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let text = try call.body().text("text")
        if let mistake = CloudService.schemaMistake(in: text) { return unreadable(mistake) }
        let context = try call.context()
        // An import is tried by holding saves up for a moment, which is not for those who only look.
        let mayImport = call.role.map { DeveloperAct.changeSchema.isAllowed(to: $0, in: context.environment) } ?? false
        return try change(
            context.environment == .development && mayImport
                ? try await call.service.importSchema(text, to: context, by: try call.by(), isTrial: true)
                : try await call.service.schemaDiff(of: context, to: text))
    }

    private static func importText(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let text = try call.body().text("text")
        if let mistake = CloudService.schemaMistake(in: text) {
            var answer = unreadable(mistake)
            answer.status = 400
            return answer
        }
        return try change(
            try await call.service.importSchema(
                text, to: try call.context(), by: try call.by(), expecting: try call.body().optionalText("expecting")))
    }

    private static func unreadable(_ mistake: SchemaMistake) -> ConsoleAnswer {
        ConsoleAnswer([
            "changes": [], "text": "", "reason": .string(mistake.message),
            "error": [
                "line": ConsoleJSON(mistake.line), "column": ConsoleJSON(mistake.column),
                "expected": ConsoleJSON(mistake.expected), "message": .string(mistake.message),
            ],
        ])
    }

    private static func change(_ diff: SchemaDiff) throws(CloudError) -> ConsoleAnswer {
        try ConsoleAnswer(encoding: ControlSchemaChange(diff))
    }

    /// What the page of deployments shows.
    private struct Plan: Encodable {
        var changes: [ControlSchemaChange.Change]
        /// What a deployment gives back in `expecting`.
        var text: String
        var kept: [ControlSchemaChange.Change]
        /// Why a deployment would be refused.
        var obstacle: String?
    }

    private static func diff(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let plan = try await call.service.plannedDeployment(of: try call.container())
        let change = ControlSchemaChange(plan.diff)
        return try ConsoleAnswer(
            encoding: Plan(
                changes: change.changes, text: change.text, kept: ControlSchemaChange(plan.kept).changes,
                obstacle: plan.obstacle?.reason))
    }

    private static func deploy(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let deployment = try await call.service.deploySchema(
            of: try call.container(), named: try body.optionalText("name") ?? "", by: try call.by(),
            expecting: try body.optionalText("expecting"), isTrial: try body.member("dryRun")?.boolean() ?? false)
        return try ConsoleAnswer(
            encoding: ControlSchemaChange(deployment.diff, recordsToIndex: deployment.recordsToIndex))
    }

    private struct History: Encodable {
        var history: [ControlHistoryEntry]
    }

    private static func history(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try ConsoleAnswer(
            encoding: History(
                history: try await call.service.schemaHistory(of: try call.context()).map(ControlHistoryEntry.init)))
    }

    private static func rollBack(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let number = try call.body().required("number").integer()
        guard number > 0 else { throw CloudError(.badRequest, "number must be positive") }
        return try change(
            try await call.service.rollBackSchema(
                of: try call.context(), change: UInt64(number), by: try call.by()))
    }

    private static func reset(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let container = try call.container()
        guard try call.body().text("confirm") == container.rawValue else {
            throw CloudError(
                .badRequest, "confirm must be the container's identifier: the data of all users is deleted")
        }
        try await call.service.resetDevelopment(of: container, by: try call.by())
        return .done
    }

    private struct Indexes: Encodable {
        var indexes: [ControlIndex]
    }

    private static func indexes(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try ConsoleAnswer(
            encoding: Indexes(
                indexes: try await call.service.indexes(of: try call.context()).map(ControlIndex.init)))
    }
}
