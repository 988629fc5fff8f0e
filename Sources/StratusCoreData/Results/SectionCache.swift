import Foundation
import Glibc

/// The sections of a controller's results in a file, so that a later controller need not read the values of all objects.
struct SectionCache: Equatable {
    struct Section: Codable {
        let name: String
        let count: Int
    }

    private struct Content: Codable {
        /// The fetch and the state of the stores that the sections are of.
        let key: String
        let sections: [Section]
    }

    private let file: URL
    private let key: String

    /// Makes the cache of a name. Nil if the results do not follow from files alone, or have no sections.
    init?(_ name: String?, _ settings: FetchSettings, _ keyPath: String?, _ context: NSManagedObjectContext) {
        guard let name, let keyPath, context.parent == nil, context.queryGenerationToken == nil,
            let entity = try? context.entity(of: settings), let key = Self.key(settings, entity, keyPath, context)
        else { return nil }
        file = Self.file(of: name)
        self.key = key
    }

    /// Returns the number of objects in each section; nil if the file does not exist or is of another fetch or state.
    func read() -> [Section]? {
        guard let data = try? Data(contentsOf: file),
            let content = try? PropertyListDecoder().decode(Content.self, from: data), content.key == key
        else { return nil }
        return content.sections
    }

    /// Writes the sections. Without the file, the next controller reads the values again.
    func write(_ sections: [ResultSections.Section]) {
        let content = Content(
            key: key, sections: sections.map { Section(name: $0.name, count: $0.objects.count) })
        guard let data = try? PropertyListEncoder().encode(content) else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? data.write(to: file, options: .atomic)
    }

    /// Deletes the file of a name; all files for nil.
    static func delete(_ name: String?) {
        try? FileManager.default.removeItem(at: name.map { file(of: $0).deletingLastPathComponent() } ?? folder)
    }

    /// Apple's path in the folder for caches, below one of the program's own.
    private static var folder: URL {
        let caches =
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return caches.appendingPathComponent(ProcessInfo.processInfo.processName)
            .appendingPathComponent(".CoreDataCaches/SectionInfoCaches")
    }

    private static func file(of name: String) -> URL {
        // A name may contain characters that paths cannot.
        let safe = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return folder.appendingPathComponent(safe).appendingPathComponent("sectionInfo")
    }

    private static func key(
        _ settings: FetchSettings, _ entity: NSEntityDescription, _ keyPath: String, _ context: NSManagedObjectContext
    ) -> String? {
        guard let coordinator = context.coordinator,
            let plan = try? FetchPlan(settings, entity, .keys)
        else { return nil }
        var parts = [
            keyPath, entity.name ?? "", entity.versionHash.base64EncodedString(),
            settings.predicate?.predicateFormat ?? "",
            "\(plan.sortKeys) \(settings.limit) \(settings.offset) \(settings.includesSubentities)",
        ]
        for store in coordinator.persistentStores where store.contains(entity) {
            guard !store.rows.isInMemory, let path = store.url?.path else { return nil }
            parts.append("\(store.identifier ?? "") \(state(of: path)) \(state(of: path + "-wal"))")
        }
        return parts.joined(separator: "\n")
    }

    /// The file system's facts about a file, which change with each save.
    private static func state(of path: String) -> String {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_size > 0 else { return "-" }
        return "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
    }
}
