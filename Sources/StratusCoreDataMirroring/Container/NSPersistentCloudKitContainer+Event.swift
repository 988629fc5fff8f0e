import Foundation
import StratusCompatibility
import StratusCoreData

extension NSPersistentCloudKitContainer {
    /// Posted when an event begins and when it ends, on an arbitrary thread. The object is the container.
    public static let eventChangedNotification = NSNotification.Name(
        "NSPersistentCloudKitContainerEventChangedNotification")

    /// The key of the ``Event`` in the `userInfo` of ``eventChangedNotification``.
    public static let eventNotificationUserInfoKey = "event"

    /// The kinds of events, with Apple's numbers.
    public enum EventType: Int, Sendable {
        /// The preparation of a store.
        case setup = 0
        /// Changes of the cloud are taken over.
        case `import` = 1
        /// Changes of the store are sent.
        case export = 2
    }

    // `@unchecked Sendable`: no property ever changes, and errors are values or immutable objects.
    /// Something that the mirroring of a store does.
    open class Event: NSObject, NSCopying, KeyValueReadable, @unchecked Sendable {
        /// The identity of the event, which is the same when it begins and when it ends.
        public let identifier: UUID
        /// The identifier of the store.
        public let storeIdentifier: String
        /// The kind of the event.
        public let type: EventType
        /// The time at which the event began.
        public let startDate: Date
        /// The time at which the event ended; nil if it has not.
        public let endDate: Date?
        /// Whether the event has ended without an error.
        public let succeeded: Bool
        /// The reason why the event failed.
        public let error: (any Error)?

        init(
            _ row: EventRow, type: EventType, storeIdentifier: String, error: (any Error)?
        ) {
            identifier = row.identifier
            self.storeIdentifier = storeIdentifier
            self.type = type
            startDate = row.start
            endDate = row.end
            succeeded = row.succeeded
            self.error = error
        }

        /// Makes an event of the tables; nil if it is of no known kind.
        convenience init?(_ row: EventRow, storeIdentifier: String) {
            guard let type = EventType(rawValue: Int(row.type)) else { return nil }
            let error = row.error.map { failure in
                NSError(
                    domain: failure.domain, code: failure.code, userInfo: [NSLocalizedDescriptionKey: failure.text])
            }
            self.init(row, type: type, storeIdentifier: storeIdentifier, error: error)
        }

        /// Returns the event itself, which never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }

        /// Returns a property for predicates and sort descriptors.
        open func value(forKey key: String) -> Any? {
            switch key {
            case "identifier": identifier
            case "storeIdentifier": storeIdentifier
            case "type": type.rawValue
            case "startDate": startDate
            case "endDate": endDate
            case "succeeded": succeeded
            case "error": error
            default: nil
            }
        }

        /// The properties.
        open override var description: String {
            let error = error.map { " error=\($0)" } ?? ""
            return "<NSPersistentCloudKitContainerEvent: \(identifier) type=\(type) store=\(storeIdentifier) "
                + "started=\(startDate) ended=\(endDate.map { "\($0)" } ?? "no") succeeded=\(succeeded)\(error)>"
        }
    }
}
