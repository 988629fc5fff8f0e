/// Runs a closure. Linux has no autorelease pools: objects are released when they are used last.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
