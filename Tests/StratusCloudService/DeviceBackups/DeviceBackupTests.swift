import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// The backups of devices: what is counted, and what is left of what breaks off or is deleted.
@Suite struct DeviceBackupTests {
    private static let ada = "ada@example.org"
    private static let password = "correct horse"

    private let device: BackupDevice
    private let file: BackupFile
    private let bytes = Array("a pack of data".utf8)

    init() throws {
        device = try #require(BackupDevice("laptop"))
        file = try #require(BackupFile(.data, name: Hex.encode(SHA256.hash(bytes))))
    }

    /// A cloud in which Ada has a device with an empty backup.
    private struct Setting {
        let assets: AssetCloud
        let holder: AppPasswordHolder
        var service: CloudService { assets.service }

        func accountHolder() async throws -> AccountHolder {
            let session = try await service.beginAccountSession(
                email: DeviceBackupTests.ada, password: DeviceBackupTests.password, source: nil)
            return try #require(try await service.accountHolder(session: session))
        }
    }

    private func setting(quota: Int64? = nil, mayDelete: Bool = false) async throws -> Setting {
        let assets = try await AssetCloud(quotas: Quotas(deviceBackups: quota))
        try await assets.service.createAccount(email: Self.ada, password: Self.password)
        let secret = try await assets.service.createAppPassword(
            named: "laptop", in: .production, mayDeleteBackups: mayDelete, email: Self.ada)
        let holder = try await assets.service.authenticate(email: Self.ada, appPassword: secret, source: "192.0.2.1")
        try await assets.service.createDeviceBackup(of: device, for: holder)
        return Setting(assets: assets, holder: holder)
    }

    private func upload(_ bytes: [UInt8], _ setting: Setting, as kind: BackupFileKind = .data) async throws {
        let file = try #require(BackupFile(kind, name: Hex.encode(SHA256.hash(bytes))))
        try await setting.service.receiveBackupFile(
            file, of: device, length: Int64(bytes.count), body: Pieces(bytes), for: setting.holder)
    }

    private func refusal(_ body: () async throws -> Void) async -> CloudError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? CloudError)?.code }
    }

    private func read(_ file: BackupFile, _ setting: Setting) async throws -> [UInt8] {
        let download = try await setting.service.downloadBackupFile(file, of: device, for: setting.holder)
        return try setting.service.bytes(of: download)
    }

    private func rows(_ setting: Setting) async throws -> Int {
        let partition = Partition.deviceBackups(of: setting.holder.account.id)
        return try await setting.service.store.read(partition) {
            try $0.entries(in: KeyRange(lower: Key(), upper: Key().afterAllWithThisPrefix), limit: .max).count
        }
    }

    /// Threat: uploads that break off, or bring other bytes, fill the disk.
    @Test func whatBreaksOffOrIsRefusedLeavesNothing() async throws {
        let setting = try await setting()
        let before = try await rows(setting)
        #expect(
            await refusal {
                try await setting.service.receiveBackupFile(
                    file, of: device, length: 100, body: Pieces(bytes, breakingOffAt: 9), for: setting.holder)
            } == .tryAgainLater)
        #expect(
            await refusal {
                try await setting.service.receiveBackupFile(
                    file, of: device, length: nil, body: Pieces(bytes + [0]), for: setting.holder)
            } == .badRequest)
        #expect(
            await refusal {
                try await setting.service.receiveBackupFile(
                    file, of: device, length: 100, body: Pieces(bytes), for: setting.holder)
            } == .badRequest)
        #expect(setting.assets.assets.files.count == 0)
        // What is marked as removed the collection forgets. The sum of the account's uploads, which is 0, stays.
        _ = try await setting.service.collectAssets()
        #expect(try await rows(setting) == before + 1)
        try await upload(bytes, setting)
        #expect(try await read(file, setting) == bytes)
    }

    @Test func equalFilesAreStoredOnceAndCounted() async throws {
        let setting = try await setting()
        try await upload(bytes, setting)
        try await upload(bytes, setting)
        #expect(setting.assets.assets.files.count == 1)
        let overview = try await setting.service.deviceBackups(of: try await setting.accountHolder())
        #expect(overview.map(\.bytes) == [Int64(bytes.count)] && overview.first?.lastBackup == nil)
        try await upload([1, 2, 3], setting, as: .snapshots)
        let after = try await setting.service.deviceBackups(of: try await setting.accountHolder())
        #expect(after.first?.lastBackup == setting.service.now && after.first?.bytes == Int64(bytes.count) + 3)
    }

    @Test func allBytesCountToTheQuotaOfTheAccount() async throws {
        let setting = try await setting(quota: Int64(bytes.count) + 2, mayDelete: true)
        let other = try #require(BackupDevice("phone"))
        try await setting.service.createDeviceBackup(of: other, for: setting.holder)
        try await upload(bytes, setting)
        #expect(await refusal { try await upload([1, 2, 3], setting) } == .quotaExceeded)
        // A body of unknown length is found out at its end.
        let three = try #require(BackupFile(.data, name: Hex.encode(SHA256.hash([1, 2, 3]))))
        #expect(
            await refusal {
                try await setting.service.receiveBackupFile(
                    three, of: other, length: nil, body: Pieces([1, 2, 3]), for: setting.holder)
            } == .quotaExceeded)
        #expect(setting.assets.assets.files.count == 1)
        try await upload([1, 2], setting)
        try await setting.service.deleteBackupFile(file, of: device, for: setting.holder)
        try await upload([1, 2, 3], setting)
    }

    @Test func anAccountBacksUpABoundedNumberOfDevices() async throws {
        let setting = try await setting()
        for number in 1..<DeviceBackupLimits.devicesPerAccount {
            try await setting.service.createDeviceBackup(
                of: try #require(BackupDevice("device-\(number)")), for: setting.holder)
        }
        let more = try #require(BackupDevice("more"))
        #expect(
            await refusal { try await setting.service.createDeviceBackup(of: more, for: setting.holder) }
                == .quotaExceeded)
        try await setting.service.createDeviceBackup(of: device, for: setting.holder)
    }

    @Test func listsComeInPages() async throws {
        let setting = try await setting()
        let total = DeviceBackupLimits.listedPerStep + 3
        for number in 0..<total { try await upload([UInt8(number >> 8), UInt8(number & 255), 7], setting) }
        var names: [String] = []
        var page: [CloudService.ListedBackupFile] = []
        repeat {
            page = try await setting.service.listBackupFiles(.data, of: device, after: page.last, for: setting.holder)
            names += page.map(\.name)
        } while !page.isEmpty
        #expect(names.count == total && names == names.sorted())
    }

    @Test func aDeletedBackupIsGoneWithItsFiles() async throws {
        let setting = try await setting()
        try await upload(bytes, setting)
        let holder = try await setting.accountHolder()
        try await setting.service.deleteDeviceBackup(of: device, for: holder)
        #expect(try await setting.service.deviceBackups(of: holder).isEmpty)
        #expect(await refusal { _ = try await read(file, setting) } == .notFound)
        #expect(await refusal { try await upload(bytes, setting) } == .notFound)
        #expect(
            await refusal { try await setting.service.deleteDeviceBackup(of: device, for: holder) } == .notFound)
        setting.assets.cloud.clock.withLock { $0 += AssetLimits().graceTime + 1 }
        #expect(try await setting.service.collectAssets() == 1)
        #expect(setting.assets.assets.files.count == 0)
        try await setting.service.createDeviceBackup(of: device, for: setting.holder)
        #expect(try await setting.service.listBackupFiles(.data, of: device, after: nil, for: setting.holder).isEmpty)
    }

    /// A crash between the deletion and the removal of what it holds.
    @Test func theCollectionFinishesADeletion() async throws {
        let setting = try await setting()
        try await upload(bytes, setting)
        let key = Keyspace.deviceBackup(device)
        try await setting.service.store.write(.deviceBackups(of: setting.holder.account.id)) { transaction in
            var backup: StoredDeviceBackup = try #require(try transaction.value(at: key))
            backup.isDeleted = true
            transaction.set(key, backup)
        }
        #expect(
            await refusal { try await setting.service.createDeviceBackup(of: device, for: setting.holder) }
                == .conflict)
        _ = try await setting.service.collectAssets()
        try await setting.service.createDeviceBackup(of: device, for: setting.holder)
        #expect(await refusal { _ = try await read(file, setting) } == .notFound)
    }

    @Test func erasingAPersonErasesTheirBackups() async throws {
        let setting = try await setting()
        try await upload(bytes, setting)
        let report = try await setting.service.eraseAccount(email: Self.ada, deletingPublicRecords: false)
        #expect(report.assetFiles == 1 && setting.assets.assets.files.count == 0)
        #expect(try await rows(setting) == 0)
    }

    @Test func aCheckOfAllBytesReadsBackups() async throws {
        let setting = try await setting()
        try await upload(bytes, setting)
        try await setting.service.verifyAssets()
        let (owner, file) = try #require(setting.assets.assets.files.first)
        try await setting.assets.assets.remove([file], of: owner)
        await #expect(throws: StoreError.self) { try await setting.service.verifyAssets() }
    }

    @Test func namesAreWhatTheyMayBe() {
        for name in ["laptop", "A-1_b.c", String(repeating: "a", count: 64)] { #expect(BackupDevice(name) != nil) }
        for name in ["", ".", "..", "-a", "_a", "a/b", "a b", "ä", "a\u{0}", String(repeating: "a", count: 65)] {
            #expect(BackupDevice(name) == nil, "\(name)")
        }
        #expect(BackupFile(.config, name: String(repeating: "0", count: 64)) == nil)
        #expect(BackupFile(.data, name: String(repeating: "A", count: 64)) == nil)
        #expect(BackupFile(.data, name: String(repeating: "0", count: 63)) == nil)
    }

    @Test(arguments: [
        (BackupFileKind.data, DeviceBackupLimits.packSize), (.index, DeviceBackupLimits.indexSize),
        (.snapshots, DeviceBackupLimits.indexSize), (.locks, DeviceBackupLimits.smallFileSize),
    ])
    func filesHaveAMaximumSizeByTheirKind(kind: BackupFileKind, limit: Int64) async throws {
        let setting = try await setting()
        let file = try #require(BackupFile(kind, name: Hex.encode(SHA256.hash(bytes))))
        func upload(of length: Int64) async -> CloudError? {
            await StratusCloudServiceTests.refusal {
                try await setting.service.receiveBackupFile(
                    file, of: device, length: length, body: Pieces(bytes, breakingOffAt: 1), for: setting.holder)
            }
        }
        // One at the limit is received, and here breaks off. A larger one is refused before its bytes come.
        #expect(await upload(of: limit)?.code == .tryAgainLater)
        let error = await upload(of: limit + 1)
        #expect(error?.code == .quotaExceeded && error?.extensionCode == .limitExceeded)
        #expect(error?.reason.contains("more than \(limit) bytes") == true)
        #expect(setting.assets.assets.files.count == 0)
    }

    @Test func aBodyOfUnknownLengthIsStoppedAtTheLimit() async throws {
        let setting = try await setting()
        let size = Int(DeviceBackupLimits.smallFileSize)
        for (count, isStored) in [(size, true), (size + 1, false)] {
            let bytes = [UInt8](repeating: 1, count: count)
            let file = try #require(BackupFile(.locks, name: Hex.encode(SHA256.hash(bytes))))
            let code = await refusal {
                try await setting.service.receiveBackupFile(
                    file, of: device, length: nil, body: Pieces(bytes, size: 4_096), for: setting.holder)
            }
            #expect(code == (isStored ? nil : .quotaExceeded))
        }
        #expect(setting.assets.assets.files.count == 1)
    }
}
