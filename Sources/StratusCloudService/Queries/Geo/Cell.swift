import StratusCloudModel

/// A small piece of the earth's surface, about a centimetre wide: 32 bits of latitude and of longitude interleaved,
/// so that cells that begin with the same bits lie in one rectangle.
struct Cell: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: UInt64

    /// Metres, more than from the middle of a cell to any place of it, with the error of distances.
    static let size = 0.05

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The cell of a place that ``Location/isOnEarth``.
    init(_ location: Location) {
        let latitude = Self.step(location.latitude + 90, of: 180)
        let longitude = Self.step(location.longitude + 180, of: 360)
        rawValue = Self.spread(latitude) << 1 | Self.spread(longitude)
    }

    /// Degrees, of the middle of the cell.
    var center: (latitude: Double, longitude: Double) {
        let latitude = Double(Self.gather(rawValue >> 1)) + 0.5
        let longitude = Double(Self.gather(rawValue)) + 0.5
        return (latitude * 180 / Self.steps - 90, longitude * 360 / Self.steps - 180)
    }

    static func < (left: Cell, right: Cell) -> Bool { left.rawValue < right.rawValue }

    private static let steps = 4_294_967_296.0

    private static func step(_ value: Double, of range: Double) -> UInt32 {
        UInt32(min(max(value / range * steps, 0), steps - 1))
    }

    /// Puts a zero in front of every bit.
    private static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    private static func gather(_ value: UInt64) -> UInt32 {
        var bits = value & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }
}
