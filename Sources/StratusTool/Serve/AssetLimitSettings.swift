import StratusCloudAssets
import StratusCloudService
import StratusCloudWire
import StratusCommandLine

/// The limits of assets that `stratus serve` takes from the command line and the configuration file.
struct AssetLimitSettings: Sendable {
    var size: Int64?
    var unsavedUploads: Int?
    var unsavedBytes: Int64?
    var uploadAddressMinutes: Int?
    var uploadHours: Int?
    var downloadAddressMinutes: Int?
    var unusedHours: Int?
    var diskReserve: Int64?

    /// These limits, and those of `other` where these say nothing.
    func completed(by other: AssetLimitSettings) -> AssetLimitSettings {
        AssetLimitSettings(
            size: size ?? other.size, unsavedUploads: unsavedUploads ?? other.unsavedUploads,
            unsavedBytes: unsavedBytes ?? other.unsavedBytes,
            uploadAddressMinutes: uploadAddressMinutes ?? other.uploadAddressMinutes,
            uploadHours: uploadHours ?? other.uploadHours,
            downloadAddressMinutes: downloadAddressMinutes ?? other.downloadAddressMinutes,
            unusedHours: unusedHours ?? other.unusedHours, diskReserve: diskReserve ?? other.diskReserve)
    }

    /// What the service is made with.
    var limits: AssetLimits {
        var limits = AssetLimits()
        if let size { limits.assetSize = size }
        if let unsavedUploads { limits.pendingUploads = unsavedUploads }
        if let unsavedBytes { limits.pendingBytes = unsavedBytes }
        if let uploadAddressMinutes { limits.uploadAddressLifetime = Int64(uploadAddressMinutes) * Self.minute }
        if let uploadHours { limits.uploadLifetime = Int64(uploadHours) * Self.hour }
        if let downloadAddressMinutes { limits.downloadAddressLifetime = Int64(downloadAddressMinutes) * Self.minute }
        if let unusedHours { limits.graceTime = Int64(unusedHours) * Self.hour }
        return limits
    }

    /// Bytes of the disk that uploads leave free.
    var reservedSpace: Int64 { diskReserve ?? FolderAssets.reservedSpace }

    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute
}

extension AssetLimitSettings {
    /// What the size of an asset may be limited to: a byte to a tebibyte.
    static let sizes: ClosedRange<Int64> = 1...1 << 40
    /// What the number of unsaved uploads may be; each upload that begins looks at all of its account's.
    static let uploadCounts = 1...100_000
    /// Minutes that an upload may be begun in: up to a day.
    static let uploadAddressTimes = 1...1_440
    /// Hours that an upload may go on: up to thirty days.
    static let uploadTimes = 1...720
    /// Minutes that an address to fetch bytes from may be good: up to a week.
    static let downloadAddressTimes = 1...10_080
    /// Hours that bytes may be kept without a record: up to a year.
    static let unusedTimes = 0...8_760

    private enum Options {
        private static let defaults = AssetLimits()

        static let size = Option.optional(
            "max-asset", .byteCount(sizes), help: "Bytes of an asset; \(defaults.assetSize >> 30)G by default")
        static let unsavedUploads = Option.optional(
            "max-unsaved-uploads", .integer(uploadCounts),
            help: "Uploads of an account in a database that no record uses yet; \(defaults.pendingUploads) by default")
        static let unsavedBytes = Option.optional(
            "max-unsaved-bytes", .byteCount(1...Int64.max),
            help: "Total bytes of such uploads; \(defaults.pendingBytes >> 30)G by default")
        static let uploadAddressMinutes = Option.optional(
            "upload-address-minutes", .integer(uploadAddressTimes, placeholder: "minutes"),
            help: "How long an upload address is valid; \(defaults.uploadAddressLifetime / minute) by default")
        static let uploadHours = Option.optional(
            "upload-hours", .integer(uploadTimes, placeholder: "hours"),
            help:
                "How long an upload may take, and how long its receipt is valid; \(defaults.uploadLifetime / hour) by "
                + "default")
        static let downloadAddressMinutes = Option.optional(
            "download-address-minutes", .integer(downloadAddressTimes, placeholder: "minutes"),
            help:
                "How long a download address is valid; \(defaults.downloadAddressLifetime / minute) by default")
        static let unusedHours = Option.optional(
            "unused-asset-hours", .integer(unusedTimes, placeholder: "hours"),
            help: "How long assets are kept that no record uses any more; \(defaults.graceTime / hour) by "
                + "default. Must be longer than a backup takes")
        static let diskReserve = Option.optional(
            "asset-disk-reserve", .byteCount(0...Int64.max),
            help: "Bytes of disk space that uploads leave free; \(FolderAssets.reservedSpace >> 20)M by default")
    }

    static let options: [any ParameterDeclaring] = [
        Options.size, Options.unsavedUploads, Options.unsavedBytes, Options.uploadAddressMinutes, Options.uploadHours,
        Options.downloadAddressMinutes, Options.unusedHours, Options.diskReserve,
    ]

    /// The limits that were typed.
    init(_ values: Values) {
        self.init(
            size: values[Options.size], unsavedUploads: values[Options.unsavedUploads],
            unsavedBytes: values[Options.unsavedBytes], uploadAddressMinutes: values[Options.uploadAddressMinutes],
            uploadHours: values[Options.uploadHours], downloadAddressMinutes: values[Options.downloadAddressMinutes],
            unusedHours: values[Options.unusedHours], diskReserve: values[Options.diskReserve])
    }

    /// Takes a member of the configuration file; false if there is no limit of that name.
    mutating func set(_ name: String, _ value: JSONReader) throws -> Bool {
        switch name {
        case "max-asset": size = try LimitSettings.bytes(value, Self.sizes)
        case "max-unsaved-uploads": unsavedUploads = try LimitSettings.number(value, Self.uploadCounts)
        case "max-unsaved-bytes": unsavedBytes = try LimitSettings.bytes(value, 1...Int64.max)
        case "upload-address-minutes": uploadAddressMinutes = try LimitSettings.number(value, Self.uploadAddressTimes)
        case "upload-hours": uploadHours = try LimitSettings.number(value, Self.uploadTimes)
        case "download-address-minutes":
            downloadAddressMinutes = try LimitSettings.number(value, Self.downloadAddressTimes)
        case "unused-asset-hours": unusedHours = try LimitSettings.number(value, Self.unusedTimes)
        case "asset-disk-reserve": diskReserve = try LimitSettings.bytes(value)
        default: return false
        }
        return true
    }
}
