/// What can be measured, by the name that the command line uses.
enum Measure: String, CaseIterable {
    case lookup
    case create
    case createMany = "create-many"
    case page
    case follower
    case start
    case idle
    case flood
    case asset
    case backup
    case webDAV = "webdav"
    case largeFile = "large-file"
    case drive
    case driveLargeFile = "drive-large-file"
    case driveIdle = "drive-idle"
    case subscriptions
    case push
    case sharing
    case sdk
    case sync
    case local
    case coreData = "core-data"
    case mirroring
    case index
    case doctor
    case soak

    func carryOut(_ bench: Bench) throws -> [Finding] {
        switch self {
        case .lookup: try LookupMeasure(bench: bench).findings()
        case .create: try CreateMeasure(bench: bench).findings()
        case .createMany: try CreateManyMeasure(bench: bench).findings()
        case .page: try PageMeasure(bench: bench).findings()
        case .follower: try FollowerMeasure(bench: bench).findings()
        case .start: try StartMeasure(bench: bench).findings()
        case .idle: try IdleMeasure(bench: bench).findings()
        case .flood: try FloodMeasure(bench: bench).findings()
        case .backup: try BackupMeasure(bench: bench).findings()
        case .webDAV: try WebDAVMeasure(bench: bench).findings()
        case .largeFile: try LargeFileMeasure(bench: bench).findings()
        case .drive: try DriveMeasure(bench: bench).findings()
        case .driveLargeFile: try DriveLargeFile(bench: bench).findings()
        case .driveIdle: try DriveIdle(bench: bench).findings()
        case .asset: try AssetMeasure(bench: bench).findings()
        case .subscriptions: try SubscriptionsMeasure(bench: bench).findings()
        case .push: try PushMeasure(bench: bench).findings()
        case .sharing: try SharingMeasure(bench: bench).findings()
        case .sdk: try SDKMeasure(bench: bench).findings()
        case .sync: try SyncMeasure(bench: bench).findings()
        case .local: try LocalMeasure(bench: bench).findings()
        case .coreData: try CoreDataMeasure(bench: bench).findings()
        case .mirroring: try MirroringMeasure(bench: bench).findings()
        case .index: try IndexMeasure(bench: bench).findings()
        case .doctor: try DoctorMeasure(bench: bench).findings()
        case .soak: try SoakMeasure(bench: bench).findings()
        }
    }
}
