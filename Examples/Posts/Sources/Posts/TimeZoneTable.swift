import Foundation

/// The time zones of Debian's package `tzdata`, with the place that each one is named after.
struct TimeZoneTable {
    /// A line of the table.
    struct Zone {
        /// The name, which is also that of the zone's file.
        let name: String
        /// The codes of the countries in which the zone's clocks are used.
        let countries: [String]
        let place: Place
        /// The part of the first country, if it has several zones.
        let comment: String
    }

    let zones: [Zone]

    /// Reads the table in the folder of the package.
    init(_ folder: URL) throws {
        let text = try String(contentsOf: folder.appendingPathComponent("zone1970.tab"), encoding: .utf8)
        zones = text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard !line.hasPrefix("#"), columns.count >= 3, let place = Self.place(columns[1]) else { return nil }
            return Zone(
                name: columns[2], countries: columns[0].split(separator: ",").map(String.init), place: place,
                comment: columns.count > 3 ? columns[3] : "")
        }
    }

    /// Reads a latitude and a longitude such as `+3901+12545`.
    private static func place(_ text: String) -> Place? {
        guard let border = text.dropFirst().firstIndex(where: { "+-".contains($0) }),
            let latitude = degrees(text[..<border], digits: 2), let longitude = degrees(text[border...], digits: 3)
        else { return nil }
        return Place(latitude: latitude, longitude: longitude)
    }

    /// Reads a sign, degrees of some digits, minutes of two, and maybe seconds.
    private static func degrees(_ text: Substring, digits: Int) -> Double? {
        let parts = text.dropFirst()
        let smaller = parts.dropFirst(digits)
        guard let degrees = Double(parts.prefix(digits)), let minutes = Double(smaller.prefix(2)) else { return nil }
        let seconds = Double(smaller.dropFirst(2)) ?? 0
        return (text.hasPrefix("-") ? -1 : 1) * (degrees + minutes / 60 + seconds / 3600)
    }
}
