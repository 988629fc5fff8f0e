import Foundation

/// Directories that are one document to the user.
///
/// Apple's systems know them by their type. Linux has no such types, so a directory is a package if its extension is
/// one of the well-known ones or declared by the program, or if it was marked: `FileWrapper` and `UIDocument` mark the
/// directories with an extension that they write.
enum FilePackage {
    /// The extended attribute of marked packages.
    static let attribute = "user.org.stratus.package"

    /// Extensions of the packages that Apple's applications and systems make.
    private static let wellKnown: Set<String> = [
        "app", "bundle", "framework", "key", "numbers", "pages", "photoslibrary", "playground", "playgroundbook",
        "rtfd",
        "scptd", "sparsebundle", "wdgt", "xcassets", "xcdatamodeld", "xcodeproj", "xcworkspace",
    ]

    /// The extensions that the program's `Info.plist` declares as packages in `CFBundleDocumentTypes`.
    private static let declared: Set<String> = {
        let types = Bundle.main.infoDictionary?["CFBundleDocumentTypes"] as? [[String: Any]] ?? []
        let packages = types.filter { $0["LSTypeIsPackage"] as? Bool == true }
        return Set(packages.flatMap { $0["CFBundleTypeExtensions"] as? [String] ?? [] }.map { $0.lowercased() })
    }()

    /// Whether there is a directory at a path that is a package.
    static func isPackage(_ path: String) -> Bool {
        if declared.contains((path as NSString).pathExtension.lowercased()) { return isDirectory(path) }
        return isPackageToAll(path)
    }

    /// Whether there is a directory at a path that is a package whatever the program declares, so that all programs that
    /// may synchronize it agree.
    static func isPackageToAll(_ path: String) -> Bool {
        let fileExtension = (path as NSString).pathExtension.lowercased()
        guard !fileExtension.isEmpty else { return false }
        if wellKnown.contains(fileExtension) { return isDirectory(path) }
        return ExtendedAttributes.value(of: attribute, at: path) != nil && isDirectory(path)
    }

    /// Marks a directory with an extension as a package. File systems without extended attributes keep no marks.
    static func mark(_ path: String) {
        guard !(path as NSString).pathExtension.isEmpty else { return }
        _ = ExtendedAttributes.set(attribute, to: [1], at: path)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}
