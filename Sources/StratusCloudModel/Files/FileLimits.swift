/// Limits of files and folders. The documentation quotes this file.
public enum FileLimits {
    /// Bytes of a file's name in UTF-8, as Linux's file systems have it.
    public static let nameSize = 255
    /// Folders around an item when it is made or moved.
    public static let folderDepth = 256
    /// Items in one folder.
    public static let itemsPerFolder = 100_000
    /// Bytes of the target of a symbolic link: what Linux allows.
    public static let targetSize = 4_095
    /// Former contents that are kept of a file.
    public static let versionsPerFile = 10
    /// Former contents of a file that are in conflict, which count apart and are kept until somebody resolves that.
    public static let conflictsPerFile = 20
    /// Bytes of a device's name.
    public static let deviceNameSize = 255
    /// Milliseconds that a former content is kept: 30 days.
    public static let versionLifetime: Int64 = 30 * 24 * 60 * 60 * 1_000
    /// Milliseconds that an item stays in Recently Deleted: 30 days.
    public static let recentlyDeletedLifetime: Int64 = 30 * 24 * 60 * 60 * 1_000
    /// Properties that clients set on an item.
    public static let propertiesPerItem = 100
    /// Bytes of those properties together: 16 KiB.
    public static let propertiesSize = 16_384
    /// Items that one copy of a folder makes.
    public static let itemsPerCopy = 10_000
    /// Items in one archive of files and folders.
    public static let itemsPerArchive = 10_000
    /// Items that one request of the page of files names: a page of a list.
    public static let itemsPerRequest = itemsPerPage
    /// Numbers that a restored item tries behind its name while the name is taken.
    public static let numbersTried = 100
    /// Times that an upload looks up the file that it replaces, while other requests create and delete it.
    public static let uploadAttempts = 10
    /// Items of others that a list of what they share shows.
    public static let sharedItemsListed = 1_000
    /// Publications of one account in one container and environment.
    public static let publicationsPerAccount = 500
    /// Milliseconds that a file is published for, unless the request says otherwise: 7 days.
    public static let publicationLifetime: Int64 = 7 * 24 * 60 * 60 * 1_000
    /// Milliseconds that a file is published for at least: 1 minute.
    public static let shortestPublication: Int64 = 60 * 1_000
    /// Milliseconds that a file is published for at most: 90 days.
    public static let longestPublication: Int64 = 90 * 24 * 60 * 60 * 1_000
    /// Items in one answer of a list.
    public static let itemsPerPage = 200
}
