import StratusCloudAssets
import StratusCloudService
import StratusCloudWire
import Testing

@testable import StratusTool

@Suite struct AssetLimitSettingsTests {
    private func settings(_ text: String) throws -> AssetLimitSettings {
        var settings = AssetLimitSettings()
        for (name, value) in try JSONReader(Array(text.utf8), limit: 4_096).members() {
            #expect(try settings.set(name, value), "\(name)")
        }
        return settings
    }

    @Test func whatIsNotSetIsAsTheServiceHasIt() {
        let (limits, defaults) = (AssetLimitSettings().limits, AssetLimits())
        #expect(limits.assetSize == defaults.assetSize && limits.pendingUploads == defaults.pendingUploads)
        #expect(limits.pendingBytes == defaults.pendingBytes && limits.graceTime == defaults.graceTime)
        #expect(limits.uploadAddressLifetime == defaults.uploadAddressLifetime)
        #expect(limits.uploadLifetime == defaults.uploadLifetime)
        #expect(limits.downloadAddressLifetime == defaults.downloadAddressLifetime)
        #expect(AssetLimitSettings().reservedSpace == FolderAssets.reservedSpace)
    }

    @Test func eachSettingReachesItsLimit() throws {
        let all = try settings(
            #"{"max-asset": "1K", "max-unsaved-uploads": 2, "max-unsaved-bytes": 3, "upload-address-minutes": 4,"#
                + #""upload-hours": 5, "download-address-minutes": 6, "unused-asset-hours": 7, "asset-disk-reserve": 8}"#
        )
        let limits = all.completed(by: AssetLimitSettings(size: 9)).limits
        #expect(limits.assetSize == 1_024 && limits.pendingUploads == 2 && limits.pendingBytes == 3)
        #expect(limits.uploadAddressLifetime == 240_000 && limits.uploadLifetime == 18_000_000)
        #expect(limits.downloadAddressLifetime == 360_000 && limits.graceTime == 25_200_000)
        #expect(all.reservedSpace == 8)
        #expect(AssetLimitSettings().completed(by: all).limits.graceTime == limits.graceTime)
    }

    @Test(
        "Threat 36: each at its edges",
        arguments: [
            ("max-asset", 1, 1 << 40), ("max-unsaved-uploads", 1, 100_000), ("max-unsaved-bytes", 1, Int64.max),
            ("upload-address-minutes", 1, 1_440), ("upload-hours", 1, 720), ("download-address-minutes", 1, 10_080),
            ("unused-asset-hours", 0, 8_760), ("asset-disk-reserve", 0, Int64.max),
        ] as [(String, Int64, Int64)])
    func edges(name: String, least: Int64, greatest: Int64) throws {
        for value in [least, greatest] { _ = try settings(#"{"\#(name)": \#(value)}"#) }
        #expect(throws: (any Error).self) { try settings(#"{"\#(name)": \#(least - 1)}"#) }
        if greatest < Int64.max {
            #expect(throws: (any Error).self) { try settings(#"{"\#(name)": \#(greatest + 1)}"#) }
        }
    }
}
