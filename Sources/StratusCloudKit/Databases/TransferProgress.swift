import Foundation
import StratusWorkers

/// Adds up how much of the assets of each record has arrived.
final class TransferProgress: Sendable {
    private struct Part {
        var total: Double = 1
        var arrived: Double = 0
    }

    private let events: RecordEvents
    private let parts: Lock<[CKRecord.ID: [String: Part]]>

    init(_ files: [AssetUpload], _ events: RecordEvents) {
        self.events = events
        var parts: [CKRecord.ID: [String: Part]] = [:]
        for file in files {
            parts[file.recordID, default: [:]][file.file.path] = Part(total: Double(max(1, file.size)))
        }
        self.parts = Lock(parts)
    }

    /// So many bytes of a record's file have arrived.
    func report(_ recordID: CKRecord.ID, _ path: String, _ count: Int64) {
        let share = parts.withLock { parts -> Double in
            parts[recordID]?[path]?.arrived = Double(count)
            let all = parts[recordID].map { Array($0.values) } ?? []
            let total = all.reduce(0) { $0 + $1.total }
            return total == 0 ? 1 : min(1, all.reduce(0) { $0 + $1.arrived } / total)
        }
        events.progress(recordID, share)
    }
}
