// What `import CloudKit` brings along on Apple's systems, too.
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import StratusCompatibility
@_exported import StratusCoreLocation
@_exported import StratusObservation
