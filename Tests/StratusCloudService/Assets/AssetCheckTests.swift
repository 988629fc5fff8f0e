import Glibc
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudAssets
@testable import StratusCloudService

/// Bytes that changed on the disk are found by everybody who reads all of them.
@Suite struct AssetCheckTests {
    private let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// A cloud with one asset, the address to fetch it from, and the file.
    private func prepared() async throws -> (cloud: AssetCloud, address: String, file: AssetFileID) {
        let cloud = try await AssetCloud()
        let address = try cloud.address(of: try await cloud.store(bytes, in: "p"))
        return (cloud, address, try #require(cloud.assets.files.first?.file))
    }

    /// Writes other bytes into the file, as a failing disk would.
    private func write(_ bytes: [UInt8], to file: AssetFileID, of cloud: AssetCloud) async throws {
        let writer = try await cloud.assets.write(
            file, of: AssetOwner(try cloud.cloud.home()), from: 0, expecting: nil)
        try await writer.append(bytes)
        try await writer.synchronize()
    }

    private func flipped(at place: Int) -> [UInt8] {
        var bytes = bytes
        bytes[place] ^= 1
        return bytes
    }

    @Test(
        "Damaged bytes are refused as a whole, cut off before their end, counted and reported",
        arguments: [0, 299_999, 599_999])
    func downloads(place: Int) async throws {
        let (cloud, address, file) = try await prepared()
        try await write(flipped(at: place), to: file, of: cloud)
        let download = try await cloud.service.downloadAsset(address)
        #expect(await refusal { try cloud.service.bytes(of: download) }?.code == .internalError)
        var got = 0
        let error = await refusal { try await cloud.service.forEachPiece(of: download) { got += $0.count } }
        #expect(error?.reason.contains("damaged") == true)
        #expect(got > 0 && got < bytes.count, "the last piece is held back")
        #expect(cloud.service.statistics().damagedAssets == 2)
        // Mended, it is whole.
        try await write(bytes, to: file, of: cloud)
        var all: [UInt8] = []
        try await cloud.service.forEachPiece(of: try await cloud.service.downloadAsset(address)) { all += $0 }
        #expect(all == bytes)
    }

    @Test("Fewer or more bytes than were stored are refused")
    func otherLengths() async throws {
        let (cloud, address, file) = try await prepared()
        for wrong in [Array(bytes.dropLast()), bytes + [0]] {
            try await write(wrong, to: file, of: cloud)
            #expect(await refusal { try await cloud.service.downloadAsset(address) }?.code == .internalError)
        }
        #expect(cloud.service.statistics().damagedAssets == 2)
    }

    @Test("Empty assets are whole")
    func empty() async throws {
        let cloud = try await AssetCloud()
        let download = try await cloud.service.downloadAsset(
            try cloud.address(of: try await cloud.store([], in: "p")))
        #expect(try cloud.service.bytes(of: download) == [])
        var pieces = 0
        try await cloud.service.forEachPiece(of: download) { _ in pieces += 1 }
        #expect(pieces == 0)
        try await cloud.service.verifyAssets()
    }

    @Test("A check of everything names damaged assets and lost ones, and repairs neither")
    func checks() async throws {
        let (cloud, _, file) = try await prepared()
        try await cloud.store([7], in: "other")
        try await cloud.service.verifyAssets()
        #expect(try await cloud.service.checkConsistency(repairing: false).problems == 0)
        try await write(flipped(at: 5), to: file, of: cloud)
        await #expect(throws: StoreError.self) { try await cloud.service.verifyAssets() }
        for repairs in [false, true] {
            let report = try await cloud.service.checkConsistency(repairing: repairs)
            #expect(report.findings.map(\.kind) == [.damagedAsset] && report.repaired == 0)
            #expect(report.findings.first?.place.contains("\(file)") == true, "the operator needs the file")
        }
        try await cloud.assets.remove([file], of: AssetOwner(try cloud.cloud.home()))
        #expect(try await cloud.service.checkConsistency(repairing: false).findings.map(\.kind) == [.missingAsset])
        await #expect(throws: StoreError.self) { try await cloud.service.verifyAssets() }
    }

    @Test("A file is hashed once in a while, and again as soon as it was written to")
    func proofs() throws {
        let (proofs, file) = (ProvenAssets(), try #require(AssetFileID(Array(repeating: 1, count: 16))))
        let (first, second) = (stamp(1), stamp(2))
        #expect(!proofs.contains(file, first, now: 0))
        proofs.add(file, first, now: 0)
        #expect(proofs.contains(file, first, now: AssetLimits.proofLifetime - 1))
        #expect(!proofs.contains(file, first, now: AssetLimits.proofLifetime))
        #expect(!proofs.contains(file, second, now: 1))
        #expect(!proofs.contains(file, nil, now: 1))
        // A clock that is set back proves nothing.
        #expect(!proofs.contains(file, first, now: -1))
        for number in 0..<AssetLimits.rememberedProofs {
            let name = withUnsafeBytes(of: number) { Array($0) } + Array(repeating: 0, count: 8)
            proofs.add(try #require(AssetFileID(name)), first, now: 1)
        }
        #expect(!proofs.contains(file, first, now: 1), "what is remembered has a bound")
    }

    private func stamp(_ size: Int) -> AssetStamp {
        var status = stat()
        status.st_size = size
        return AssetStamp(status)
    }
}
