import Foundation
import StratusModelFiles

extension NSManagedObjectModel {
    /// Reads a model from a file: an `.xcdatamodeld` or a `.momd`, of which the current version counts, an
    /// `.xcdatamodel` or a `.mom`. Returns nil for a file that cannot be read; ``init(reading:)`` throws the reason.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(reading: url)
        } catch {
            return nil
        }
    }

    /// Reads a model as ``init(contentsOf:)`` does. Apple has no such initializer.
    /// - Throws: An error whose description names the file, the element, the line and the reason.
    public convenience init(reading url: URL) throws {
        try self.init(ModelVersions(at: url).current)
    }

    convenience init(_ version: ModelVersions.Version) throws(ModelFileError) {
        try self.init(try version.document(), file: version.file.path)
        versionFolders = [version.folder]
        modules = ManagedClasses.modules(of: version.file)
        for entity in entities {
            if let hash = version.hashes[entity.name ?? ""] { entity.record(versionHash: hash) }
        }
    }

    /// Makes the descriptions of a model that was read.
    /// - Parameter file: The path of the file, for errors.
    convenience init(_ document: ModelDocument, file: String) throws(ModelFileError) {
        self.init()
        var builder = ModelBuilder(document, file: file)
        try builder.build(into: self)
    }
}
