import FoundationEssentials
import Glibc
import StratusCloudServer

/// Writes everything about a person into a new directory.
struct PersonExport {
    struct Count {
        var environments = 0
        var records = 0
        var assets = 0
    }

    private let email: String
    private let directory: String

    /// Makes the directory.
    init(email: String, directory: String) throws(ToolError) {
        guard mkdir(directory, 0o700) == 0 else {
            throw ToolError("cannot create the directory \(directory): \(DataDirectory.systemMessage())")
        }
        self.email = email
        self.directory = directory
    }

    func run(_ operation: any Operator) async throws(ToolError) -> Count {
        guard case .person(let person) = try await operation.perform(.person(.describe(email: email))) else {
            throw .unexpectedAnswer
        }
        try write(person, to: "account.json")
        var count = Count()
        for place in person.environments {
            let path = "\(place.container)/\(place.environment)"
            for folder in [place.container, path] where mkdir("\(directory)/\(folder)", 0o700) != 0 && errno != EEXIST {
                throw ToolError("cannot create \(directory)/\(folder): \(DataDirectory.systemMessage())")
            }
            let context = ControlContext(container: place.container, environment: place.environment)
            try await writePlaces(context, to: path, operation)
            count.environments += 1
            let assets = try AssetExporter(directory: "\(directory)/\(path)/assets")
            for scope in ["private", "public"] {
                let exporter = RecordExporter(
                    database: ControlDatabase(context: context, scope: scope, email: email), recordType: nil, zone: nil,
                    assets: assets, isOwn: scope == "public")
                let sink = try ExportSink(path: "\(directory)/\(path)/\(scope).jsonl", output: .standard)
                let done = try await exporter.run(operation, into: sink)
                try sink.finish()
                count.records += done.records
                count.assets += done.assets
            }
        }
        return count
    }

    private func writePlaces(
        _ context: ControlContext, to path: String, _ operation: any Operator
    ) async throws(ToolError) {
        let request = ControlPersonRequest.places(email: email, context: context)
        guard case .personPlaces(let places) = try await operation.perform(.person(request)) else {
            throw .unexpectedAnswer
        }
        try write(places.devices, to: "\(path)/devices.json")
        try write(places.changeTokens, to: "\(path)/change-tokens.json")
        try write(text: places.zones, to: "\(path)/zones.json")
        try write(text: places.sharedZones, to: "\(path)/shared-zones.json")
        try write(text: "[\(places.shares.joined(separator: ",\n"))]", to: "\(path)/shares.json")
        let subscriptions = places.subscriptions.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        try write(text: "{\(subscriptions.joined(separator: ",\n"))}", to: "\(path)/subscriptions.json")
    }

    private func write(_ value: some Encodable, to name: String) throws(ToolError) {
        let bytes: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            bytes = try encoder.encode(value)
        } catch {
            throw ToolError("\(name) cannot be written as JSON: \(error)")
        }
        try AtomicFile.write(Array(bytes) + [UInt8(ascii: "\n")], to: "\(directory)/\(name)")
    }

    private func write(text: String, to name: String) throws(ToolError) {
        try AtomicFile.write(Array((text + "\n").utf8), to: "\(directory)/\(name)")
    }
}
