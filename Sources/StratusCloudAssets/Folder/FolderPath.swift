import Glibc

/// Where a file lies in a folder of assets.
struct FolderPath {
    private let root: String
    private let ownerDirectory: String
    /// The directory of the file.
    let directory: String
    /// The file.
    let file: String

    init(root: String, owner: AssetOwner, file: AssetFileID) {
        self.root = root
        let name = Self.hex(file.bytes)
        ownerDirectory = "\(root)/\(Self.hex(owner.bytes))"
        directory = "\(ownerDirectory)/\(name.prefix(2))"
        self.file = "\(directory)/\(name)"
    }

    /// Makes the directories above the file, durably.
    func makeDirectories() throws(AssetStoreError) {
        if try Self.makeDirectory(ownerDirectory) { try Self.synchronize(root) }
        if try Self.makeDirectory(directory) { try Self.synchronize(ownerDirectory) }
    }

    /// - Returns: whether it was not there.
    @discardableResult
    static func makeDirectory(_ path: String) throws(AssetStoreError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw AssetStoreError(system: errno, while: "creating the directory \(path)") }
        return false
    }

    /// Makes the names in a directory durable.
    static func synchronize(_ directory: String) throws(AssetStoreError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetStoreError(system: errno, while: "opening \(directory)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AssetStoreError(system: errno, while: "syncing \(directory)") }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
