import Foundation
import StratusModelCode
import StratusModelFiles

// The tool of the build plugins:
//   stratus-model-tool classes <model> <source> <copy>    writes the classes of a model, and the model as a resource
//   stratus-model-tool port <source> <copy>               copies a source with what Linux does not have replaced

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}

func writeClasses(of model: URL, to source: URL, copyingTo copy: URL) throws {
    let package = try ModelPackage(at: model)
    let version = package.current
    let text = try ModelClasses.source(of: package.read(version), file: version.contents.path)
    try Data(text.utf8).write(to: source)
    try ModelResource.write(package, to: copy)
}

func port(_ source: URL, to copy: URL) throws {
    let text = try String(contentsOf: source, encoding: .utf8)
    try Data(SourcePort.ported(text, path: source.path).utf8).write(to: copy)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let files = arguments.dropFirst().map { URL(fileURLWithPath: $0) }
do {
    switch (arguments.first, files.count) {
    case ("classes", 3): try writeClasses(of: files[0], to: files[1], copyingTo: files[2])
    case ("port", 2): try port(files[0], to: files[1])
    default: fail("usage: stratus-model-tool classes <model> <source> <copy> | port <source> <copy>")
    }
} catch let error as ModelFileError {
    fail("\(error)")
} catch {
    fail("\(arguments.dropFirst().first ?? ""): error: \(error.localizedDescription)")
}
