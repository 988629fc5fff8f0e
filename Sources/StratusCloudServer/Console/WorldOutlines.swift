import Glibc

/// The outlines of the continents and lakes, for the map behind locations.
///
/// Debian's package `libplplot-data` brings them as a shapefile with data of Natural Earth, which are in the public
/// domain. What is sent is made from it when it is first asked for: one path of SVG, a fourth of the size.
struct WorldOutlines: Sendable {
    /// Below `/console/lib/`.
    static let name = "world/outlines.json"
    /// Units of the path for each degree.
    static let scale = 10.0
    /// The version of the package is in the name of the directory.
    private static let pattern = "/usr/share/plplot*/globe.shp"

    /// The path in units of a tenth of a degree: 0 to 3,600 eastward from 180° W, 0 to 1,800 southward from 90° N.
    let path: String

    var json: [UInt8] { ConsoleJSON.object([("path", .string(path))]).bytes }

    /// Where the shapefile is installed; nil if it is not.
    static var file: String? {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0, found.gl_pathc > 0, let last = found.gl_pathv[Int(found.gl_pathc) - 1]
        else { return nil }
        return String(cString: last)
    }

    /// Reads a shapefile of lines or polygons in degrees; nil if the bytes are not one.
    init?(shapefile bytes: [UInt8]) {
        guard let reader = ShapefileReader(bytes), let lines = reader.lines() else { return nil }
        var path = ""
        for line in lines {
            let points = line.map { point in
                (
                    x: Int(((point.x + 180) * Self.scale).rounded()), y: Int(((90 - point.y) * Self.scale).rounded())
                )
            }
            Self.write(points, to: &path)
        }
        self.path = path
    }

    /// Leaves out points that fall together. Steps are relative, which makes them short.
    private static func write(_ points: [(x: Int, y: Int)], to path: inout String) {
        guard var last = points.first else { return }
        var steps = ""
        for point in points where point != last {
            steps += steps.isEmpty ? "l" : " "
            steps += "\(point.x - last.x) \(point.y - last.y)"
            last = point
        }
        if !steps.isEmpty { path += "M\(points[0].x) \(points[0].y)\(steps)" }
    }
}

/// Reads the lines of a shapefile (ESRI's format): a header, then records of points.
private struct ShapefileReader {
    private static let header = 100
    /// Shapes of lines, and of polygons, which are lines that end where they begin.
    private static let kinds: Set<Int> = [3, 5]

    private let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= Self.header, big(at: 0) == 9994 else { return nil }
    }

    /// Nil where counts do not fit the file, or points are not on the globe.
    func lines() -> [[(x: Double, y: Double)]]? {
        var lines: [[(x: Double, y: Double)]] = []
        var position = Self.header
        while position < bytes.count {
            guard position + 8 <= bytes.count else { return nil }
            // Lengths are counted in words of 16 bits.
            let start = position + 8
            let end = start + 2 * big(at: position + 4)
            guard end > start, end <= bytes.count, let record = record(start, end) else { return nil }
            lines += record
            position = end
        }
        return lines
    }

    private func record(_ start: Int, _ end: Int) -> [[(x: Double, y: Double)]]? {
        guard start + 4 <= end else { return nil }
        guard Self.kinds.contains(little(at: start)) else { return [] }
        guard start + 44 <= end else { return nil }
        let (parts, count) = (little(at: start + 36), little(at: start + 40))
        let room = end - start
        guard parts >= 0, count >= 0, parts <= room, count <= room else { return nil }
        let points = start + 44 + 4 * parts
        guard points + 16 * count <= end else { return nil }
        var lines: [[(x: Double, y: Double)]] = []
        for part in 0..<parts {
            let first = little(at: start + 44 + 4 * part)
            let next = part + 1 < parts ? little(at: start + 48 + 4 * part) : count
            guard first >= 0, first <= next, next <= count else { return nil }
            var line: [(x: Double, y: Double)] = []
            for index in first..<next {
                let (x, y) = (double(at: points + 16 * index), double(at: points + 16 * index + 8))
                guard (-180.0...180).contains(x), (-90.0...90).contains(y) else { return nil }
                line.append((x, y))
            }
            lines.append(line)
        }
        return lines
    }

    private func big(at offset: Int) -> Int { Int(Int32(bigEndian: load(at: offset))) }
    private func little(at offset: Int) -> Int { Int(Int32(littleEndian: load(at: offset))) }
    private func double(at offset: Int) -> Double { Double(bitPattern: UInt64(littleEndian: load(at: offset))) }

    private func load<Number: BitwiseCopyable>(at offset: Int) -> Number {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
