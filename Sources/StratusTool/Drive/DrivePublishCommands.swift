import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusCommandLine
import StratusUbiquity

/// `stratus drive publish` and its counterparts: links to files as they are, for everybody who has them.
enum DrivePublishCommands {
    private static let path = Positional.required("path", .file, help: "The file")
    private static let publication = Positional.required(
        "publication", .string("publication"), help: "The publication, as 'stratus drive published' prints it")
    private static let shortest = FileLimits.shortestPublication / 1_000
    private static let longest = FileLimits.longestPublication / 1_000
    private static let expires = Option.optional(
        "expires", .duration(shortest...longest), help: "The time after which the link leads nowhere; 7d by default")

    static func commands(_ output: Output) -> [Command] { [publish(output), published(output), unpublish(output)] }

    private struct Publication: Encodable {
        var publication: String
        var recordName: String
        var name: String
        var size: Int64
        var created: String
        var expires: String
        /// Known only when the file has just been published.
        var link: String?

        init(_ file: FilePublication) {
            publication = file.id
            recordName = file.recordName
            name = file.name
            size = file.size
            created = DateText.text(file.created)
            expires = DateText.text(file.expires)
            link = file.url?.absoluteString
        }

        var line: String { "\(publication)  until \(expires)  \(size)  \(TerminalText.shown(name))" }
    }

    private struct Publications: Encodable {
        var publications: [Publication]
    }

    private struct Ended: Encodable {
        var unpublished: String
    }

    private static func publish(_ output: Output) -> Command {
        Command(
            "publish", summary: "Makes a link with which everybody can download a file as it is now",
            discussion: "The link is printed once, and does not follow later changes of the file.",
            options: [DriveTarget.container, expires], positionals: [path], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try target.path(values[path])
            let record = try await target.record(of: path)
            let lifetime = values[expires].map { TimeInterval($0) }
            let file = try await target.cloud { cloud in
                try await cloud.publishFile(record.recordName, lifetime: lifetime)
            }
            guard let link = file.url?.absoluteString else { throw .unexpectedAnswer }
            context.output.note("expires: \(DateText.text(file.expires))\npublication: \(file.id)")
            try context.output.result(Publication(file), text: link)
            return .success
        }
    }

    private static func published(_ output: Output) -> Command {
        Command(
            "published", summary: "Lists the files that you have published", options: [DriveTarget.container],
            output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let files = try await target.cloud { cloud in try await cloud.filePublications() }
                .map { Publication($0) }
            try context.output.list(
                Publications(publications: files), files.map(\.line), empty: "nothing is published")
            return .success
        }
    }

    private static func unpublish(_ output: Output) -> Command {
        Command(
            "unpublish", summary: "Ends the link of a published file", options: [DriveTarget.container],
            positionals: [publication], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let id = values[publication]
            try await target.cloud { cloud in try await cloud.endPublication(id) }
            try context.output.result(Ended(unpublished: id), text: "the link leads nowhere now")
            return .success
        }
    }
}

extension DriveTarget {
    /// Asks the server, as the person whose files the agent synchronizes.
    fileprivate func cloud<Result: Sendable>(
        _ body: (CKContainer) async throws -> Result
    ) async throws(ToolError) -> Result {
        do {
            return try await body(CKContainer(identifier: container.identifier))
        } catch {
            throw ToolError(DriveError(error))
        }
    }
}
