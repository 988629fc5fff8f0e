import Foundation
import StratusModelFiles

extension NSManagedObjectModel {
    /// Reads a model from a file: an `.xcdatamodeld`, of which the current version counts, or an `.xcdatamodel`. Returns
    /// nil for a file that cannot be read; ``init(reading:)`` throws the reason.
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
        let package = try ModelPackage(at: url)
        try self.init(package.read(package.current), file: package.current.contents.path)
        modules = ManagedClasses.modules(of: url)
    }

    convenience init(_ document: ModelDocument, file: String) throws(ModelFileError) {
        self.init()
        var builder = ModelBuilder(document, file: file)
        try builder.build(into: self)
    }
}
