@_exported import Foundation

/// A latitude or longitude in degrees.
public typealias CLLocationDegrees = Double

/// A distance in metres.
public typealias CLLocationDistance = Double

/// How exact a place is: metres within which it lies. Negative if the place is not valid.
public typealias CLLocationAccuracy = Double

/// A speed in metres a second. Negative if unknown.
public typealias CLLocationSpeed = Double

/// How exact a speed is: metres a second. Negative if unknown.
public typealias CLLocationSpeedAccuracy = Double

/// A direction in degrees clockwise from true north. Negative if unknown.
public typealias CLLocationDirection = Double

/// How exact a direction is: degrees. Negative if unknown.
public typealias CLLocationDirectionAccuracy = Double

// Values of Apple's headers; programs store them.

/// The best accuracy, with the help of further sensors.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000

/// Every movement counts.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every turn counts.
public let kCLHeadingFilterNone: CLLocationDegrees = -1
// Apple's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The greatest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
// Apple's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The longest time.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude
/// The domain of Core Location's errors.
public let kCLErrorDomain = "kCLErrorDomain"
