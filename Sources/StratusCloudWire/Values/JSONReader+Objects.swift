import StratusCloudModel

/// Field values that are objects.
extension JSONReader {
    /// A value whose object says by itself what it is, or is said to be of `type`.
    func object(as type: ScalarType?) throws(CloudError) -> ScalarValue {
        switch type {
        case .location: return .location(try location())
        case .reference: return .reference(try reference())
        case .asset: return .asset(try asset())
        case let type?: throw refusal("is an object, but is declared as \(type.schemaName)")
        case nil: break
        }
        if memberOrNull("latitude") != nil || memberOrNull("longitude") != nil { return .location(try location()) }
        if memberOrNull("fileChecksum") != nil { return .asset(try asset()) }
        if memberOrNull("recordName") != nil { return .reference(try reference()) }
        throw refusal("is an object, but not a location, a reference or an asset")
    }

    /// A location. Clients may send its numbers as strings.
    func location() throws(CloudError) -> Location {
        let latitude = try required("latitude")
        let longitude = try required("longitude")
        var location = Location(latitude: try latitude.doubleOrText(), longitude: try longitude.doubleOrText())
        guard abs(location.latitude) <= 90 else { throw latitude.refusal("must lie between -90 and 90") }
        guard abs(location.longitude) <= 180 else { throw longitude.refusal("must lie between -180 and 180") }
        location.horizontalAccuracy = try number("horizontalAccuracy")
        location.verticalAccuracy = try number("verticalAccuracy")
        location.altitude = try number("altitude")
        location.speed = try number("speed")
        location.course = try number("course")
        if let timestamp = member("timestamp") {
            location.timestamp = try timestamp.timestamp(exact: member(WireNames.exactReferenceSeconds))
        }
        return location
    }

    /// An asset: the dictionary an upload returned, or one that an answer contained.
    func asset() throws(CloudError) -> Asset {
        let size = try required("size")
        let bytes = try size.integerOrText()
        guard bytes >= 0 else { throw size.refusal("must not be negative") }
        return Asset(
            fileChecksum: try required("fileChecksum").string(), size: bytes, receipt: try text("receipt"),
            referenceChecksum: try text("referenceChecksum"), wrappingKey: try text("wrappingKey"),
            downloadURL: try text("downloadURL"))
    }

    /// A moment: whole milliseconds, and beside them the exact seconds, which must not contradict them.
    func timestamp(exact: JSONReader?) throws(CloudError) -> Timestamp {
        let milliseconds = try integerOrText()
        guard let exact, !exact.isNull else { return Timestamp(milliseconds: milliseconds) }
        let seconds = try exact.double()
        guard Timestamp.agree(milliseconds, seconds) else {
            throw exact.refusal("must be within a millisecond of the value beside it")
        }
        return Timestamp(milliseconds: milliseconds, exactReferenceSeconds: seconds)
    }
}

extension Timestamp {
    /// Seconds from 1970-01-01 to 2001-01-01.
    private static let referenceDate = 978_307_200.0

    /// Whether milliseconds since 1970 and seconds since 2001 mean the same moment, but for rounding.
    static func agree(_ milliseconds: Int64, _ referenceSeconds: Double) -> Bool {
        let expected = Double(milliseconds)
        let exact = (referenceSeconds + referenceDate) * 1_000
        // Far from the epoch a double is coarser than a millisecond.
        return abs(exact - expected) <= 1 + 4 * max(expected.ulp, exact.magnitude.ulp)
    }
}
