import StratusCICU
import StratusCloudModel
import StratusWorkers

/// Finds words by Unicode's rules (UAX 29), in no particular language.
///
/// `@unchecked Sendable`: a breaker is used by one thread at a time, the one that took it out of the pool.
final class WordBreaker: @unchecked Sendable {
    private static let pool = Lock<[WordBreaker]>([])
    private static let pooled = 16

    private let handle: OpaquePointer

    private init() throws(CloudError) {
        var error: Int32 = 0
        guard let handle = cicu_open_word_breaker(&error), error <= 0 else { throw ICU.failure(error) }
        self.handle = handle
    }

    deinit { cicu_close_breaker(handle) }

    /// Calls `body` with the ranges of words, numbers and pictographs in a text until it returns false.
    static func forEachWord(in text: ArraySlice<UInt16>, _ body: (Range<Int>) -> Bool) throws(CloudError) {
        let idle = pool.withLock { $0.popLast() }
        let breaker = if let idle { idle } else { try WordBreaker() }
        let error = breaker.scan(text, body)
        pool.withLock { if $0.count < pooled { $0.append(breaker) } }
        if error > 0 { throw ICU.failure(error) }
    }

    private func scan(_ text: ArraySlice<UInt16>, _ body: (Range<Int>) -> Bool) -> Int32 {
        text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var error: Int32 = 0
            cicu_set_text(handle, start, Int32(buffer.count), &error)
            var lower = 0
            while error <= 0 {
                let upper = Int(cicu_next_boundary(handle))
                guard upper > lower else { break }
                if cicu_is_word(handle) || Self.isPictograph(buffer[lower..<upper]) {
                    guard body(lower + text.startIndex..<upper + text.startIndex) else { break }
                }
                lower = upper
            }
            // The text is about to go; the breaker must not point to it.
            var ignored: Int32 = 0
            cicu_set_text(handle, Self.nothing, 0, &ignored)
            return error
        }
    }

    private static func isPictograph(_ units: Slice<UnsafeBufferPointer<UInt16>>) -> Bool {
        // ASCII digits and punctuation are words or nothing; © and ® are the first pictographs.
        guard let first = units.first, first >= 0xA9 else { return false }
        return ScalarScan(Array(units)).contains { cicu_is_pictograph($0.scalar) }
    }

    // `nonisolated(unsafe)`: one code unit that nobody writes after it is made.
    nonisolated(unsafe) private static let nothing: UnsafePointer<UInt16> = {
        let unit = UnsafeMutablePointer<UInt16>.allocate(capacity: 1)
        unit.initialize(to: 0)
        return UnsafePointer(unit)
    }()
}
