import Foundation
import Glibc

/// The files of attributes that allow external storage, beside the store file, where Apple's Core Data has them:
/// `.NAME_SUPPORT/_EXTERNAL_DATA`.
struct ExternalFiles: Hashable, Sendable {
    /// Data of more bytes is kept in a file of its own.
    static let threshold = 102_400

    private let directory: URL

    /// The files of a store; nil for a store without a file.
    init?(store path: String) {
        guard path != ":memory:" else { return nil }
        let store = URL(fileURLWithPath: path)
        directory = Self.support(of: store).appendingPathComponent("_EXTERNAL_DATA")
    }

    /// The directory with all that belongs to a store file.
    static func support(of store: URL) -> URL {
        store.deletingLastPathComponent()
            .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// Writes data to a new file, which is on the disk when this returns.
    /// - Returns: The name of the file.
    func write(_ data: Data) throws -> String {
        let name = UUID().uuidString
        try write(data, as: name)
        return name
    }

    /// Writes the file under another name first, so that one with this name is always complete.
    private func write(_ data: Data, as name: String) throws {
        let draft = name + Self.draftEnding
        do {
            let isNew = !FileManager.default.fileExists(atPath: directory.path)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try data.write(to: directory.appendingPathComponent(draft))
            try synchronize(draft)
            try rename(draft, to: name)
            for changed in ["."] + (isNew ? ["..", "../.."] : []) { try synchronize(changed) }
        } catch {
            unlink(directory.appendingPathComponent(draft).path)
            let isFull = (error as? POSIXError)?.code == .ENOSPC || (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw StoreFailure(isFull ? .diskFull : .inputOutput, "writing external data: \(error)")
        }
    }

    private func rename(_ draft: String, to name: String) throws {
        let (source, target) = (directory.appendingPathComponent(draft), directory.appendingPathComponent(name))
        guard Glibc.rename(source.path, target.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    private func synchronize(_ name: String) throws {
        let descriptor = open(directory.appendingPathComponent(name).path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Returns the data of a file, read from the disk when it is used; nil if the file does not exist, or no longer.
    func data(_ name: String) throws -> Data? {
        // A name from a damaged store must not lead elsewhere.
        guard UUID(uuidString: name) != nil else {
            throw StoreFailure(.damaged, "the name of a file with external data is not a UUID")
        }
        do {
            return try Data(contentsOf: directory.appendingPathComponent(name), options: .mappedIfSafe)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw StoreFailure(.damaged, "the external data \(name) cannot be read: \(error)")
        }
    }

    /// Copies files to those of another store. Files that do not exist are left out: their rows are damaged already.
    /// - Returns: The names of those that the other store did not have.
    func copy(_ names: Set<String>, to other: ExternalFiles) throws -> [String] {
        var copied: [String] = []
        do {
            for name in names where size(name) != nil && size(name) != other.size(name) {
                guard let data = try data(name) else { continue }
                try other.write(data, as: name)
                copied.append(name)
            }
        } catch {
            other.remove(copied)
            throw error
        }
        return copied
    }

    private func size(_ name: String) -> Int? {
        let path = directory.appendingPathComponent(name).path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    /// Removes files that no row refers to. One that stays takes only room.
    func remove(_ names: some Sequence<String>) {
        for name in names where UUID(uuidString: name) != nil {
            unlink(directory.appendingPathComponent(name).path)
        }
    }

    private static let draftEnding = ".new"
}

/// The place of data that may be external, in its column.
enum ExternalData: Hashable {
    case inColumn(Data)
    /// The name of the file.
    case inFile(String)

    private static let columnMark: UInt8 = 1
    private static let fileMark: UInt8 = 2

    /// Reads a column; nil if it has neither form.
    init?(_ bytes: [UInt8]) {
        switch bytes.first {
        case Self.columnMark: self = .inColumn(Data(bytes.dropFirst()))
        case Self.fileMark:
            // Apple's Core Data ends the name with a NUL.
            guard let name = String(validating: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self) else { return nil }
            self = .inFile(name)
        default: return nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .inColumn(let data): [Self.columnMark] + data
        case .inFile(let name): [Self.fileMark] + Array(name.utf8) + [0]
        }
    }
}
