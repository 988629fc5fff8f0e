// Apple's module `OSLog`, without its reader of the system's log.
@_exported import StratusLogging
