import Glibc
import StratusCloudModel

/// Finds the cells of all places whose distance from a centre lies between two radii: a few ranges that hold them all,
/// and some more.
///
/// The earth is a tree of rectangles, each of four; those that cannot touch the ring are dropped, and the largest are
/// split until there are enough. Whether one can is decided by the distance of its middle and a bound of its own
/// radius, which holds at the poles and across the antimeridian as anywhere.
struct CellCover {
    /// Degrees.
    let latitude: Double
    let longitude: Double
    /// Metres.
    let inner: Double
    let outer: Double

    init(center: Location, inner: Double = 0, outer: Double) {
        latitude = center.latitude
        longitude = center.longitude
        self.inner = inner
        self.outer = outer
    }

    /// Ascending, apart from each other, at most ``QueryLimits/rangesPerCircle``, or ``QueryLimits/rangesPerRing`` if
    /// there is something inside to leave out.
    var ranges: [ClosedRange<UInt64>] {
        let most = inner > 0 ? QueryLimits.rangesPerRing : QueryLimits.rangesPerCircle
        var undecided = [Rectangle(bits: 0, level: 0)]
        var decided: [Rectangle] = []
        // The undecided are all of one level, or of two that follow each other, so the first is the largest.
        while let first = undecided.first, undecided.count + decided.count + 3 <= most {
            undecided.removeFirst()
            for child in first.children {
                switch relation(of: child) {
                case .apart: break
                case .inside: decided.append(child)
                case .crossing: if child.isLast { decided.append(child) } else { undecided.append(child) }
                }
            }
        }
        var result: [ClosedRange<UInt64>] = []
        for range in (decided + undecided).map(\.cells).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, last.upperBound &+ 1 == range.lowerBound {
                result[result.count - 1] = last.lowerBound...range.upperBound
            } else {
                result.append(range)
            }
        }
        return result
    }

    private enum Relation {
        case apart, inside, crossing
    }

    private func relation(of rectangle: Rectangle) -> Relation {
        let middle = Geodesic.sphericalDistance(latitude, longitude, rectangle.middle.0, rectangle.middle.1)
        let radius = rectangle.radius
        // What the ellipsoid may be nearer or farther than the sphere, and the width of a cell.
        let least = (middle - radius) * (1 - Geodesic.sphereError) - 0.1
        let most = (middle + radius) * (1 + Geodesic.sphereError) + 0.1
        if least > outer || most < inner { return .apart }
        return least >= inner && most <= outer ? .inside : .crossing
    }

    /// The cells that begin with `level` pairs of bits.
    private struct Rectangle {
        let bits: UInt64
        let level: UInt64

        static let lastLevel: UInt64 = 32

        var isLast: Bool { level == Self.lastLevel }

        var children: [Rectangle] {
            let step = 62 - 2 * level
            return (0..<4).map { Rectangle(bits: bits | $0 << step, level: level + 1) }
        }

        var cells: ClosedRange<UInt64> {
            bits...(bits | (isLast ? 0 : UInt64.max >> (2 * level)))
        }

        private var size: (latitude: Double, longitude: Double) {
            let parts = pow(2, Double(level))
            return (180 / parts, 360 / parts)
        }

        /// Degrees.
        var middle: (Double, Double) {
            let corner = Cell(rawValue: bits).center
            return (corner.latitude + size.latitude / 2, corner.longitude + size.longitude / 2)
        }

        /// Metres from the middle that no place of it exceeds: half its height along a meridian, then half its width
        /// along the parallel nearest the equator.
        var radius: Double {
            let top = abs(middle.0) + size.latitude / 2
            let nearest = top - size.latitude < 0 ? 0 : top - size.latitude
            let height = Geodesic.radians(size.latitude / 2)
            let width = Geodesic.radians(size.longitude / 2) * cos(Geodesic.radians(nearest))
            return (height + width) * Geodesic.meanRadius
        }
    }
}
