import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// One of the values that say what a command works on.
enum TargetPart: String, CaseIterable, Sendable {
    case container, environment, database, email

    /// The environment variable that stands for the option.
    var variable: String { "STRATUS_\(rawValue.uppercased())" }

    fileprivate var stored: KeyPath<StoredContext, String?> {
        switch self {
        case .container: \.container
        case .environment: \.environment
        case .database: \.database
        case .email: \.email
        }
    }

    /// Checks a value, which may not come from an option that has done so.
    fileprivate func check(_ value: String, from source: String) throws(ToolError) {
        let isFine =
            switch self {
            case .container: ContainerIdentifier(value) != nil
            case .environment: CloudEnvironment(rawValue: value) != nil
            case .database: TargetOptions.Scope(rawValue: value) != nil
            case .email: !value.isEmpty
            }
        guard !isFine else { return }
        throw .usage("'\(value)', the \(rawValue) of \(source), is not \(expectation)")
    }

    private var expectation: String {
        switch self {
        case .container: "a container; containers begin with 'iCloud.'"
        case .environment: "an environment: development or production"
        case .database: "a database: public or private"
        case .email: "an e-mail address"
        }
    }
}

/// A value and where it comes from.
struct ResolvedPart: Hashable, Sendable {
    var value: String
    /// nil for the command line.
    var source: String?
}

extension Values {
    /// Returns what a command works on: the option, else the environment variable, else the stored context.
    /// - Throws: a usage error for a variable or context whose value cannot be used.
    func resolved(_ part: TargetPart) throws(ToolError) -> ResolvedPart? {
        if let value = option(part) { return ResolvedPart(value: value) }
        if let value = SignInOptions.variable(part.variable) {
            try part.check(value, from: part.variable)
            return ResolvedPart(value: value, source: part.variable)
        }
        let data = DataDirectory(path: self[ToolContext.Common.data] ?? DataDirectory.defaultPath)
        guard let value = try ContextFile()?.read(data)[keyPath: part.stored] else { return nil }
        try part.check(value, from: "the context")
        return ResolvedPart(value: value, source: "the context")
    }

    /// The value of the part's option.
    private func option(_ part: TargetPart) -> String? {
        switch part {
        case .container: self[ifDeclared: TargetOptions.container] ?? nil
        case .environment: (self[ifDeclared: TargetOptions.environment] ?? nil)?.rawValue
        case .database: (self[ifDeclared: TargetOptions.database] ?? nil)?.rawValue
        case .email: self[ifDeclared: TargetOptions.email] ?? nil
        }
    }

    private func required(_ part: TargetPart) throws(ToolError) -> String {
        guard let resolved = try resolved(part) else {
            throw .usage(
                "--\(part.rawValue) is missing; give it, set \(part.variable), or run "
                    + "'stratus context set --\(part.rawValue) …'")
        }
        return resolved.value
    }

    /// The container that the command works on.
    var container: String {
        get throws(ToolError) { try required(.container) }
    }

    /// The container and environment that the command works on.
    var context: ControlContext {
        get throws(ToolError) { ControlContext(container: try container, environment: try required(.environment)) }
    }

    /// The container, and an environment that is development unless something says otherwise.
    var contextOrDevelopment: ControlContext {
        get throws(ToolError) {
            ControlContext(container: try container, environment: try environmentOrDevelopment)
        }
    }

    /// The environment; development unless something says otherwise.
    var environmentOrDevelopment: String {
        get throws(ToolError) { try resolved(.environment)?.value ?? CloudEnvironment.development.rawValue }
    }

    /// Returns the database that the command works on.
    func controlDatabase() throws(ToolError) -> ControlDatabase {
        let context = try self.context
        let scope = try required(.database)
        let email = try resolved(.email)?.value
        guard scope == TargetOptions.Scope.public.rawValue || email != nil else {
            throw .usage("the private database needs --email: the account whose database it is")
        }
        return ControlDatabase(context: context, scope: scope, email: email)
    }

    /// Returns what a command that changes something says it works on; nil where the command line names all of it.
    func targetNote() throws(ToolError) -> String? {
        var parts: [String] = []
        var sources: [String] = []
        for part in TargetPart.allCases where isDeclared(part) {
            guard let resolved = try resolved(part) else { continue }
            parts.append("\(part.rawValue) \(resolved.value)")
            if let source = resolved.source, !sources.contains(source) { sources.append(source) }
        }
        return sources.isEmpty
            ? nil : "using \(parts.joined(separator: ", ")) (from \(sources.joined(separator: " and ")))"
    }

    private func isDeclared(_ part: TargetPart) -> Bool {
        switch part {
        case .container: self[ifDeclared: TargetOptions.container] != nil
        case .environment: self[ifDeclared: TargetOptions.environment] != nil
        case .database: self[ifDeclared: TargetOptions.database] != nil
        case .email: self[ifDeclared: TargetOptions.email] != nil
        }
    }
}
