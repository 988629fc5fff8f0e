@_exported import Foundation
@_exported import StratusCompatibility
@_exported import StratusCoreData
