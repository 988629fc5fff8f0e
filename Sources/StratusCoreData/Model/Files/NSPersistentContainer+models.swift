import Foundation

extension NSPersistentContainer {
    /// Makes a container for the model with the name of the container, which is a resource of the program or of one of
    /// its modules. Stops the program with the reason if no model is found or it cannot be read.
    public convenience init(name: String) {
        do {
            guard let url = ModelResources.url(named: name) else {
                preconditionFailure("no resource of the program is a model with the name '\(name)'")
            }
            self.init(name: name, managedObjectModel: try NSManagedObjectModel(reading: url))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

/// Finds models among the resources of bundles.
enum ModelResources {
    static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    /// Returns the model with a name in the main bundle or in the bundle of a module.
    static func url(named name: String) -> URL? {
        for folder in folders(of: Bundle.main) {
            for kind in extensions {
                let url = folder.appendingPathComponent(name).appendingPathExtension(kind)
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    /// Returns the folders with resources of a bundle. The resources of a package's modules are in folders beside
    /// the program.
    static func folders(of bundle: Bundle) -> [URL] {
        guard let folder = bundle.resourceURL else { return [] }
        guard bundle == Bundle.main else { return [folder] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let modules = names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted()
        return [folder] + modules.map { folder.appendingPathComponent($0) }
    }
}
