import StratusCloudServer

/// All that an import was asked to do.
struct ImportPlan: Sendable {
    /// How the file is written.
    enum Format: String, CaseIterable, Sendable {
        case jsonl, csv

        /// The format that a file's name tells.
        init?(fileName: String) {
            let name = fileName.lowercased()
            if name.hasSuffix(".csv") {
                self = .csv
            } else if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") || name.hasSuffix(".json") {
                self = .jsonl
            } else {
                return nil
            }
        }
    }

    var file: String
    var format: Format
    /// nil for record dictionaries, which have their own.
    var recordType: String?
    var database: ControlDatabase
    /// nil takes the zone that a record dictionary names, and the default zone for everything else.
    var zone: String?
    var rules: ColumnRules
    /// Where the types in ``rules`` come from, by column.
    var sources: [String: TypeSource] = [:]
    /// Where the bytes of the assets are that rows name.
    var assets: AssetDirectory
    var restarts: Bool

    /// What a progress file must agree in, beside the content of the file.
    var identity: String {
        "\(format.rawValue)|\(recordType ?? "")|\(database)|\(zone ?? "")|\(rules.nameColumn ?? "")"
            + (rules.restoresHistory ? "" : "|new")
    }
}
