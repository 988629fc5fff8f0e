import Glibc
import StratusCloudModel

extension MountFileSystem {
    private static let blockSize = 4_096

    /// Asks for the room of the account.
    func fetchRoom() async {
        // An older server does not know the question, and without a server the last answer is the best.
        guard let room = try? await database.fileRoom() else { return }
        state.withLock { $0.room = room }
    }

    /// Counts bytes that were just uploaded, until the server is asked again.
    static func use(_ bytes: Int64, _ state: inout State) {
        state.room?.used += bytes
        if let available = state.room?.available { state.room?.available = max(0, available - bytes) }
    }

    /// The result of `statfs`: the account's quota, as far as it is known.
    var statistics: statvfs {
        let (room, count) = state.withLock { ($0.room, $0.tree.items.count) }
        var statistics = statvfs()
        statistics.f_bsize = UInt(Self.blockSize)
        statistics.f_frsize = UInt(Self.blockSize)
        let used = room?.used ?? 0
        // Without a quota the largest number is given.
        let available = room?.available ?? Self.unlimited
        statistics.f_blocks = UInt((used + available) / Int64(Self.blockSize))
        statistics.f_bfree = UInt(available / Int64(Self.blockSize))
        statistics.f_bavail = statistics.f_bfree
        statistics.f_files = UInt(count)
        statistics.f_namemax = UInt(FileLimits.nameSize)
        return statistics
    }

    private static let unlimited: Int64 = 1 << 50
}
