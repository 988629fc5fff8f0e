import Foundation
import StratusCloudCrypto

extension NSManagedObjectModel {
    /// A text that identifies the version hashes of all entities. It differs from Apple's for the same model, which Apple
    /// does not document.
    public var versionChecksum: String { Self.versionChecksum(of: entityVersionHashesByName) }

    static func versionChecksum(of hashes: [String: Data]) -> String {
        var facts: [UInt8] = []
        for (name, hash) in hashes.sorted(by: { $0.key < $1.key }) { facts += Array(name.utf8) + [0] + Array(hash) }
        return Data(SHA256.hash(facts)).base64EncodedString()
    }
}

/// A version of a model that a staged migration uses when it comes to it.
open class NSManagedObjectModelReference: NSObject {
    private enum Place {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle?)
        case hashes([String: Data], Bundle?)
    }

    private let place: Place
    private var resolved: NSManagedObjectModel?

    /// The checksum of the version, as the program gave it. It is not compared, because Apple's is computed in another
    /// way.
    public let versionChecksum: String

    /// Refers to a model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        place = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Refers to the file of a version.
    public init(fileURL: URL, versionChecksum: String) {
        place = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Refers to a version by the name of its file; nil stands for the main bundle.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        place = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Refers to the version with some version hashes; nil stands for the main bundle.
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash { if let name = name as? String { hashes[name] = hash as? Data } }
        place = .hashes(hashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model. Stops the program if it is not found, as Apple's exception does.
    open var resolvedModel: NSManagedObjectModel {
        if let resolved { return resolved }
        guard let found = find() else {
            preconditionFailure("the model of a migration stage with the checksum '\(versionChecksum)' was not found")
        }
        resolved = found
        return found
    }

    private func find() -> NSManagedObjectModel? {
        switch place {
        case .model(let model): model
        case .file(let url): NSManagedObjectModel(contentsOf: url)
        case .name(let name, let bundle): ModelResources.version(named: name, in: bundle ?? .main)
        case .hashes(let hashes, let bundle):
            NSManagedObjectModel.mergedModel(
                from: bundle.map { [$0] }, forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
        }
    }
}

extension ModelResources {
    /// Returns the version of any model whose file has a name.
    fileprivate static func version(named name: String, in bundle: Bundle) -> NSManagedObjectModel? {
        for folder in folders(of: bundle) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for file in names.sorted().map({ folder.appendingPathComponent($0) })
            where extensions.contains(file.pathExtension) {
                let versions = (try? ModelVersions(at: file))?.all ?? []
                if let found = versions.first(where: { $0.name == name }) { return try? NSManagedObjectModel(found) }
            }
        }
        return nil
    }
}

extension ModelVersions.Version {
    /// The name of the version: that of its `.mom`, or of the `.xcdatamodel` that the file is in.
    var name: String {
        let named = file.pathExtension.isEmpty ? file.deletingLastPathComponent() : file
        return named.deletingPathExtension().lastPathComponent
    }
}
