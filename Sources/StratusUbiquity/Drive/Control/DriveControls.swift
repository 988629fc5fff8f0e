/// What programs ask of the agent of a container. Paths are relative to the container and have no leading slash; the
/// empty path is the container itself.
///
/// An app and the commands of `stratus drive` call it, in the process that runs the agent or across a socket to it, so
/// each value that it takes or returns can be encoded.
package protocol DriveControls: Sendable {
    /// Tells how far the container is synchronized.
    func status() async throws(DriveError) -> DriveStatus

    /// Lists what is in a folder, not in the folders inside it.
    func items(in folder: String) async throws(DriveError) -> [DriveItem]

    /// Asks for the contents of an item, or of everything in a folder. Returns when they are on this device.
    func download(_ path: String) async throws(DriveError)

    /// Asks for the same, and returns before the contents are here.
    func startDownload(_ path: String) async throws(DriveError)

    /// Removes the content of an item from this device and leaves a placeholder. The server keeps the content.
    func evict(_ path: String) async throws(DriveError)

    /// Sets whether the content of an item always stays on this device.
    func setPinned(_ isPinned: Bool, _ path: String) async throws(DriveError)

    /// Sets whether a folder is on this device. Nothing is deleted elsewhere, and what is not uploaded yet stays.
    func setSelected(_ isSelected: Bool, _ path: String) async throws(DriveError)

    /// Lists the versions of a file that the server keeps beside the current one.
    func versions(of path: String) async throws(DriveError) -> [DriveVersion]

    /// Makes a former version the current one.
    func restore(_ path: String, version: String) async throws(DriveError)

    /// Lists what is in *Recently deleted*.
    func recentlyDeleted() async throws(DriveError) -> [DriveItem]

    /// Takes an item out of *Recently deleted* and returns the path that it has then.
    func restoreDeleted(_ recordName: String) async throws(DriveError) -> String

    /// Lists the items of which devices wrote contents without knowing of each other.
    func conflicts() async throws(DriveError) -> [DriveItem]

    /// Keeps one version, "current" or the identifier of one, and ends the conflict.
    func resolve(_ path: String, keeping version: String) async throws(DriveError)

    /// Synchronizes what has changed up to now. Returns when nothing is pending.
    func settle() async throws(DriveError)

    /// Returns the record that stands for an item, once it is on the server: what shares and published links refer to.
    func record(of path: String) async throws(DriveError) -> DriveRecord
}
