@_exported import StratusUbiquity
