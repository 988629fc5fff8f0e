@_exported import CoreData
@_exported import Foundation
@_exported import StratusCompatibility
@_exported import StratusCoreData
@_exported import StratusCoreDataMirroring
