import Foundation
import StratusCommandLine
import StratusCoreDataMirroring

/// `stratus mirror`
enum MirrorCommand {
    private static let file = Positional.required(
        "file", .file, help: "The file of a store, such as notes.sqlite")
    private static let object = Positional.optional(
        "object", .string("object"),
        help: "The URI of an object, its entity and key as Note/12, or the name of its record")
    private static let waiting = Option.flag("waiting", help: "Lists what waits to be sent")
    private static let limit = Option.optional(
        "limit", .integer(1...1_000_000),
        help: "The most events, or changes that wait, that are listed; 10 events and 1,000 changes by default")

    static func command(_ output: Output) -> Command {
        Command(
            "mirror", summary: "Shows how a store of Core Data is mirrored in the cloud",
            discussion:
                "Shows the account, how much of the history has been noted, zones, tokens, and the last events; with "
                + "--waiting what waits to be sent; with an object its record as the cloud had it last. The file is "
                + "not changed, and programs may have it open. 'stratus query' and 'stratus record' show what the "
                + "cloud has now.",
            options: [waiting, limit], positionals: [file, object], output: output
        ) { context, values throws(ToolError) in
            guard !values[waiting] || values[object] == nil else {
                throw .usage("--waiting is for the whole store: leave out the object")
            }
            let path = values[file]
            if let text = values[object] {
                let report = MirroredObjectReport(try reading(path) { try $0.object(text) })
                try context.output.result(report, text: report.text)
            } else if values[waiting] {
                let found = try reading(path) { try $0.waiting(limit: values[limit] ?? 1_000) }
                try context.output.result(
                    MirrorWaitingReport(waiting: found.map(MirroredRecordReport.init)),
                    text: MirroredRecordReport.text(found))
            } else {
                let found = try reading(path) { try $0.overview(events: values[limit] ?? 10) }
                try context.output.result(MirrorReport(found), text: MirrorReport.text(found))
            }
            return .success
        }
    }

    private static func reading<Value>(
        _ path: String, _ body: (MirrorInspection) throws -> Value
    ) throws(ToolError) -> Value {
        do {
            return try MirrorInspection.reading(path, body)
        } catch let error as MirrorInspectionError {
            throw ToolError("\(path): \(error)", code: error.code)
        } catch {
            let code = code(of: error as NSError)
            let reason = (code == "NOT_A_STORE" ? "not a store of Core Data: " : "") + error.localizedDescription
            throw ToolError("\(path): \(reason)", code: code)
        }
    }

    private static func code(of error: NSError) -> String {
        switch CocoaError.Code(rawValue: error.code) {
        case _ where error.domain != NSCocoaErrorDomain: "FAILED"
        case .fileReadNoSuchFile: "NOT_FOUND"
        case .fileReadCorruptFile: "NOT_A_STORE"
        default: "FAILED"
        }
    }
}

extension MirrorInspectionError {
    fileprivate var code: String {
        switch self {
        case .notMirrored: "NOT_MIRRORED"
        case .otherVersion: "OTHER_VERSION"
        case .otherStore: "BAD_REQUEST"
        case .unknown: "NOT_FOUND"
        }
    }
}
