import Foundation

/// A place for an error: `error: &error` or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
