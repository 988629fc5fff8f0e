import Foundation
import StratusCommandLine
import StratusUbiquity

/// The container that a command of `stratus drive` is about, and its agent.
struct DriveTarget: Sendable {
    static let container = Option.optional(
        "container", .string("identifier"), help: "The container; that of your sign-in by default")
    static let paths = Positional.repeated(
        "path", .file,
        help: "Files or folders, from the working directory if that is in the container, else from the "
            + "container's directory")
    static let path = Positional.required("path", .file, help: "The file, as for 'stratus drive download'")

    let container: UbiquityContainer
    let agent: DriveConnection

    init(_ values: Values) throws(ToolError) {
        guard let account = UbiquityAccount.current() else {
            throw ToolError("nobody is signed in; sign in with 'stratus login'", code: "AUTHENTICATION_REQUIRED")
        }
        guard let identifier = values[Self.container] ?? account.containers.first else {
            throw .usage("no container is known; give --container")
        }
        guard let container = UbiquityContainer(identifier, of: account) else {
            throw .usage("'\(identifier)' is not the identifier of a container")
        }
        self.container = container
        agent = DriveConnection(container)
    }

    /// The container with the directory that an option names, which all programs find from then on.
    func container(at directory: String?) throws(ToolError) -> UbiquityContainer {
        guard let directory else { return container }
        return try ask { () throws(DriveError) in try container.moved(to: directory) }
    }

    /// The path in the container of an argument.
    func path(_ argument: String) throws(ToolError) -> String {
        try ask { () throws(DriveError) in
            try container.relativePath(of: argument, from: FileManager.default.currentDirectoryPath)
        }
    }

    /// The paths in the container of arguments, of which there must be one at least.
    func paths(_ arguments: [String]) throws(ToolError) -> [String] {
        guard !arguments.isEmpty else { throw .usage("give one path or more") }
        var paths: [String] = []
        for argument in arguments { paths.append(try path(argument)) }
        return paths
    }

    private func ask<Result>(_ body: () throws(DriveError) -> Result) throws(ToolError) -> Result {
        do throws(DriveError) { return try body() } catch { throw ToolError(error) }
    }

    /// Asks the agent.
    func ask<Result: Sendable>(
        _ body: (DriveConnection) async throws(DriveError) -> Result
    ) async throws(ToolError) -> Result {
        do throws(DriveError) { return try await body(agent) } catch { throw ToolError(error) }
    }
}

extension ToolError {
    /// Describes a refusal by the agent of a container.
    init(_ error: DriveError) {
        let code =
            switch error.code {
            case .noSuchFile, .noSuchVersion: "NOT_FOUND"
            case .fileExists, .agentExists: "EXISTS"
            case .invalidName: "BAD_REQUEST"
            case .noPermission: "ACCESS_DENIED"
            case .outOfSpace: "OUT_OF_SPACE"
            case .unavailable: "UNAVAILABLE"
            case .overQuota: "QUOTA_EXCEEDED"
            case .serverNotAvailable: "UNREACHABLE"
            case .noAgent: "NO_AGENT"
            case .notUploaded: "NOT_UPLOADED"
            case .cancelled: Self.interruptedCode
            case .failed: "FAILED"
            }
        self.init(error.path.map { $0.isEmpty ? error.text : "\($0): \(error.text)" } ?? error.text, code: code)
    }
}
