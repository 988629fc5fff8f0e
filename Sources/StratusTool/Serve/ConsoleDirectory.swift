import Glibc

/// Where the files of the console's pages are.
enum ConsoleDirectory {
    /// Beside an installed program: `bin/stratus` and `share/stratus/console`.
    private static let installed = "share/stratus/console"
    /// Below the project's folder, for a program that was built in it.
    private static let source = "Sources/Console/Files"
    private static let page = "index.html"

    /// The directory that is named, or else the one that belongs to this program; nil if there is none.
    /// - Throws: a usage error if the one that is named has no console in it.
    static func find(named directory: String?) throws(ToolError) -> String? {
        if let directory {
            guard isReadable(directory + "/" + page) else {
                throw .usage("console-files: cannot read \(page) in \(directory)")
            }
            return directory
        }
        return program().flatMap(find(for:))
    }

    /// The directory that belongs to the program at this path.
    static func find(for program: String) -> String? {
        var folder = parent(of: program)
        if let above = folder.flatMap(parent(of:)), isReadable("\(above)/\(installed)/\(page)") {
            return "\(above)/\(installed)"
        }
        while let current = folder {
            if isReadable("\(current)/\(source)/\(page)") { return "\(current)/\(source)" }
            folder = parent(of: current)
        }
        return nil
    }

    /// The path of this program, links resolved.
    private static func program() -> String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), path != "/" else { return nil }
        return slash == path.startIndex ? "" : String(path[..<slash])
    }

    private static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
}
