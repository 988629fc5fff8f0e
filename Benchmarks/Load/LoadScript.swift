/// A Lua script that makes the requests of a load.
///
/// wrk runs it in every thread. Bodies have a fixed length, so that the head of a request is made once, and what
/// differs is put together of ready pieces: the generator shares the machine with the server it loads. There are few of
/// them, because Lua looks at each whenever it collects what is not used any more: with all texts of four digits ready, that
/// was three quarters of the work of a request of 200 creates.
struct LoadScript {
    let text: String

    /// - Parameters:
    ///   - method: Of all requests.
    ///   - path: With query.
    ///   - headers: Beside `Host` and `Content-Length`.
    ///   - preparation: Lua that runs once a thread.
    ///   - body: A Lua expression: the body of the next request, always as long.
    init(method: String, path: String, headers: [String: String], preparation: String = "", body: String) {
        let fields = headers.sorted { $0.key < $1.key }.map { "[\"\($0.key)\"] = [[\($0.value)]]" }
        text = """
            \(Self.frame(seed: UInt32.random(in: 0..<1_000_000)))
            local head
            local function body() return \(body) end
            function init(arguments)
                \(Self.tables)
                \(preparation)
                local example = body()
                head = wrk.format("\(method)", [[\(path)]], { \(fields.joined(separator: ", ")) }, example)
                head = head:sub(1, -#example - 1)
            end
            function request() return head .. body() end
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

    /// A random name in the form of those that clients make: a UUID.
    static let randomName = "name()"

    private static let tables = """
        math.randomseed(seed + number)
            for value = 0, 255 do hex[value] = string.format("%02X", value) end
            for value = 0, 999 do digits[value] = string.format("%03d", value) end
        """

    private static func frame(seed: UInt32) -> String {
        """
        local threads = 0
        local seed = \(seed)
        local hex, digits = {}, {}
        local random, concat = math.random, table.concat
        local function x() return hex[random(0, 255)] end
        local function d() return digits[random(0, 999)] end
        local function name()
            return x() .. x() .. x() .. x() .. "-" .. x() .. x() .. "-" .. x() .. x() .. "-" .. x() .. x() .. "-"
                .. x() .. x() .. x() .. x() .. x() .. x()
        end
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
