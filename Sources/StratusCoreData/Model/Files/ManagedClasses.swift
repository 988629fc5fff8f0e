import Foundation

/// Finds classes by the names that models have for them.
///
/// Models leave out the module, because an Objective-C class such as `@objc(Item)` has none, or name that of Xcode's
/// product. On Linux the name of a class always begins with its module, for which the place of the model gives hints. A
/// model in code has no place; its classes are in the program or in a module with resources beside it.
enum ManagedClasses {
    private static let modulesBesideProgram = ModelResources.folders(of: .main).flatMap(modules)

    /// Returns the class of objects with a name, in one of the modules if the name does not lead to one; nil if none is
    /// loaded.
    static func named(_ name: String, modules: [String]) -> NSManagedObject.Type? {
        candidates(name, modules).lazy.compactMap { NSClassFromString($0) as? NSManagedObject.Type }.first
    }

    /// Returns the class of a transformable attribute's values.
    static func ofValues(of attribute: NSAttributeDescription) -> AnyClass? {
        guard let name = attribute.attributeValueClassName else { return nil }
        let modules = attribute.entity?.managedObjectModel?.modules ?? []
        return candidates(name, modules).lazy.compactMap { NSClassFromString($0) }.first ?? ArchivedClasses.named(name)
    }

    private static func candidates(_ name: String, _ modules: [String]) -> [String] {
        let short = name.split(separator: ".").last.map(String.init) ?? name
        let program = identifier(ProcessInfo.processInfo.processName)
        return [name] + (modules + [program] + modulesBesideProgram).map { "\($0).\(short)" }
    }

    /// Returns the modules whose classes a model may have. Resources of a package's module are in a folder with the
    /// names of the package and the module, `Package_Module.resources`; both may have underscores.
    static func modules(of model: URL) -> [String] {
        let parts = model.standardizedFileURL.pathComponents.filter {
            $0.hasSuffix(".resources") || $0.hasSuffix(".bundle")
        }
        return parts.flatMap { folder -> [String] in
            let words = (folder as NSString).deletingPathExtension.split(
                separator: "_", omittingEmptySubsequences: false)
            return words.indices.dropFirst().map { identifier(words[$0...].joined(separator: "_")) }
        }
    }

    /// Returns the name of the module of a target.
    private static func identifier(_ target: String) -> String {
        String(target.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}
