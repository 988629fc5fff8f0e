// The part of Apple's module `UIKit` that is about documents.
@_exported import StratusUbiquity
