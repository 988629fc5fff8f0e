import StratusCloudModel
import StratusSeeds

extension SeededRandom {
    mutating func maybe<Value>(_ value: (inout SeededRandom) -> Value) -> Value? {
        below(2) == 0 ? nil : value(&self)
    }

    mutating func list<Value>(upTo count: Int, _ value: (inout SeededRandom) -> Value) -> [Value] {
        (0..<below(count + 1)).map { _ in value(&self) }
    }

    /// Text with everything that needs care: escapes, control characters, all lengths of UTF-8.
    mutating func text() -> String {
        var text = ""
        for _ in 0..<below(24) {
            let value: UInt32 =
                switch below(6) {
                case 0: UInt32(below(0x20))
                case 1: UInt32([0x22, 0x5C, 0x2F, 0x7F][below(4)])
                case 2: UInt32(0x80 + below(0x780))
                case 3: UInt32(0x800 + below(0xF800))
                case 4: UInt32(0x10000 + below(0x100000))
                default: UInt32(0x20 + below(0x5F))
                }
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    mutating func integer() -> Int64 {
        switch below(4) {
        case 0: [0, 1, -1, .max, .min, .max - 1, 1 << 53, -(1 << 53) - 1][below(8)]
        case 1: Int64(truncatingIfNeeded: next())
        default: Int64(below(2_000)) - 1_000
        }
    }

    mutating func double() -> Double {
        if below(2) == 0 { return Double(integer()) / 8 }
        let value = Double(bitPattern: next())
        return value.isFinite ? value : 0.1
    }
}
