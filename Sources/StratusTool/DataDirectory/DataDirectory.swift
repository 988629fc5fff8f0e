import Glibc
import StratusCloudCrypto
import StratusCloudServer
import StratusCloudStore

/// The directory that holds a cloud: the store, the bytes of assets, the secret key, the control socket, and the progress of imports.
struct DataDirectory: Sendable {
    /// Where data lies unless told otherwise: `$STRATUS_DATA`, or `data` in the working directory.
    static var defaultPath: String {
        if let path = getenv("STRATUS_DATA"), path[0] != 0 { String(cString: path) } else { "data" }
    }

    /// Absolute, so that what the server remembers does not depend on its working directory.
    let path: String

    init(path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
            path = String(cString: current) + "/" + path
            free(current)
        }
        self.path = path
    }

    /// What belongs to a backup beside the store.
    var files: CloudFiles {
        CloudFiles(assets: assetsDirectory, keys: ["secret.key": keyFile, "vapid.key": vapidKeyFile])
    }

    private var keyFile: String { path + "/secret.key" }
    /// What browsers' push services know the server by, unless the operator names another file.
    var vapidKeyFile: String { path + "/vapid.key" }
    /// Where the bytes of assets lie.
    var assetsDirectory: String { path + "/assets" }
    /// Where imports keep how far they came.
    var importsDirectory: String { path + "/imports" }

    /// Makes sure that there is data, or a server that has some.
    /// - Throws: ``ToolError`` if there is none, with what to do about it.
    func checkData() throws(ToolError) {
        guard StoreEngine.existing(in: path) == nil, access(ControlSocket.path(for: path), F_OK) != 0 else { return }
        throw ToolError(
            "there is no data in \(path): name the data directory with --data or $STRATUS_DATA. 'stratus serve' "
                + "creates "
                + "a new one, and so does this command with --create-data",
            code: "NO_DATA")
    }

    /// Makes the directory, with the missing ones above it, for its owner only (mode 0700).
    func create() throws(ToolError) { try Self.create(path) }

    private static func create(_ path: String) throws(ToolError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST where isDirectory(path): return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
            try create(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        default: break
        }
        throw ToolError("cannot create the directory \(path): \(systemMessage())")
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The key that signs the cloud's tokens; made when there is neither a key nor data.
    /// - Throws: ``ToolError`` if the key is missing beside existing data, or is not one.
    func secretKey() throws(ToolError) -> [UInt8] {
        if let key = try SecretKeyFile.read(keyFile) { return key }
        guard StoreEngine.existing(in: path) == nil else {
            // Another process may have made both since the first look.
            if let key = try SecretKeyFile.read(keyFile) { return key }
            throw ToolError(
                "\(keyFile) is missing, but there is data: put the file back from your backup. Without it all "
                    + "tokens, sessions and continuation markers are void; to accept that, make a new one: "
                    + "head -c \(SecretKeyFile.length) /dev/urandom > '\(keyFile)' && chmod 600 '\(keyFile)'",
                code: "NO_SECRET_KEY")
        }
        return try SecretKeyFile.create(keyFile)
    }

    /// What the system says about the last call that failed.
    static func systemMessage() -> String { String(cString: strerror(errno)) }
}
