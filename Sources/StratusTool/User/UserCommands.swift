import StratusCloudServer
import StratusCommandLine

/// `stratus user …`
enum UserCommands {
    private struct Exported: Encodable {
        var user: String
        var directory: String
        var environments: Int
        var records: Int
        var assets: Int
    }

    private struct Erased: Encodable {
        var user: String
        var erased: ControlErasure
    }

    private enum PublicRecords: String, CaseIterable, Sendable { case keep, delete }

    private static let user = Positional.required(
        "user", .string("address"), help: "The e-mail address that the person signs in with")
    private static let output = Option.required(
        "output", .directory, help: "The directory to write, which the command creates")
    private static let publicRecords = Option.value(
        "public-records", ValueKind<PublicRecords>.choice(placeholder: "what"), default: .keep,
        help: "What happens to the records that the person saved in public databases")
    private static let yes = Option.flag("yes", help: "Does not ask for confirmation")

    static func command(_ output: Output) -> Command {
        Command(
            "user", summary: "Exports or erases everything about a person",
            subcommands: [export(output), erase(output)],
            hints: [
                "create": "'stratus account create' creates an account",
                "list": "'stratus account list' lists accounts",
                "delete": "'stratus user erase' erases a person", "remove": "'stratus user erase' erases a person",
            ])
    }

    private static func export(_ output: Output) -> Command {
        Command(
            "export", summary: "Writes everything about a person into a directory",
            discussion:
                "account.json describes the account. Each container and environment has a directory with the records "
                + "of the private database and the records that the person created in the public one (JSON lines, as "
                + "'stratus export' writes them), the bytes of their assets, zones, shares, zones that others share "
                + "with the person, subscriptions and devices. Fields that an app encrypted stay encrypted: only the "
                + "person's devices have the keys.",
            options: [Self.output], positionals: [user], output: output
        ) { context, values throws(ToolError) in
            try context.checkData()
            let directory = DataDirectory(path: values[Self.output]).path
            let export = try PersonExport(email: values[user], directory: directory)
            let done = try await context.withOperator { operation throws(ToolError) in
                try await export.run(operation)
            }
            try context.output.result(
                Exported(
                    user: values[user], directory: directory, environments: done.environments, records: done.records,
                    assets: done.assets),
                text: "exported \(done.records) records and \(done.assets) assets of \(values[user]) to \(directory)")
            return .success
        }
    }

    private static func erase(_ output: Output) -> Command {
        Command(
            "erase", summary: "Erases a person with their data, shares, devices and account",
            discussion:
                "Deletes the private data in all containers, with assets, subscriptions and devices. Stops the shares "
                + "that the person owns, leaves the shares of others, ends all sessions and deletes the account. "
                + "Records in public databases are kept, unless you give '--public-records delete'. Records that the "
                + "person saved in other people's zones are kept, too. Kept records no longer identify the person. "
                + "Existing backups do not change.\n\n"
                + "This cannot be undone. Use 'stratus user export' first if you need the data. If the command is "
                + "interrupted, run it again; the server also continues when it next starts.",
            options: [publicRecords, yes], positionals: [user], output: output
        ) { context, values throws(ToolError) in
            let email = values[user]
            if !values[yes] {
                try Confirmation.ask(
                    "This permanently erases \(email) and all their data.", expecting: email, context)
            }
            let request = ControlPersonRequest.erase(
                email: email, deletesPublicRecords: values[publicRecords] == .delete)
            guard case .erased(let erased) = try await context.perform(.person(request)) else {
                throw .unexpectedAnswer
            }
            let kept = erased.keptRecords
            try context.output.result(
                Erased(user: email, erased: erased),
                text: "erased \(email): \(erased.zones) zones, \(erased.assetFiles) asset files, "
                    + "\(erased.publicRecords) public records; left \(erased.participations) shared zones; "
                    + "\(erased.sessions) sessions ended")
            if !kept.isEmpty {
                context.output.note(
                    "public records that could not be deleted because other records refer to them: "
                        + "\(kept.joined(separator: ", "))"
                )
            }
            return .success
        }
    }
}
