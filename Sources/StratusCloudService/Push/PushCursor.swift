/// The database that a notification comes from, as its reader counts: each has a number sequence of its own.
enum PushLane: UInt8, Hashable, Sendable {
    // Stored; never renumber them.
    /// The partition of the user's private database.
    case own = 1
    /// The public database.
    case `public` = 2
}

/// How far a device has read.
struct PushCursor: Hashable, Sendable {
    var own: UInt64 = 0
    var `public`: UInt64 = 0

    subscript(lane: PushLane) -> UInt64 {
        get { lane == .own ? own : `public` }
        set { if lane == .own { own = newValue } else { `public` = newValue } }
    }

    /// Takes note of a notification.
    mutating func advance(over notification: QueuedNotification) {
        self[notification.lane] = max(self[notification.lane], notification.sequence)
    }
}

/// Names a place in a device's stream of notifications: `own.public` in base 36, and which of the two came last.
struct EventID: Hashable, Sendable {
    var cursor: PushCursor
    /// The notification it stands behind.
    var lane: PushLane
    var sequence: UInt64

    /// As the `id` of an event.
    var text: String {
        let mark = lane == .own ? "a" : "b"
        return [cursor.own, cursor.public].map { String($0, radix: 36) }.joined(separator: ".")
            + ".\(mark)\(String(sequence, radix: 36))"
    }

    init(cursor: PushCursor, lane: PushLane, sequence: UInt64) {
        self.cursor = cursor
        self.lane = lane
        self.sequence = sequence
    }

    /// Reads what ``text`` wrote; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 64, let own = UInt64(parts[0], radix: 36),
            let everyones = UInt64(parts[1], radix: 36), let mark = parts[2].first,
            let sequence = UInt64(parts[2].dropFirst(), radix: 36), mark == "a" || mark == "b"
        else { return nil }
        self.init(
            cursor: PushCursor(own: own, public: everyones), lane: mark == "a" ? .own : .public, sequence: sequence)
    }
}
