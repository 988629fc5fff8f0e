import Foundation

/// Whether a file or directory, with everything in it, is left out of backups.
///
/// It is an extended attribute, named as on Apple's systems within what Linux lets users set. As there, a file that is
/// written anew with `Data.WritingOptions.atomic` does not have it any more.
enum BackupExclusion {
    /// The name of the attribute.
    static let attribute = "user.com.apple.metadata.com_apple_backup_excludeItem"
    /// The value that Apple's systems write. Any value excludes an item.
    private static let value = Array("com.apple.backupd".utf8)

    static func isExcluded(_ path: String) -> Bool { ExtendedAttributes.value(of: attribute, at: path) != nil }

    /// - Throws: where there is no file, it is not the user's, or its file system has no extended attributes.
    static func set(_ isExcluded: Bool, at path: String) throws {
        let failure = ExtendedAttributes.set(attribute, to: isExcluded ? value : nil, at: path)
        if failure != 0 { throw CoordinationDirectory.error(failure, path) }
    }
}
