import Foundation
import PackagePlugin

/// Compiles copies of the sources that a target excludes and that import Core Data, with `@NSManaged`, `@objc` and
/// `#keyPath` replaced by what Linux has.
@main struct CoreDataSourcesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "stratus-model-tool").url
        let compiled = Set(module.sourceFiles.map { $0.url.standardizedFileURL.path })
        let folder = module.directoryURL
        var names: Set<String> = []
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().compactMap { path in
            let source = folder.appendingPathComponent(path)
            guard source.pathExtension == "swift", !compiled.contains(source.standardizedFileURL.path),
                try String(contentsOf: source, encoding: .utf8).contains("import CoreData")
            else { return nil }
            // Names are unique in a module, whatever the folders are. `A/B.swift` and `A-B.swift` differ by a number.
            let base = path.replacingOccurrences(of: "/", with: "-").dropLast(".swift".count)
            var name = "\(base)+Ported.swift"
            var number = 1
            while !names.insert(name).inserted {
                number += 1
                name = "\(base)+Ported\(number).swift"
            }
            let copy = context.pluginWorkDirectoryURL.appendingPathComponent(name)
            return .buildCommand(
                displayName: "Porting \(path)", executable: tool, arguments: ["port", source.path, copy.path],
                inputFiles: [source], outputFiles: [copy])
        }
    }
}
