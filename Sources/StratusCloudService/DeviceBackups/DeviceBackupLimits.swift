/// Limits of device backups. The documentation quotes this file.
public enum DeviceBackupLimits {
    /// Devices that one account backs up.
    public static let devicesPerAccount = 100
    /// Bytes of a device's name.
    public static let deviceNameLength = 64
    /// Bytes of a pack of data: 256 MiB. restic makes packs of 16 MiB, and of 128 MiB at most.
    public static let packSize: Int64 = 256 << 20
    /// Bytes of an index, or of a snapshot: 64 MiB.
    public static let indexSize: Int64 = 64 << 20
    /// Bytes of the configuration, a key or a lock: 64 KiB.
    public static let smallFileSize: Int64 = 65_536
    /// Files that a list reads at a time.
    static let listedPerStep = 1_000
    /// Files that one transaction removes of a deleted backup.
    static let removedPerStep = 500
}
