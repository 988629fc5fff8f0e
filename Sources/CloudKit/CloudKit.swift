@_exported import StratusCloudKit
