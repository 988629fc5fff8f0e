import Foundation
import Testing

@testable import StratusCloudAssets

@Suite struct FolderAssetsTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-assets-\(UUID().uuidString)"
    ).path

    private func assets(reserved: Int64 = 0) throws -> FolderAssets {
        try FolderAssets(directory: directory, reservedSpace: reserved)
    }

    private func name(_ byte: UInt8) throws -> AssetFileID {
        try #require(AssetFileID(Array(repeating: byte, count: AssetFileID.length)))
    }

    private func owner(_ byte: UInt8 = 7) throws -> AssetOwner {
        try #require(AssetOwner(Array(repeating: byte, count: AssetOwner.length)))
    }

    private func write(
        _ bytes: [UInt8], to file: AssetFileID, from offset: Int64 = 0, _ assets: FolderAssets
    ) async throws {
        let writer = try await assets.write(file, of: try owner(), from: offset, expecting: nil)
        try await writer.append(bytes)
        try await writer.synchronize()
    }

    private func code(_ body: () async throws -> Void) async -> AssetStoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? AssetStoreError)?.code
        }
    }

    @Test func whatWasWrittenIsReadInAnyPiece() async throws {
        let (assets, file) = (try assets(), try name(1))
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await write(Array(bytes[..<70_000]), to: file, assets)
        try await write(Array(bytes[70_000...]), to: file, from: 70_000, assets)
        let content = try await assets.content(of: file, of: try owner())
        #expect(content.size == 100_000)
        #expect(try content.read(at: 0, count: 200_000) == bytes)
        #expect(try content.read(at: 69_990, count: 20) == Array(bytes[69_990..<70_010]))
        #expect(try content.read(at: 100_000, count: 5).isEmpty)
    }

    @Test func goingOnDropsWhatLiesBehind() async throws {
        let (assets, file) = (try assets(), try name(1))
        try await write([1, 2, 3, 4], to: file, assets)
        try await write([9], to: file, from: 2, assets)
        #expect(try await assets.content(of: file, of: try owner()).read(at: 0, count: 10) == [1, 2, 9])
        #expect(await code { _ = try await assets.write(file, of: try owner(), from: 4, expecting: nil) } == .missing)
    }

    @Test func nobodyWritesAFileThatSomebodyWrites() async throws {
        let (assets, file) = (try assets(), try name(1))
        let writer = try await assets.write(file, of: try owner(), from: 0, expecting: nil)
        #expect(await code { _ = try await assets.write(file, of: try owner(), from: 0, expecting: nil) } == .ioFailure)
        try await writer.append([1])
    }

    @Test func removedFilesAreGoneAndStayReadableWhereTheyAreOpen() async throws {
        let (assets, file) = (try assets(), try name(1))
        try await write([1, 2], to: file, assets)
        let content = try await assets.content(of: file, of: try owner())
        try await assets.remove([file, try name(2)], of: try owner())
        #expect(try content.read(at: 0, count: 9) == [1, 2])
        #expect(try await !assets.contains(file, of: try owner()))
        #expect(await code { _ = try await assets.content(of: file, of: try owner()) } == .missing)
    }

    @Test func ownersHaveNothingInCommon() async throws {
        let (assets, file) = (try assets(), try name(1))
        try await write([1], to: file, assets)
        #expect(try await !assets.contains(file, of: try owner(8)))
    }

    @Test("Files and directories are the server's alone, below the directory, named in hexadecimal")
    func placesAndModes() async throws {
        let assets = try assets()
        try await write([1], to: try name(0xAB), assets)
        let path = "\(directory)/\(String(repeating: "07", count: 16))/ab/\(String(repeating: "ab", count: 16))"
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600)
        #expect(try mode(directory) == 0o700)
    }

    @Test func theLastOfTheDiskIsLeftFree() async throws {
        let full = try assets(reserved: .max)
        #expect(
            await code { _ = try await full.write(try name(1), of: try owner(), from: 0, expecting: 1) } == .diskFull)
        let assets = try assets(reserved: 0)
        #expect(
            await code { _ = try await assets.write(try name(1), of: try owner(), from: 0, expecting: .max) }
                == .diskFull)
        #expect(try await !assets.contains(try name(1), of: try owner()))
    }

    @Test func aFileThatIsALinkIsRefused() async throws {
        let (assets, file) = (try assets(), try name(0xAB))
        try await write([1], to: file, assets)
        let path = "\(directory)/\(String(repeating: "07", count: 16))/ab/\(String(repeating: "ab", count: 16))"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        #expect(await code { _ = try await assets.content(of: file, of: try owner()) } == .ioFailure)
        #expect(await code { _ = try await assets.write(file, of: try owner(), from: 0, expecting: nil) } == .ioFailure)
    }
}
