import Glibc
import StratusCFiles
import StratusUbiquity

/// What a backup leaves out: caches, temporary files, and what is marked.
enum BackupExclusions {
    /// The extended attribute that marks an item as excluded from backups, whatever its value: Apple's name of it, in the
    /// namespace that users may write to. It is of the file and not of its name, so a program that replaces a file, as most
    /// do when they save, sets it again afterwards, or marks the folder.
    static let attribute = "user.com.apple.metadata.com_apple_backup_excludeItem"

    /// Names of files that programs make for a moment.
    static let temporaryNames = ["*.tmp", "*~", ".~lock.*#", ".#*"]

    /// Folders that are left out wherever they lie in what is backed up.
    static func folders() throws(ToolError) -> [String] {
        var folders = ["/tmp", "/var/tmp"] + ["TMPDIR", "XDG_RUNTIME_DIR"].compactMap(UserDirectories.absolute)
        let data = try UserDirectories.data()
        // Items of iCloud containers are in the cloud already.
        folders += [try UserDirectories.cache(), data + "/Trash", data + "/stratus/ubiquity"]
        folders += UbiquityContainer.chosenDirectories()
        folders.append(try BackupSettings.directory())
        return folders
    }

    /// The lines of a file of patterns for restic.
    /// - Parameter sources: absolute paths. What is asked for by its own name is not left out for where it lies.
    static func patterns(in sources: [String]) throws(ToolError) -> [UInt8] {
        var lines = temporaryNames.map { Array($0.utf8) }
        let folders = try folders().map { Array($0.utf8) }
        func contains(_ folder: [UInt8], _ source: String) -> Bool {
            (Array(source.utf8) + [slash]).starts(with: folder + [slash])
        }
        let left = folders.filter { folder in !sources.contains { contains(folder, $0) } }
        lines += left.map(escaped)
        for source in sources { marked(below: Array(source.utf8), except: Set(left)) { lines.append(escaped($0)) } }
        return Array(lines.joined(separator: [newline])) + [newline]
    }

    private static let slash = UInt8(ascii: "/")
    private static let newline = UInt8(ascii: "\n")

    /// Finds marked items. What cannot be read is passed over: restic says so.
    private static func marked(below source: [UInt8], except folders: Set<[UInt8]>, _ found: ([UInt8]) -> Void) {
        var rest = [source]
        while let path = rest.popLast() {
            let text = path.map { CChar(bitPattern: $0) } + [0]
            if lgetxattr(text, attribute, nil, 0) >= 0 {
                found(path)
                continue
            }
            var status = stat()
            guard lstat(text, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, !folders.contains(path) else {
                continue
            }
            for name in names(in: text) { rest.append((path.last == slash ? path : path + [slash]) + name) }
        }
    }

    /// Names as bytes, which need not be UTF-8.
    private static func names(in path: [CChar]) -> [[UInt8]] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    /// A pattern that matches this path alone. restic expands variables in a line and cuts white space off its ends, and a
    /// line cannot hold a line break, for which any character stands.
    static func escaped(_ path: [UInt8]) -> [UInt8] {
        var pattern: [UInt8] = []
        for byte in path {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"):
                pattern += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "$"): pattern += [byte, byte]
            case UInt8(ascii: " "), UInt8(ascii: "\t"): pattern += [UInt8(ascii: "["), byte, UInt8(ascii: "]")]
            case newline, UInt8(ascii: "\r"): pattern.append(UInt8(ascii: "?"))
            default: pattern.append(byte)
            }
        }
        return pattern
    }
}
