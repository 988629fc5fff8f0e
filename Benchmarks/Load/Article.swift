/// The record type of all loads: what an app that publishes texts would have.
enum Article {
    /// With the indexes that such an app needs, or with all that development makes by itself.
    enum Indexes { case production, development }

    static let recordType = "Article"
    /// Bytes of the text.
    static let bodySize = 300

    /// Some words as long as ``bodySize``.
    static let body: String = {
        let words = "clouds gather over the harbour while the evening ferry leaves its berth for the islands "
        return String(String(repeating: words, count: bodySize / words.utf8.count + 1).prefix(bodySize))
    }()

    static let schema = """
        DEFINE SCHEMA
        RECORD TYPE \(recordType) (
            "___recordID" REFERENCE QUERYABLE,
            "___modTime" TIMESTAMP QUERYABLE SORTABLE,
            title STRING QUERYABLE,
            body STRING,
            count INT64 QUERYABLE SORTABLE,
            when TIMESTAMP SORTABLE,
            rating DOUBLE,
            tags LIST<STRING>,
            GRANT READ TO "_world",
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO "_creator"
        );
        """

    /// The operation that creates an article of random name and values, as a ``LoadScript`` makes it.
    static let operation = """
        {"operationType":"create","record":{"recordName":"\(LoadScript.randomName)","recordType":"\(recordType)",\
        "fields":{"title":{"value":"Article \(hex(2)) of \(hex(2))"},"body":{"value":"\(body)"},\
        "count":{"value":1\(decimals(2))},"when":{"value":1700\(decimals(2))000,"type":"TIMESTAMP"},\
        "rating":{"value":4.25},"tags":{"value":["\(hex(2))","harbour"]}}}}
        """

    /// The same values as plain JSON, for servers that store JSON.
    static let plain = """
        {"title":"Article \(hex(2)) of \(hex(2))","body":"\(body)","count":1\(decimals(2)),\
        "when":1700\(decimals(2))000,"rating":4.25,"tags":["\(hex(2))","harbour"]}
        """

    private static func hex(_ pairs: Int) -> String { LoadScript.random(pairs, of: LoadScript.hexDigits) }
    private static func decimals(_ triples: Int) -> String { LoadScript.random(triples, of: LoadScript.decimalDigits) }

    /// The record of a number in a data set of `total`, which has every count from 0 on once, as exports write it.
    static func line(_ number: Int, of total: Int) -> String {
        """
        {"recordName":"\(name(number))","recordType":"\(recordType)","recordChangeTag":"1",\
        "created":{"timestamp":0,"userRecordName":"_0"},"modified":{"timestamp":0,"userRecordName":"_0"},\
        "fields":\(fields(number, of: total))}
        """
    }

    /// The name of the record of a number.
    static func name(_ number: Int) -> String {
        let (high, low) = (mixed(UInt64(number) &* 2), mixed(UInt64(number) &* 2 &+ 1))
        let digits = padded(high) + padded(low)
        var name = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { name += "-" }
            name.append(digit)
        }
        return name
    }

    static func fields(_ number: Int, of total: Int) -> String {
        let random = mixed(UInt64(number))
        // Coprime to every power of ten: a permutation.
        let count = number * 7_919 % total
        return """
            {"title":{"value":"Article \(padded(random).prefix(12))"},"body":{"value":"\(body)"},\
            "count":{"value":\(count)},"when":{"value":\(1_700_000_000_000 + Int(random % 1_000_000) * 1_000),\
            "type":"TIMESTAMP"},"rating":{"value":4.25},"tags":{"value":["\(padded(random).suffix(4))","harbour"]}}
            """
    }

    private static func padded(_ value: UInt64) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// SplitMix64: the same names in every run.
    private static func mixed(_ seed: UInt64) -> UInt64 {
        var value = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
