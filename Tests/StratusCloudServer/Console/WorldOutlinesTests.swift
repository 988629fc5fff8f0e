import Foundation
import Testing

@testable import StratusCloudServer

/// The outlines behind locations, from a packaged shapefile.
@Suite struct WorldOutlinesTests {
    /// A shapefile of records, each with lines.
    private func shapefile(_ records: [[[(Double, Double)]]], kind: Int32 = 3) -> [UInt8] {
        var bytes = big(9994) + [UInt8](repeating: 0, count: 96)
        for (number, lines) in records.enumerated() {
            let points = lines.flatMap { $0 }
            var starts: [Int32] = []
            for line in lines { starts.append((starts.last ?? 0) + (starts.isEmpty ? 0 : Int32(line.count))) }
            var content = little(kind) + [UInt8](repeating: 0, count: 32)
            content += little(Int32(lines.count)) + little(Int32(points.count)) + starts.flatMap { little($0) }
            for (x, y) in points { content += little(x.bitPattern) + little(y.bitPattern) }
            bytes += big(Int32(number + 1)) + big(Int32(content.count / 2)) + content
        }
        return bytes
    }

    private func big(_ number: Int32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    @Test func linesBecomeAPathInTenthsOfADegree() {
        let file = shapefile([
            [[(-180, 90), (-179, 90), (-179, 89.5)], [(0, 0), (0.01, 0.01), (1, -1)]],
            // Points that fall together make no step.
            [[(10, 10), (10.001, 10)]],
        ])
        #expect(WorldOutlines(shapefile: file)?.path == "M0 0l10 0 0 5M1800 900l10 10")
        #expect(WorldOutlines(shapefile: shapefile([[[(0, 0), (1, 1)]]], kind: 5))?.path == "M1800 900l10 -10")
        // Shapes of other kinds are left out.
        #expect(WorldOutlines(shapefile: shapefile([[[(0, 0), (1, 1)]]], kind: 1))?.path.isEmpty == true)
    }

    @Test func damagedFilesAreNoOutlines() {
        let whole = shapefile([[[(0, 0), (1, 1), (2, 2)]]])
        for length in 0..<whole.count where length != 100 {
            #expect(WorldOutlines(shapefile: Array(whole.prefix(length))) == nil, "\(length)")
        }
        // The counts of parts and of points, and the beginning of the part.
        for offset in [144, 148, 152] {
            for number in [Int32.max, -1, 1_000] {
                var damaged = whole
                damaged.replaceSubrange(offset..<offset + 4, with: little(number))
                #expect(WorldOutlines(shapefile: damaged) == nil, "\(offset) \(number)")
            }
        }
        for length in [Int32.max, -1, 0] {
            var damaged = whole
            damaged.replaceSubrange(104..<108, with: big(length))
            #expect(WorldOutlines(shapefile: damaged) == nil, "\(length)")
        }
        for coordinate in [181, -Double.infinity, Double.nan] {
            #expect(WorldOutlines(shapefile: shapefile([[[(coordinate, 0), (1, 1)]]])) == nil)
        }
    }

    /// The package that `Scripts/packages.txt` names has them, and they are small.
    @Test func thePackagedOutlinesAreSmall() throws {
        let file = try #require(WorldOutlines.file)
        let outlines = try #require(WorldOutlines(shapefile: [UInt8](Data(contentsOf: URL(filePath: file)))))
        #expect(outlines.path.hasPrefix("M") && outlines.path.utf8.count < 60_000)
        let compressed = try #require(Gzip.compress(outlines.json, .most))
        #expect(compressed.count < 20_000)
    }
}
