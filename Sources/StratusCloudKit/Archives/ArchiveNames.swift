import Foundation
import StratusCLibraryLoad
import StratusCoreLocation

/// The names that Apple's classes have in archives, where they stand without a module.
enum ArchiveNames {
    /// The classes whose keys are known. An archive of any other cannot be read.
    private static let classes: [(AnyClass, String)] = [
        (CKRecord.self, "CKRecord"), (CKRecordID.self, "CKRecordID"), (CKRecordReference.self, "CKReference"),
        (CKRecordZone.self, "CKRecordZone"), (CKRecordZoneID.self, "CKRecordZoneID"), (CKAsset.self, "CKAsset"),
        (CKShare.self, "CKShare"), (CKShareMetadata.self, "CKShareMetadata"),
        (CKShareParticipant.self, "CKShareParticipant"), (CKUserIdentity.self, "CKUserIdentity"),
        (CKUserIdentityLookupInfo.self, "CKUserIdentityLookupInfo"), (CKQueryCursor.self, "CKQueryCursor"),
        (CKServerChangeToken.self, "CKServerChangeToken"),
        (ArchivedValueStore.self, "CKRecordValueStore"), (ArchivedValueStore.self, "CKEncryptedRecordValueStore"),
        (ArchivedContainerID.self, "CKContainerID"), (ArchivedPersonName.self, "_NSPersonNameComponentsData"),
    ]

    /// Makes the names known to all unarchivers of the process.
    fileprivate static func register() {
        for entry in classes { NSKeyedUnarchiver.setClass(entry.0, forClassName: entry.1) }
        CLLocation.registerAppleArchiveNames()
    }
}

/// Called by StratusCLibraryLoad before the program's first statement.
@_cdecl("stratus_register_archive_names")
func registerArchiveNames() {
    ArchiveNames.register()
    // Archives turn arrays into objects by a conformance that Foundation looks for at run time. A program that has
    // Foundation linked in has it only if something names it, and writes archives without objects otherwise.
    withExtendedLifetime(([] as [Any]) as NSArray) {}
}
