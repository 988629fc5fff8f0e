import Foundation
import Glibc
import Testing

/// `stratus backup` where there is no room: what was there before stays whole, and the next one is.
@Suite struct FullDiskTests {
    private static let bash = URL(filePath: "/bin/bash")
    private static let backups = BackupTests()
    /// As long as the first one, and nothing of it is in a backup yet.
    private static let second = Array(BackupTests.asset.reversed())

    /// The bytes of all files of a backup that count, by name.
    private func content(of copy: String) throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try Self.backups.files(below: copy) where name != "lock" {
            if let bytes = FileManager.default.contents(atPath: "\(copy)/\(name)") { content[name] = bytes }
        }
        return content
    }

    @Test("Threat 41: a file that may not grow any further is told as a full disk")
    func limitOfFiles() async throws {
        let tool = try await Self.backups.prepared()
        let copy = tool.path("copy")
        let first = try await tool.succeed("backup", copy, "--json").object()
        try await Self.backups.addAsset(Self.second, "second", tool)
        let before = try content(of: copy)
        let stratus = try #require(Tool.executable).path()
        // The asset's chunk is larger than 256 KiB, and everything before it is smaller.
        let run = try await tool.run(
            ["-c", #"ulimit -f 256; exec "$0" "$@""#, stratus, "backup", copy, "--json"], program: Self.bash)
        #expect(run.status == 1 && run.output.isEmpty)
        let error = try run.errorObject()
        #expect(error["error"] as? String == "DISK_FULL")
        #expect((error["reason"] as? String)?.contains("writing \(copy)/incoming/") == true, "\(error)")
        #expect(try content(of: copy) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy + "/incoming").isEmpty)

        let next = try await tool.succeed("backup", copy, "--json").object()
        #expect(next["newBytes"] as? Int ?? 0 >= Self.second.count)
        for (answer, assets) in [(first, 1), (next, 2)] {
            let name = try #require(answer["snapshot"] as? String)
            let key = tool.data.path() + "/secret.key"
            try await tool.succeed("restore", copy, "--at", name, "--data", tool.path(name), "--secret-key", key)
            let found = try await Self.backups.content(tool, tool.path(name))
            #expect(found.notes == 50 && found.assets.count == assets)
        }
    }

    /// Whether this machine lets anybody mount something for themselves.
    private static let canMount: Bool = {
        let process = Process()
        process.executableURL = bash
        process.arguments = ["-c", "unshare -rm mount -t tmpfs tmpfs /mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A first backup on a small disk, one that has only so many KiB left, and one when there is room again. The disk is
    /// gone with the script, which therefore looks for itself.
    private static let script = #"""
        set -eu
        stratus=$0 folder=$1 room=$2 key=$STRATUS_DATA/secret.key
        shift 2
        mount -t tmpfs -o size=64m tmpfs "$folder/disk"
        copy=$folder/disk/copy
        sums() { (cd "$copy" && find . -type f ! -path './incoming/*' ! -name lock -exec sha256sum {} + | sort); }
        "$stratus" backup "$copy" >&2
        first=$("$stratus" restore "$copy" --list)
        before=$(sums)
        "$stratus" import "$folder/second.jsonl" "$@" >&2
        used=$(df --output=used -k "$copy" | tail -1)
        mount -o "remount,size=$((used + room))k" "$folder/disk"
        if "$stratus" backup "$copy" --json 2>&1; then echo whole; fi
        # What was there is as it was; chunks that no list names may have come, and nothing else.
        comm -23 <(echo "$before") <(sums) | sed 's/^/changed: /'
        if [ "$("$stratus" restore "$copy" --list)" = "$first" ]; then
            comm -13 <(echo "$before") <(sums) | { grep -v ' ./chunks/' || true; } | sed 's/^/added: /'
        fi
        "$stratus" verify --backup "$copy" >&2
        mount -o remount,size=64m "$folder/disk"
        "$stratus" backup "$copy" >&2
        [ -z "$(ls "$copy/incoming")" ] || echo "left in incoming"
        "$stratus" verify --backup "$copy" >&2
        "$stratus" restore "$copy" --at "$first" --data "$folder/earlier" --secret-key "$key" >&2
        "$stratus" restore "$copy" --data "$folder/later" --secret-key "$key" >&2
        echo done
        """#

    /// KiB that are left: none, less than the chunk, and just what it takes, so that what comes behind it finds no room.
    @Test(
        "Threat 41: a full disk harms no earlier backup, and the next one is whole", .enabled(if: canMount),
        arguments: [0, 8, 500, 692])
    func fullDisk(room: Int) async throws {
        let tool = try await Self.backups.prepared()
        try FileManager.default.createDirectory(atPath: tool.path("disk"), withIntermediateDirectories: false)
        _ = try Self.backups.writeAsset(Self.second, "second", tool)
        let stratus = try #require(Tool.executable).path()
        let run = try await tool.run(
            ["-rm", "/bin/bash", "-c", Self.script, stratus, tool.folder.path(), String(room)]
                + BackupTests.privateDatabase,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/usr/bin/unshare"))
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0 && lines.last == "done", "\(run)")
        let answer = try #require(lines.first)
        #expect(answer.contains("DISK_FULL") && answer.contains("No space left on device"), "\(run.output)")
        #expect(lines.count == 2, "\(run.output)")
        let earlier = try await Self.backups.content(tool, tool.path("earlier"))
        let later = try await Self.backups.content(tool, tool.path("later"))
        #expect(earlier.notes == 50 && earlier.assets == [Data(BackupTests.asset)])
        #expect(later.notes == 50 && Set(later.assets) == [Data(BackupTests.asset), Data(Self.second)])
    }
}
