import Foundation
import StratusCloudModel
import StratusCloudWire

/// Where a query goes on. Opaque.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKQueryOperation/Cursor``.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The question with the server's marker.
    let request: QueryRecordsRequest

    init(_ request: QueryRecordsRequest) { self.request = request }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let data = coder.decoded(NSData.self, "Request") as Data?,
            let decoded = try? RequestDecoder().queryRecords([UInt8](data)), decoded.request.continuationMarker != nil
        else { return nil }
        var request = decoded.request
        // The server's marker is for the query as it was.
        request.query = request.query.typed
        self.request = request
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        // What the server gave a marker for was encoded before, so it can be.
        guard let bytes = try? RequestEncoder().queryRecords(request) else { return }
        coder.encode(Data(bytes) as NSData, forKey: "Request")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it goes on at the same place of the same query.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKQueryCursor)?.request == request }
    /// Of the place.
    public override var hash: Int { request.continuationMarker.hashValue }
    /// For logs.
    public override var description: String { "<CKQueryCursor>" }
}
