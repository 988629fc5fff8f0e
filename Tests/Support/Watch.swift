import StratusHTTPClient
import StratusWaiting

/// Subscriptions, as dictionaries.
public enum Watch {
    /// Of the records of a type; `members` are added, and win.
    public static func query(_ name: String, _ type: String, _ members: JSON = [:]) -> JSON {
        let subscription: JSON = [
            "subscriptionID": .string(name), "subscriptionType": "query", "query": ["recordType": .string(type)],
            "firesOn": ["create", "update", "delete"],
        ]
        return subscription.merging(members)
    }

    /// Of everything in a zone.
    public static func zone(_ name: String, _ zone: String) -> JSON {
        [
            "subscriptionID": .string(name), "subscriptionType": "zone", "zoneID": ["zoneName": .string(zone)],
            "notificationInfo": ["shouldSendContentAvailable": true],
        ]
    }

    /// Of everything in all custom zones.
    public static func database(_ name: String) -> JSON {
        [
            "subscriptionID": .string(name), "subscriptionType": "database",
            "notificationInfo": ["shouldSendContentAvailable": true],
        ]
    }

    /// The `notificationInfo` of a notification that shows a text.
    public static func alert(_ text: String = "!", _ members: JSON = [:]) -> JSON {
        let info: JSON = ["alertBody": .string(text)]
        return ["notificationInfo": info.merging(members)]
    }
}

extension Database {
    /// `subscriptions/modify`: the items of the answer.
    /// - Throws: ``UnexpectedAnswer`` if the request was refused.
    public func subscriptions(_ operations: [JSON]) async throws -> [JSON] {
        let answer = try await post("subscriptions/modify", ["operations": .array(operations)])
        guard answer.status == 200, let items = answer.json["subscriptions"].array, items.count == operations.count
        else { throw UnexpectedAnswer(answer) }
        return items
    }

    /// Saves subscriptions and gives them back.
    /// - Throws: ``UnexpectedAnswer`` if one was not saved.
    @discardableResult
    public func subscribe(_ subscriptions: JSON...) async throws -> [JSON] {
        let operations = subscriptions.map { JSON.object(["operationType": "create", "subscription": $0]) }
        let answer = try await post("subscriptions/modify", ["operations": .array(operations)])
        let items = answer.json["subscriptions"].array ?? []
        guard answer.status == 200, items.count == operations.count,
            items.allSatisfy({ !$0["serverErrorCode"].isPresent })
        else { throw UnexpectedAnswer(answer) }
        return items
    }

    /// A device of the caller, as CloudKit JS makes one.
    public func device(clientID: String? = nil) async throws -> Device {
        var body: JSON = ["apnsEnvironment": "development"]
        if let clientID { body["clientId"] = .string(clientID) }
        let answer = try await send(
            "POST", path: "/device/1/\(container)/\(environment)/tokens/create",
            headers: ["Content-Type": "text/plain"], body: Array(body.text.utf8))
        guard answer.status == 200, let token = answer.json["apnsToken"].string,
            let poll = answer.json["webcourierURL"].string, let events = answer.json["eventStreamURL"].string
        else { throw UnexpectedAnswer(answer) }
        return Device(token: token, webcourierURL: poll, eventStreamURL: events, registration: answer.json)
    }
}

/// A device that comes for its notifications.
public struct Device: Sendable {
    /// `apnsToken`
    public let token: String
    /// Where it polls.
    public let webcourierURL: String
    /// Where it listens.
    public let eventStreamURL: String
    /// The whole answer.
    public let registration: JSON

    /// A device that is known from before.
    public init(token: String, webcourierURL: String, eventStreamURL: String, registration: JSON = .absent) {
        self.token = token
        self.webcourierURL = webcourierURL
        self.eventStreamURL = eventStreamURL
        self.registration = registration
    }

    /// Waits for the next notification, without credentials or headers, as CloudKit JS does.
    public func poll() async throws -> Answer {
        let request = HTTPClientRequest(method: "GET", url: webcourierURL)
        return Answer(try await Database.http.send(request), to: request)
    }
}

/// A device that listens to its stream of server-sent events, with a connection of its own.
public final class EventStream: Sendable {
    /// One event.
    public struct Event: Sendable {
        /// Its name, for `Last-Event-ID`.
        public let id: String
        /// The notification.
        public let notification: JSON
    }

    private let process: ChildProcess

    /// Connects, and waits until the server has answered.
    public init(_ device: Device, after id: String? = nil) async throws {
        let resume = id.map { ["-H", "Last-Event-ID: \($0)"] } ?? []
        process = try ChildProcess("/usr/bin/curl", ["-sN", device.eventStreamURL] + resume)
        try await wait(for: "the beginning of a stream of events", givingUpBy: { [process] in process.send(9) }) {
            for await line in process.lines where line.hasPrefix("retry:") { return }
            throw Tool.Failure(description: "the stream ends at once")
        }
    }

    deinit { process.send(9) }

    /// The next event; nil when the stream is over.
    /// - Throws: ``WaitedInVain`` if neither comes to be.
    public func next() async throws -> Event? {
        try await wait(for: "the next event of a stream, or its end", givingUpBy: { [process] in process.send(9) }) {
            var id = ""
            for await line in process.lines {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                guard line.hasPrefix("data: ") else { continue }
                let payload = try? JSON(parsing: Array(line.dropFirst(6).utf8))
                return Event(id: id, notification: payload ?? .absent)
            }
            return nil
        }
    }

    /// Breaks the connection.
    public func close() { process.send(9) }
}
