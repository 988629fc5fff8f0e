import Foundation
import PackagePlugin

/// Generates the classes of each `.xcdatamodeld` in a target and makes the model a resource of it, with the name that Xcode
/// gives the compiled one.
@main struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "stratus-model-tool").url
        let models = try models(in: target.directoryURL)
        for (name, same) in Dictionary(grouping: models, by: \.lastPathComponent) where same.count > 1 {
            let paths = same.map(\.path).sorted().joined(separator: "' and '")
            Diagnostics.error("'\(paths)': a target has one resource with the name \(name)")
            return []
        }
        return try models.map { model in
            let name = model.lastPathComponent
            let source = context.pluginWorkDirectoryURL.appendingPathComponent("\(name)+Classes.swift")
            let copy = context.pluginWorkDirectoryURL
                .appendingPathComponent(model.deletingPathExtension().lastPathComponent)
                .appendingPathExtension(model.pathExtension == "xcdatamodeld" ? "momd" : "mom")
            return .buildCommand(
                displayName: "Generating the classes of \(name)", executable: tool,
                arguments: ["classes", model.path, source.path, copy.path], inputFiles: try files(in: model),
                outputFiles: [source, copy])
        }
    }

    private func models(in folder: URL) throws -> [URL] {
        var found: [URL] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let url = folder.appendingPathComponent(name)
            if ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
                found.append(url)
            } else if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                found += try models(in: url)
            }
        }
        return found
    }

    private func files(in model: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: model.path).sorted()
            .map { model.appendingPathComponent($0) }
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true }
    }
}
