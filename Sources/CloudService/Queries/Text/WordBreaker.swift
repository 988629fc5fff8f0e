import CICU
import CloudModel
import Workers

/// Finds words by Unicode's rules (UAX 29), in no particular language.
///
/// `@unchecked Sendable`: a breaker is used by one thread at a time, the one that took it out of the pool.
final class WordBreaker: @unchecked Sendable {
    private static let pool = Lock<[WordBreaker]>([])
    private static let pooled = 16

    private let handle: OpaquePointer

    private init() throws(CloudError) {
        var error = U_ZERO_ERROR
        guard let handle = cicu_open_word_breaker(&error), error.rawValue <= U_ZERO_ERROR.rawValue else {
            throw ICU.failure(error)
        }
        self.handle = handle
    }

    deinit { cicu_close_breaker(handle) }

    /// Calls `body` with the ranges of words, numbers and pictographs in a text until it returns false.
    static func forEachWord(in text: ArraySlice<UInt16>, _ body: (Range<Int>) -> Bool) throws(CloudError) {
        let idle = pool.withLock { $0.popLast() }
        let breaker = if let idle { idle } else { try WordBreaker() }
        let error = breaker.scan(text, body)
        pool.withLock { if $0.count < pooled { $0.append(breaker) } }
        if error.rawValue > U_ZERO_ERROR.rawValue { throw ICU.failure(error) }
    }

    private func scan(_ text: ArraySlice<UInt16>, _ body: (Range<Int>) -> Bool) -> UErrorCode {
        text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return U_ZERO_ERROR }
            var error = U_ZERO_ERROR
            cicu_set_text(handle, start, Int32(buffer.count), &error)
            var lower = 0
            while error.rawValue <= U_ZERO_ERROR.rawValue {
                let upper = Int(cicu_next_boundary(handle))
                guard upper > lower else { break }
                let isWord = cicu_rule_status(handle) >= Int32(UBRK_WORD_NONE_LIMIT.rawValue)
                if isWord || Self.isPictograph(buffer[lower..<upper]) {
                    guard body(lower + text.startIndex..<upper + text.startIndex) else { break }
                }
                lower = upper
            }
            // The text is about to go; the breaker must not point to it.
            var ignored = U_ZERO_ERROR
            cicu_set_text(handle, Self.nothing, 0, &ignored)
            return error
        }
    }

    private static func isPictograph(_ units: Slice<UnsafeBufferPointer<UInt16>>) -> Bool {
        // ASCII digits and punctuation are words or nothing; © and ® are the first pictographs.
        guard let first = units.first, first >= 0xA9 else { return false }
        return ScalarScan(Array(units)).contains { cicu_is_pictograph(Int32(bitPattern: $0.scalar)) }
    }

    // `nonisolated(unsafe)`: one code unit that nobody writes after it is made.
    nonisolated(unsafe) private static let nothing: UnsafePointer<UInt16> = {
        let unit = UnsafeMutablePointer<UInt16>.allocate(capacity: 1)
        unit.initialize(to: 0)
        return UnsafePointer(unit)
    }()
}
