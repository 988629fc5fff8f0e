import Foundation
import StratusCloudModel
import StratusCloudWire

/// Where a query goes on. Opaque.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKQueryOperation/Cursor``.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
    private enum Place: Equatable, Sendable {
        /// The question with the server's marker.
        case here(QueryRecordsRequest)
        /// What an archive of Apple's says of a query of iCloud.
        case elsewhere(Data, CKRecordZone.ID?)
    }

    private enum Key {
        static let request = "Request"
        /// Apple's.
        static let cursorData = "CursorData"
        static let zoneID = "ZoneID"
    }

    private let place: Place

    init(_ request: QueryRecordsRequest) { place = .here(request) }

    /// The position from which the query continues.
    /// - Throws: `invalidArguments` for a cursor that Apple's system archived.
    func request() throws -> QueryRecordsRequest {
        guard case .here(let request) = place else {
            throw NSError.cloudKit(
                .invalidArguments, "The cursor is of a query of another cloud. Begin the query anew.")
        }
        return request
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole. One of Apple's can be read and kept, but no query goes on with it.
    public init?(coder: NSCoder) {
        if let data = coder.decoded(NSData.self, Key.cursorData) as Data? {
            place = .elsewhere(data, coder.decoded(CKRecordZoneID.self, Key.zoneID))
            return
        }
        guard let data = coder.decoded(NSData.self, Key.request) as Data?,
            let decoded = try? RequestDecoder().queryRecords([UInt8](data)), decoded.request.continuationMarker != nil
        else { return nil }
        var request = decoded.request
        // The server's marker is for the query as it was.
        request.query = request.query.typed
        place = .here(request)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        switch place {
        case .here(let request):
            // What the server gave a marker for was encoded before, so it can be.
            guard let bytes = try? RequestEncoder().queryRecords(request) else { return }
            coder.encode(Data(bytes) as NSData, forKey: Key.request)
        case .elsewhere(let data, let zoneID):
            coder.encode(data as NSData, forKey: Key.cursorData)
            coder.encode(zoneID, forKey: Key.zoneID)
        }
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it goes on at the same place of the same query.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKQueryCursor)?.place == place }
    /// Of the place.
    public override var hash: Int {
        switch place {
        case .here(let request): request.continuationMarker.hashValue
        case .elsewhere(let data, _): data.hashValue
        }
    }
    /// For logs.
    public override var description: String { "<CKQueryCursor>" }
}
