import Foundation
import Testing

/// Runs `body` without the powers of root, if the tests run as root; only this thread's file accesses are affected.
func asOrdinaryUser<Result>(_ body: () -> Result) throws -> Result {
    // The toolchain's Glibc module leaves this function out.
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setFileSystemUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    let nobody: uid_t = 65_534
    let user = geteuid()
    if user != 0 { return body() }
    _ = setFileSystemUser(nobody)
    defer { _ = setFileSystemUser(user) }
    return body()
}
