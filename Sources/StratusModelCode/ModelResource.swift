import Foundation
import StratusModelFiles

/// The resource that a model becomes, with the names that programs look for because Xcode compiles models to them. The
/// contents of the files stay as they are in the sources.
package enum ModelResource {
    /// Writes an `.xcdatamodeld` as a `.momd` with one file for each version, or an `.xcdatamodel` as a `.mom`.
    /// - Parameter copy: The file or the folder to write. What it was before is removed.
    package static func write(_ package: ModelPackage, to copy: URL) throws {
        if FileManager.default.fileExists(atPath: copy.path) { try FileManager.default.removeItem(at: copy) }
        guard copy.pathExtension == "momd" else {
            return try FileManager.default.copyItem(at: package.current.contents, to: copy)
        }
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for version in package.versions {
            try FileManager.default.copyItem(
                at: version.contents, to: copy.appendingPathComponent(version.name + ".mom"))
        }
        let info = try PropertyListSerialization.data(
            fromPropertyList: ["NSManagedObjectModel_CurrentVersionName": package.current.name], format: .xml,
            options: 0)
        try info.write(to: copy.appendingPathComponent("VersionInfo.plist"))
    }
}
