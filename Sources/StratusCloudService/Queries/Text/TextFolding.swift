import StratusCICU
import StratusCloudModel

/// Makes spellings of a word equal: compatibility forms, capitals and diacritics.
///
/// NFKD, then diacritics dropped, default case folding, and NFC again. Marks that are letters of their script rather
/// than diacritics stay: vowel signs of Indic scripts and the sound marks of kana. Case folding knows no language, so
/// the Turkish İ and I are i, and ı is a letter of its own.
enum TextFolding {
    typealias Step = (
        UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>
    )
        -> Int32

    private static let typographicApostrophe: UInt32 = 0x2019
    private static let apostrophe: UInt16 = 0x27
    private static let softHyphen: UInt32 = 0xAD
    private static let variationSelectors: ClosedRange<UInt32> = 0xFE00...0xFE0F

    /// The folded text in UTF-16.
    static func fold(_ text: String) throws(CloudError) -> [UInt16] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map { UInt16(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0) }
        }
        let decomposed = try transform(Array(text.utf16), cicu_nfkd)
        let folded = try transform(withoutDiacritics(decomposed), cicu_fold_case)
        return try transform(folded, cicu_nfc)
    }

    private static func withoutDiacritics(_ text: [UInt16]) -> [UInt16] {
        var result: [UInt16] = []
        result.reserveCapacity(text.count)
        for (scalar, range) in ScalarScan(text) {
            switch scalar {
            case typographicApostrophe: result.append(apostrophe)
            case softHyphen, variationSelectors: continue
            default:
                if scalar < 0x300 || !isDiacritic(scalar) { result.append(contentsOf: text[range]) }
            }
        }
        return result
    }

    private static func isDiacritic(_ scalar: UInt32) -> Bool {
        switch cicu_combining_class(scalar) {
        // Hebrew, Arabic and Syriac points, and the attached and detached marks of the other scripts.
        case 10...36, 200...240: true
        default: false
        }
    }

    /// - Throws: `internalError` if the Unicode library fails.
    static func transform(_ text: [UInt16], _ step: Step) throws(CloudError) -> [UInt16] {
        var capacity = text.count + text.count / 4 + 16
        // The second round has the room that the first one asked for.
        for _ in 0..<2 {
            var error: Int32 = 0
            var needed: Int32 = 0
            let output = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
                text.withUnsafeBufferPointer { input in
                    guard let source = input.baseAddress, let target = buffer.baseAddress else { return }
                    needed = step(source, Int32(input.count), target, Int32(capacity), &error)
                }
                count = min(Int(max(needed, 0)), error <= 0 ? capacity : 0)
            }
            if error == cicu_buffer_overflow {
                capacity = Int(needed) + 1
            } else if error > 0 {
                throw ICU.failure(error)
            } else {
                return Array(output.prefix(Int(needed)))
            }
        }
        throw ICU.failure(cicu_buffer_overflow)
    }
}

/// The Unicode library.
enum ICU {
    static func failure(_ error: Int32) -> CloudError {
        CloudError(.internalError, "The Unicode library failed with error \(error); its data may be missing")
    }
}

/// The scalars of UTF-16 text and where they stand; a lone surrogate counts as U+FFFD.
struct ScalarScan: Sequence, IteratorProtocol {
    private let text: [UInt16]
    private var position = 0

    init(_ text: [UInt16]) { self.text = text }

    mutating func next() -> (scalar: UInt32, range: Range<Int>)? {
        guard position < text.count else { return nil }
        let start = position
        let unit = text[start]
        position += 1
        guard UTF16.isSurrogate(unit) else { return (UInt32(unit), start..<position) }
        guard UTF16.isLeadSurrogate(unit), position < text.count, UTF16.isTrailSurrogate(text[position]) else {
            return (0xFFFD, start..<position)
        }
        let scalar = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(text[position]) - 0xDC00)
        position += 1
        return (scalar, start..<position)
    }
}
