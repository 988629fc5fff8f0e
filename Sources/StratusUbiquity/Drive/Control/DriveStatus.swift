/// How far the container of an agent is synchronized.
package struct DriveStatus: Codable, Hashable, Sendable {
    /// Whether the server answered when it was last asked.
    package var isOnline: Bool
    /// The person who is signed in.
    package var account: String
    /// The identifier of the container.
    package var container: String
    /// The path of the folder on this device.
    package var directory: String
    /// How many changes have still to go up or come down.
    package var pending: Int
    /// How many items are in conflict.
    package var conflicts: Int
    /// How many items the container has.
    package var items: Int
    /// How many bytes their contents have.
    package var bytes: Int64
    /// Folders that are not selected, and so not on this device.
    package var deselected: [String]
    /// Directories that the system does not watch; nil if it watches all of them.
    package var unwatched: Int?
    /// Folders whose disks are not mounted, and that are left as they were; nil if all are mounted.
    package var unmounted: [String]?
    /// Contents that go up or come down now.
    package var transfers: [DriveTransfer]
    /// Items that could not be synchronized, and are tried again.
    package var failures: [DriveFailedItem]

    package init(
        isOnline: Bool, account: String, container: String, directory: String, pending: Int = 0, conflicts: Int = 0,
        items: Int = 0, bytes: Int64 = 0, deselected: [String] = [], transfers: [DriveTransfer] = [],
        failures: [DriveFailedItem] = []
    ) {
        self.isOnline = isOnline
        self.account = account
        self.container = container
        self.directory = directory
        self.pending = pending
        self.conflicts = conflicts
        self.items = items
        self.bytes = bytes
        self.deselected = deselected
        self.transfers = transfers
        self.failures = failures
    }
}

/// A content on its way between this device and the server.
package struct DriveTransfer: Codable, Hashable, Sendable {
    package var path: String
    /// Whether the content goes to the server; false if it comes from there.
    package var isUpload: Bool
    /// How many bytes have arrived.
    package var done: Int64
    /// How many bytes there are.
    package var total: Int64

    package init(path: String, isUpload: Bool, done: Int64, total: Int64) {
        self.path = path
        self.isUpload = isUpload
        self.done = done
        self.total = total
    }
}

/// An item that could not be synchronized, and why.
package struct DriveFailedItem: Codable, Hashable, Sendable {
    package var path: String
    package var error: DriveError

    package init(path: String, error: DriveError) {
        self.path = path
        self.error = error
    }
}
