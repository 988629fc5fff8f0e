// The only file that Apple's systems do not need: it gives the others, which import Foundation alone, the key-value store.
#if canImport(StratusUbiquity)
    @_exported import StratusUbiquity
#endif
