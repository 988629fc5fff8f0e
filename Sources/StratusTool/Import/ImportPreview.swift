import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// What an import would do, found out by reading the whole file and saving nothing.
struct ImportPreview {
    /// A field that the rows have.
    struct Column: Encodable, Hashable, Sendable {
        var recordType: String
        var name: String
        /// In the words of the schema language.
        var type: String
        var from: TypeSource
        /// The first value.
        var example: String
        /// The type that the schema has, where it is another one.
        var conflictsWith: String?
    }

    /// What is printed.
    struct Report: Encodable, Hashable, Sendable {
        /// Rows that can be made records of.
        var rows = 0
        var badRows = 0
        var columns: [Column] = []
        var newRecordTypes: [String] = []
        /// By record type.
        var newFields: [String: [String]] = [:]
        var newZones: [String] = []
        /// Assets of which no bytes are in the directory of assets.
        var missingAssets = 0
        /// Whether the context takes no new record types and fields by saving.
        var needsDeployment = false

        /// Whether an import would save every row, as far as that can be told without saving.
        var isClean: Bool {
            badRows == 0 && !needsDeployment && columns.allSatisfy { $0.conflictsWith == nil }
        }
    }

    private let plan: ImportPlan
    private let known: FieldTypes
    private let zones: Set<String>
    private var report = Report()
    /// Indices into the report's columns, by record type and name.
    private var positions: [[String]: Int] = [:]

    /// - Parameter zones: The zones that there are.
    init(_ plan: ImportPlan, known: FieldTypes, zones: Set<String>) {
        self.plan = plan
        self.known = known
        self.zones = zones
    }

    /// Reads all rows, and reports bad ones to `output`. Blocks.
    mutating func read(_ file: FileReader, _ output: Output) throws(ToolError) -> Report {
        var rows = try plan.rows(of: file, digest: try file.digest(), from: nil)
        while let row = try rows.next() {
            switch row.content {
            case .failure(let error):
                report.badRows += 1
                output.rowFailure(line: row.line, reason: error.reason)
            case .success(let content):
                report.rows += 1
                add(content)
            }
        }
        report.newRecordTypes.sort()
        report.newZones.sort()
        report.needsDeployment =
            plan.database.context.environment == CloudEnvironment.production.rawValue
            && !(report.newRecordTypes.isEmpty && report.newFields.isEmpty)
        return report
    }

    private mutating func add(_ content: ImportRow.Content) {
        if !zones.contains(content.zone), !report.newZones.contains(content.zone) {
            report.newZones.append(content.zone)
        }
        guard let recordType = content.input.recordType else { return }
        if !known.contains(recordType), !report.newRecordTypes.contains(recordType) {
            report.newRecordTypes.append(recordType)
        }
        for (name, field) in content.input.fields {
            report.missingAssets += field.value.assetsWithoutReceipt.count { !plan.assets.contains($0) }
            guard !field.value.isNull, positions[[recordType, name]] == nil else { continue }
            positions[[recordType, name]] = report.columns.count
            report.columns.append(column(name, field, recordType))
        }
    }

    private mutating func column(_ name: String, _ field: FieldInput, _ recordType: String) -> Column {
        let schema = known.types(of: recordType)[name]
        if schema == nil { report.newFields[recordType, default: []].append(name) }
        // JSON that declares nothing becomes what the schema says.
        let type = field.declaredType?.fieldType ?? schema ?? field.value.likelyType
        let isFromSchema = schema != nil && field.declaredType == nil
        let isOther = schema.map { $0.scalar != type.scalar || $0.isList != type.isList } ?? false
        return Column(
            recordType: recordType, name: name, type: type.schemaName,
            from: plan.sources[name] ?? (plan.rules.locations.contains { $0.field == name } ? .option : nil)
                ?? (isFromSchema ? .schema : .file),
            example: field.value.example, conflictsWith: isOther ? schema?.schemaName : nil)
    }
}

extension DeclaredType {
    /// The type that is declared; nil for a list that does not say of what.
    fileprivate var fieldType: FieldType? {
        switch self {
        case .scalar(let type): FieldType(type)
        case .list(let type): type.map { FieldType($0, isList: true) }
        }
    }
}

extension InputValue {
    /// The type that a value shows by its form.
    fileprivate var likelyType: FieldType {
        switch self {
        case .null, .text: FieldType(.string)
        case .boolean, .integer: FieldType(.int64)
        case .decimal, .largeInteger: FieldType(.double)
        case .scalar(let value): FieldType(value.type)
        case .list(let members): FieldType(members.first?.likelyType.scalar ?? .string, isList: true)
        }
    }

    /// Characters of an example.
    private static let exampleLength = 40

    /// The value in one short line.
    fileprivate var example: String {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        return line.count <= Self.exampleLength ? line : String(line.prefix(Self.exampleLength)) + "…"
    }

    private var text: String {
        switch self {
        case .null: ""
        case .boolean(let flag): String(flag)
        case .integer(let number): String(number)
        case .decimal(let number), .largeInteger(let number): String(number)
        case .text(let text): text
        case .scalar(let value): CellText.text(.scalar(value))
        case .list(let members): "[" + members.map(\.text).joined(separator: ", ") + "]"
        }
    }
}
