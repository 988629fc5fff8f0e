@_exported import StratusCoreLocation
