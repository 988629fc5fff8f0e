import StratusCloudModel
import StratusCloudServer
import StratusCloudWire
import StratusCommandLine

/// `stratus query`
enum QueryCommand {
    private static let type = Option.required("type", .string("recordType"), help: "The record type")
    private static let filter = Option.repeated(
        "filter", .string("field OPERATOR value"),
        help: "A condition, such as 'population > 1000000', 'name BEGINS_WITH Ber' or "
            + "'location NEAR 52.5,13.4 within 100km'; all must hold")
    private static let sort = Option.repeated(
        "sort", .string("field [desc]"), help: "A sort key; 'field near latitude,longitude' sorts by distance")
    private static let fields = Option.repeated("field", .string("name"), help: "Only these fields of the records")
    private static let limit = Option.value(
        "limit", .integer(1...1_000_000), default: 200, help: "The maximum number of records")
    private static let allZones = Option.flag("all-zones", help: "Queries all zones instead of one")
    private static let explain = Option.flag(
        "explain", help: "Runs the query, and prints how it was run instead of the records")

    static func command(_ output: Output) -> Command {
        Command(
            "query", summary: "Finds records, one line of JSON each",
            discussion:
                "The schema determines the type of each filter value: 42 is text in a text field, and 2026-01-31 is a "
                + "date in a date field. Values can be quoted with single or double quotation marks: \"name = 'New "
                + "York'\". Bytes are written in base64, references as record names. The system fields are "
                + "recordName, createdTimestamp, modifiedTimestamp, createdUserRecordName and modifiedUserRecordName.",
            options: TargetOptions.all
                + [type, filter, sort, fields, limit, TargetOptions.zone, allZones, explain],
            output: output
        ) { context, values throws(ToolError) in
            let database = try values.controlDatabase()
            let request = try request(values)
            var filters: [FilterExpression] = []
            for text in values[filter] { filters.append(try FilterExpression(text)) }
            try await context.withOperator { [request, filters] operation throws(ToolError) in
                var request = request
                let types = filters.isEmpty ? FieldTypes() : try await FieldTypes(of: database.context, operation)
                for filter in filters {
                    request.query.filters.append(try filter.filter(types: types.types(of: values[type])))
                }
                let run = QueryRun(database: database, request: request, limit: values[limit])
                if values[explain] {
                    try write(try await run.explanation(operation), to: context.output)
                } else {
                    let (records, isComplete) = try await run.records(operation)
                    write(records, isComplete, to: context.output)
                }
            }
            return .success
        }
    }

    private static func request(_ values: Values) throws(ToolError) -> QueryRecordsRequest {
        var query = Query(recordType: values[type])
        for text in values[sort] { query.sorts.append(try SortExpression.parse(text)) }
        let zone = values[TargetOptions.zone]
        guard zone == nil || !values[allZones] else { throw .usage("give either --zone or --all-zones") }
        return QueryRecordsRequest(
            query: query, zoneID: zone.map { ZoneID(zoneName: $0) }, zoneWide: values[allZones],
            desiredKeys: values[fields].isEmpty ? nil : values[fields])
    }

    private static func write(_ records: [Record], _ isComplete: Bool, to output: Output) {
        guard output.isJSON else {
            for record in records { output.bytes(RecordLine.encode(record) + [UInt8(ascii: "\n")]) }
            if !isComplete { output.note("there are more records; see --limit") }
            return
        }
        output.bytes(Array(#"{"records":["#.utf8))
        for (index, record) in records.enumerated() {
            output.bytes((index > 0 ? [UInt8(ascii: ",")] : []) + RecordLine.encode(record))
        }
        output.bytes(Array("],\"complete\":\(isComplete)}\n".utf8))
    }

    private static func write(_ explanation: ControlExplanation, to output: Output) throws(ToolError) {
        let ranges = explanation.ranges.map { "  \($0)" }.joined(separator: "\n")
        try output.result(
            explanation,
            text: """
                plan:
                \(explanation.plan.map { "  \($0)" }.joined(separator: "\n"))
                ranges:
                \(ranges)
                keys read: \(explanation.keysRead)
                records read: \(explanation.recordsRead)
                records returned: \(explanation.recordsReturned)
                """)
    }
}
