import StratusCICU
import StratusCloudModel

/// A text as token search sees it. All texts are folded (``TextFolding``), in UTF-8.
struct TokenizedText: Sendable {
    /// What the index holds: the words, and single characters and pairs of the ideographic runs.
    var tokens: Set<[UInt8]> = []
    /// Stretches of Chinese and Japanese, which has no spaces: any part of them can be looked for.
    var runs: [[UInt8]] = []
    /// Words and runs in the order of the text, for the query side.
    var terms: [TokenTerm] = []
}

/// One word, or one stretch of Chinese or Japanese.
enum TokenTerm: Hashable, Sendable {
    case word([UInt8])
    /// `tokens`: the tokens that a text with this run has.
    case run([UInt8], tokens: [[UInt8]])

    /// The index tokens that a text with this term has, all of them.
    var tokens: [[UInt8]] {
        switch self {
        case .word(let word): [word]
        case .run(_, let tokens): tokens
        }
    }

    func isIn(_ text: TokenizedText) -> Bool {
        switch self {
        case .word(let word): text.tokens.contains(word)
        case .run(let run, let tokens):
            text.tokens.isSuperset(of: tokens) && text.runs.contains { $0.contains(run) }
        }
    }
}

/// Splits texts into what token search finds.
enum Tokenizer {
    /// The words that are ignored in a search unless there are no others.
    static let stopWords: Set<[UInt8]> = {
        let words = """
            a an and are as at be but by for if in into is it no not of on or such that the their then there these \
            they this to was will with
            """
        return Set(words.split(separator: " ").map { Array($0.utf8) })
    }()

    /// The text of a field's value: of all members, if it is a list.
    static func text(of content: QueryableField.Content) throws(CloudError) -> TokenizedText {
        var text = TokenizedText()
        switch content {
        case .scalar(.string(let string)): try add(string, to: &text)
        case .list(let elements):
            for case .string(let string) in elements { try add(string, to: &text) }
        case .scalar: break
        }
        return text
    }

    /// The distinct terms that a search asks for.
    static func terms(ofSearch string: String) throws(CloudError) -> [TokenTerm] {
        var text = TokenizedText()
        try add(string, to: &text)
        var seen: Set<TokenTerm> = []
        let terms = text.terms.filter { seen.insert($0).inserted }
        let telling = terms.filter { term in
            if case .word(let word) = term { !stopWords.contains(word) } else { true }
        }
        return telling.isEmpty ? terms : telling
    }

    private static func add(_ string: String, to text: inout TokenizedText) throws(CloudError) {
        let folded = try TextFolding.fold(string)
        var start = 0
        var isRun = false
        for (scalar, range) in ScalarScan(folded) {
            let isIdeographic = Self.isIdeographic(scalar)
            if isIdeographic != isRun {
                try addPiece(folded[start..<range.lowerBound], isRun: isRun, to: &text)
                start = range.lowerBound
                isRun = isIdeographic
            }
            if text.tokens.count >= QueryLimits.tokensPerValue { return }
        }
        try addPiece(folded[start...], isRun: isRun, to: &text)
    }

    private static func addPiece(
        _ piece: ArraySlice<UInt16>, isRun: Bool, to text: inout TokenizedText
    ) throws(CloudError) {
        if isRun { return addRun(piece, to: &text) }
        guard !piece.isEmpty else { return }
        try WordBreaker.forEachWord(in: piece) { range in
            guard text.tokens.count < QueryLimits.tokensPerValue else { return false }
            let word = cut(Array(String(decoding: piece[range], as: UTF16.self).utf8))
            text.tokens.insert(word)
            text.terms.append(.word(word))
            return true
        }
    }

    private static func addRun(_ piece: ArraySlice<UInt16>, to text: inout TokenizedText) {
        var run: [UInt8] = []
        var tokens: [[UInt8]] = []
        var previous: [UInt8] = []
        for scalar in String(decoding: piece, as: UTF16.self).unicodeScalars {
            guard text.tokens.count < QueryLimits.tokensPerValue else { break }
            let character = Array(String(scalar).utf8)
            text.tokens.insert(character)
            if !previous.isEmpty {
                let pair = previous + character
                text.tokens.insert(pair)
                tokens.append(pair)
            }
            run += character
            previous = character
        }
        guard !run.isEmpty else { return }
        text.runs.append(run)
        text.terms.append(.run(run, tokens: tokens.isEmpty ? [run] : tokens))
    }

    /// At most ``QueryLimits/tokenSize`` bytes, whole characters.
    private static func cut(_ word: [UInt8]) -> [UInt8] {
        guard word.count > QueryLimits.tokenSize else { return word }
        var end = QueryLimits.tokenSize
        while end > 0, word[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(word[..<end])
    }

    /// Han, Hiragana and Katakana, and the marks that stand among them.
    private static func isIdeographic(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x2E80 else { return false }
        switch scalar {
        // Kana voicing marks and the prolonged sound mark.
        case 0x3099...0x309C, 0x30FC: return true
        default: return cicu_is_ideographic(scalar)
        }
    }
}

extension [UInt8] {
    /// Whether `part` stands somewhere in these bytes.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= count else { return part.isEmpty }
        for start in 0...(count - part.count) where self[start] == first {
            if self[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }
}
