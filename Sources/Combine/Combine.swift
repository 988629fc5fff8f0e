// Apple's module `Combine`: the part of it that StratusCombine has.
@_exported import StratusCombine
@_exported import StratusObservation
