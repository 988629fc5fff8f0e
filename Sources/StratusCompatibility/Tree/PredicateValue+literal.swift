// Formats have literals for texts and numbers only. The others are written as casts of those, dates as on Apple's
// platforms: CAST(726062400.5, "NSDate").
extension PredicateValue {
    /// The value that a cast of a constant is, if it has one.
    init?(literal value: PredicateValue, type: String) {
        switch (type, value) {
        case ("NSDate", _):
            guard let seconds = value.double else { return nil }
            self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case ("NSData", .string(let text)):
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .data(data)
        case ("NSUUID", .string(let text)):
            guard let uuid = UUID(uuidString: text) else { return nil }
            self = .uuid(uuid)
        case ("NSURL", .string(let text)):
            guard let url = URL(string: text) else { return nil }
            self = .url(url)
        case ("NSDecimalNumber", .string(let text)):
            guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else { return nil }
            self = .decimal(decimal)
        case ("NSNumber", .string("nan")): self = .double(.nan)
        case ("NSNumber", .string("inf")): self = .double(.infinity)
        case ("NSNumber", .string("-inf")): self = .double(-.infinity)
        case ("NSDictionary", .list(let members)):
            guard let dictionary = Self.dictionary(members) else { return nil }
            self = .dictionary(dictionary)
        case ("CLLocation", .list(let numbers)):
            guard let location = CLLocation(numbers: numbers.compactMap(\.double)) else { return nil }
            self = .location(location)
        default: return nil
        }
    }

    /// What is cast to which type, if the value has no literal of its own.
    var literal: (value: PredicateValue, type: String)? {
        switch self {
        case .date(let date): (.double(date.timeIntervalSinceReferenceDate), "NSDate")
        case .data(let data): (.string(data.base64EncodedString()), "NSData")
        case .uuid(let uuid): (.string(uuid.uuidString), "NSUUID")
        case .url(let url): (.string(url.absoluteString), "NSURL")
        case .decimal(let decimal): (.string(decimal.description), "NSDecimalNumber")
        case .double(let value) where !value.isFinite: (.string("\(value)"), "NSNumber")
        case .dictionary(let members):
            (.list(members.sorted { $0.key < $1.key }.flatMap { [.string($0.key), $0.value] }), "NSDictionary")
        case .location(let location): (.list(location.numbers.map { .double($0) }), "CLLocation")
        // Of an object only its description can be written; what is read is no longer the object.
        case .object(let object): (.string(object.description), "\(type(of: object.object))")
        case .null, .bool, .integer, .unsigned, .double, .string, .list: nil
        }
    }

    /// A number as floating point.
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Keys and values in turn.
    private static func dictionary(_ members: [PredicateValue]) -> [String: PredicateValue]? {
        guard members.count.isMultiple(of: 2) else { return nil }
        var result: [String: PredicateValue] = [:]
        for index in stride(from: 0, to: members.count, by: 2) {
            guard case .string(let key) = members[index] else { return nil }
            result[key] = members[index + 1]
        }
        return result
    }
}

extension CLLocation {
    /// All that a program can give a location.
    fileprivate var numbers: [Double] {
        [
            coordinate.latitude, coordinate.longitude, altitude, horizontalAccuracy, verticalAccuracy, course,
            courseAccuracy, speed, speedAccuracy, timestamp.timeIntervalSinceReferenceDate,
        ]
    }

    fileprivate convenience init?(numbers: [Double]) {
        guard numbers.count == 10 else { return nil }
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1]), altitude: numbers[2],
            horizontalAccuracy: numbers[3], verticalAccuracy: numbers[4], course: numbers[5],
            courseAccuracy: numbers[6], speed: numbers[7], speedAccuracy: numbers[8],
            timestamp: Date(timeIntervalSinceReferenceDate: numbers[9]))
    }
}
