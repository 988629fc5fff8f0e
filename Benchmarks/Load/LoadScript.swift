/// A Lua script that makes the requests of a load.
///
/// wrk runs it in every thread. The generator shares the machine with the server it loads, so what it takes itself
/// would pass for the server's: requests have a fixed length, one lies ready in memory, and before each the random
/// digits are put into it where they stand. (Put together of texts, a request of 200 records took a twelfth of the
/// processor time that the server took for it.)
struct LoadScript {
    let text: String

    /// Two digits to base 16, and three to base 10, which are other ones in each request. Neither mark stands in any text
    /// that is sent otherwise.
    static let hexDigits = "~~"
    static let decimalDigits = "^^^"

    /// So many marks.
    static func random(_ count: Int, of mark: String) -> String { String(repeating: mark, count: count) }

    /// A random name in the form of those that clients make: a UUID.
    static let randomName = [4, 2, 2, 2, 6].map { random($0, of: hexDigits) }.joined(separator: "-")

    /// - Parameters:
    ///   - method: Of all requests.
    ///   - path: With query.
    ///   - headers: Beside `Host` and `Content-Length`.
    ///   - body: Of all requests, with marks for what is random.
    init(method: String, path: String, headers: [String: String], body: String) {
        let fields = headers.sorted { $0.key < $1.key }.map { "[\"\($0.key)\"] = [[\($0.value)]]" }
        text = """
            \(Self.frame(seed: UInt32.random(in: 0..<1_000_000)))
            local ffi = require("ffi")
            local random, floor = math.random, math.floor
            local bytes, size
            local hexPlaces, hexCount, decimalPlaces, decimalCount
            local digits = ffi.new("uint8_t[16]")

            -- Where the marks stand, counted from 0.
            local function places(text, mark)
                local found = {}
                local start, last = text:find(mark, 1, true)
                while start do
                    found[#found + 1] = start - 1
                    start, last = text:find(mark, last + 1, true)
                end
                return ffi.new("int32_t[?]", #found + 1, found), #found
            end

            function init(arguments)
                math.randomseed(seed + number)
                ffi.copy(digits, "0123456789ABCDEF", 16)
                local body = [==[\(body)]==]
                local request = wrk.format("\(method)", [[\(path)]], { \(fields.joined(separator: ", ")) }, body)
                size = #request
                bytes = ffi.new("uint8_t[?]", size)
                ffi.copy(bytes, request, size)
                hexPlaces, hexCount = places(request, "\(Self.hexDigits)")
                decimalPlaces, decimalCount = places(request, "\(Self.decimalDigits)")
            end

            function request()
                for index = 0, hexCount - 1 do
                    local place, value = hexPlaces[index], random(0, 255)
                    bytes[place] = digits[floor(value / 16)]
                    bytes[place + 1] = digits[value % 16]
                end
                for index = 0, decimalCount - 1 do
                    local place, value = decimalPlaces[index], random(0, 999)
                    bytes[place] = digits[floor(value / 100)]
                    bytes[place + 1] = digits[floor(value / 10) % 10]
                    bytes[place + 2] = digits[value % 10]
                end
                return ffi.string(bytes, size)
            end
            """
    }

    /// A load that sends the same few requests again and again.
    init(method: String, paths: [String], headers: [String: String], bodies: [String]) {
        let fields = headers.sorted { $0.key < $1.key }.map { "[\"\($0.key)\"] = [[\($0.value)]]" }
        let list = zip(paths, bodies).map { path, body in
            "requests[#requests + 1] = wrk.format(\"\(method)\", [[\(path)]], fields, "
                + (body.isEmpty ? "nil" : "[[\(body)]]") + ")"
        }
        text = """
            \(Self.frame(seed: UInt32.random(in: 0..<1_000_000)))
            local requests = {}
            local random = math.random
            local count
            function init(arguments)
                math.randomseed(seed + number)
                local fields = { \(fields.joined(separator: ", ")) }
                \(list.joined(separator: "\n    "))
                count = #requests
            end
            function request() return requests[random(count)] end
            """
    }

    /// The same load by people instead of programs: each connection rests for so many milliseconds before a request.
    func resting(_ milliseconds: Int) -> LoadScript {
        LoadScript(text: text + "\nfunction delay() return \(milliseconds) end\n")
    }

    private init(text: String) { self.text = text }

    private static func frame(seed: UInt32) -> String {
        """
        local threads = 0
        local seed = \(seed)
        function setup(thread)
            threads = threads + 1
            thread:set("number", threads * 1000003)
        end
        function done(summary, latency)
            local errors = summary.errors
            local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
            io.write(string.format(
                'RESULT {"requests":%d,"duration":%d,"bytes":%d,"p50":%.3f,"p99":%.3f,"longest":%.3f,"failures":%d}\\n',
                summary.requests, summary.duration, summary.bytes, latency:percentile(50) / 1000,
                latency:percentile(99) / 1000, latency.max / 1000, failures))
        end
        """
    }
}
