import StratusCloudStore

/// How much of a feed a client knows.
struct FeedPosition: Hashable, Sendable {
    /// A way through a feed from its latest change back to what is known.
    struct Walk: Hashable, Sendable {
        /// The latest version when the walk began; all is known up to it when the walk ends.
        var top: UInt64
        /// All changes from here up to ``top`` have been told.
        var told: UInt64
    }

    /// All changes up to this version are known.
    var known: UInt64
    /// The latest version when the client began with nothing. What was deleted until then it has never seen, so that it
    /// need not be told; zero when that no longer matters.
    var start: UInt64
    /// Where the latest changes come first.
    var walk: Walk?

    init(known: UInt64, start: UInt64 = 0, walk: Walk? = nil) {
        self.known = known
        self.start = start
        self.walk = walk
    }

    /// Of who knows nothing yet.
    static func beginning(of top: UInt64) -> FeedPosition { FeedPosition(known: 0, start: top) }

    init(from reader: inout ByteReader) throws {
        known = try reader.unsigned()
        start = try reader.unsigned()
        walk = try reader.optional { Walk(top: try $0.unsigned(), told: try $0.unsigned()) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: known)
        writer.write(unsigned: start)
        writer.write(optional: walk) { writer, walk in
            writer.write(unsigned: walk.top)
            writer.write(unsigned: walk.told)
        }
    }

    /// Whether a feed has come as far as this.
    func isWithin(_ top: UInt64) -> Bool { known <= top && start <= top && walk?.top ?? 0 <= top }

    /// Whether nothing is missed though the tombstones up to a version are gone.
    func toleratesPurge(of version: UInt64) -> Bool { max(known, start) >= version }

    /// Notes that everything up to a version is known.
    mutating func learn(_ version: UInt64) {
        known = version
        if known >= start { start = 0 }
    }
}

/// A way through a feed in one transaction, forth or back.
struct FeedWalk {
    private(set) var position: FeedPosition
    /// The feed's latest version.
    let top: UInt64

    /// Goes on where `position` is; the latest first if that is wished or was begun so.
    init(from position: FeedPosition, to top: UInt64, reverse: Bool) {
        self.position = position
        self.top = top
        if reverse, position.walk == nil, position.known < top {
            self.position.walk = FeedPosition.Walk(top: top, told: top + 1)
        }
    }

    var isReverse: Bool { position.walk != nil }

    /// Whether all is told that there is.
    var isFinished: Bool { position.walk == nil && position.known >= top }

    /// What is still to be told.
    var rest: FeedSpan {
        FeedSpan(
            lower: position.known, upper: position.walk.map { $0.told - 1 } ?? top, goneAfter: position.start,
            reverse: isReverse)
    }

    /// Notes that an entry was told, or is not wanted.
    mutating func pass(_ version: UInt64) {
        if position.walk != nil { position.walk?.told = version } else { position.learn(version) }
    }

    /// Notes that there are no more entries this way.
    mutating func finish() {
        position.learn(position.walk?.top ?? top)
        position.walk = nil
    }
}
