/// What a migration has in its working directory. Nothing else in there is touched.
struct MigrationFiles {
    let directory: String

    private static let stateName = "state.json"
    private static let reportName = "report.json"
    private static let assetsName = "assets"

    /// How far it is.
    var state: String { "\(directory)/\(Self.stateName)" }
    /// What could not be carried.
    var report: String { "\(directory)/\(Self.reportName)" }
    /// The bytes of assets.
    var assets: String { "\(directory)/\(Self.assetsName)" }

    /// The name of the records of a part, counted from 1.
    static func records(_ number: Int) -> String { "records-\(number).jsonl" }

    /// Makes sure that the directory is a migration's, or nobody's.
    /// - Returns: how far the migration is; nil if none has begun.
    /// - Throws: ``ToolError`` if there is something and no readable state of a migration.
    @discardableResult
    func check() throws(ToolError) -> MigrationState? {
        if let state = try MigrationState.read(state) { return state }
        let others = try DirectoryTree.names(in: directory).filter { $0 != WorkLock.name && !Self.isTemporary($0) }
        guard let other = others.min() else { return nil }
        throw .usage(
            "\(directory) is not empty (it has '\(other)') and belongs to no migration; name another directory "
                + "for --work"
        )
    }

    /// Removes what a migration has made, its state last: until then the directory can be told from others.
    func remove() throws(ToolError) {
        let names = try DirectoryTree.names(in: directory).filter(Self.isOwn)
        for name in names.sorted(by: { $1 == Self.stateName && $0 != $1 }) {
            let path = "\(directory)/\(name)"
            DirectoryTree.remove(path)
            guard try !DirectoryTree.names(in: directory).contains(name) else {
                throw ToolError("cannot remove \(path): \(DataDirectory.systemMessage())")
            }
        }
    }

    private static func isOwn(_ name: String) -> Bool {
        [stateName, reportName, assetsName].contains(name) || isTemporary(name)
            || name.wholeMatch(of: /records-[1-9][0-9]*\.jsonl/) != nil
    }

    /// What a crash leaves of a file that was about to be replaced.
    private static func isTemporary(_ name: String) -> Bool {
        name.wholeMatch(of: /(state|report)\.json\.[0-9]+/) != nil
    }
}
