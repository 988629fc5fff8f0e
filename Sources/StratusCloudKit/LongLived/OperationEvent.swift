import Foundation

/// Something that an operation tells its blocks: told at once, and once more if another process asks for the results.
///
/// `@unchecked Sendable`: the objects are values of CloudKit, which never change or guard themselves.
struct OperationEvent: @unchecked Sendable {
    enum Kind: String {
        case saved, deleted, fetched, changed, gone, token, end
        /// The end of one zone of several.
        case zoneEnd
    }

    var kind: Kind
    /// What it is about, such as a record's identifier.
    var item: NSObject?
    /// What became of it.
    var value: NSObject?
    var error: NSError?
    /// Where there is more to say: a record's type, or why a zone is gone.
    var text: String?
    /// What a client gave with its latest modification of a zone.
    var data: Data?
    var isMoreComing = false

    init(
        _ kind: Kind, _ item: NSObject? = nil, _ value: NSObject? = nil, _ error: (any Error)? = nil,
        text: String? = nil, data: Data? = nil, isMoreComing: Bool = false
    ) {
        self.kind = kind
        self.item = item
        self.value = value
        self.error = error.map { $0 as NSError }
        self.text = text
        self.data = data
        self.isMoreComing = isMoreComing
    }

    /// Of an item that has a value or an error.
    init(_ kind: Kind, _ item: NSObject, _ result: Result<some NSObject, any Error>) {
        switch result {
        case .success(let value): self.init(kind, item, value)
        case .failure(let error): self.init(kind, item, nil, error)
        }
    }

    /// Of an item that is done, or not.
    init(_ kind: Kind, _ item: NSObject, _ result: Result<Void, any Error>) {
        self.init(kind, item, nil, result.failure)
    }

    /// The value or the error.
    func result<Value: NSObject>(_ type: Value.Type = Value.self) -> Result<Value, any Error> {
        if let error { return .failure(error) }
        if let value = value as? Value { return .success(value) }
        return .failure(NSError.cloudKit(.internalError, "A kept result is not whole."))
    }

    /// Whether it is done.
    var outcome: Result<Void, any Error> { error.map { .failure($0) } ?? .success(()) }
}

extension OperationEvent {
    /// The same with other assets in the record that was fetched; those of saved records are the app's own.
    func replacingFetchedAssets(_ replacement: (CKAsset) throws -> CKAsset) rethrows -> OperationEvent {
        guard kind == .fetched || kind == .changed, let record = value as? CKRecord else { return self }
        var event = self
        event.value = try AssetKeeping.record(record, replacing: replacement)
        return event
    }

    private static var classes: [AnyClass] {
        [
            CKRecord.self, CKShare.self, CKRecordID.self, CKRecordZone.self, CKRecordZoneID.self,
            CKQuerySubscription.self,
            CKRecordZoneSubscription.self, CKDatabaseSubscription.self, CKServerChangeToken.self, CKQueryCursor.self,
            NSString.self,
        ]
    }

    /// As it is kept.
    var archived: Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(kind.rawValue as NSString, forKey: "Kind")
        archiver.encode(item, forKey: "Item")
        archiver.encode(value, forKey: "Value")
        archiver.encode(error.map { ArchivedError($0) }, forKey: "Error")
        archiver.encode(text as NSString?, forKey: "Text")
        archiver.encode(data as NSData?, forKey: "Data")
        archiver.encode(isMoreComing, forKey: "IsMoreComing")
        archiver.finishEncoding()
        return archiver.encodedData
    }

    /// Nil for what is not whole.
    init?(archived data: Data) {
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        coder.decodingFailurePolicy = .setErrorAndReturn
        guard let kind = (coder.decoded(NSString.self, "Kind") as String?).flatMap({ Kind(rawValue: $0) }) else {
            return nil
        }
        self.init(
            kind, coder.decoded(Self.classes, "Item") as? NSObject, coder.decoded(Self.classes, "Value") as? NSObject,
            coder.decoded(ArchivedError.self, "Error")?.error, text: coder.decoded(NSString.self, "Text") as String?,
            data: coder.decoded(NSData.self, "Data") as Data?, isMoreComing: coder.decodeBool(forKey: "IsMoreComing"))
    }
}

/// An error of CloudKit in an archive. Foundation's own coding of errors refuses records in them.
final class ArchivedError: NSObject, NSSecureCoding, Sendable {
    let error: NSError

    init(_ error: NSError) { self.error = error }

    static var supportsSecureCoding: Bool { true }

    init?(coder: NSCoder) {
        guard let domain = coder.decoded(NSString.self, "Domain") as String? else { return nil }
        let classes: [AnyClass] = [
            NSDictionary.self, NSString.self, NSNumber.self, CKRecord.self, CKShare.self, ArchivedError.self,
        ]
        var info: [String: Any] = [:]
        for (key, value) in coder.decoded(classes, "Info") as? NSDictionary ?? [:] {
            guard let key = key as? String else { continue }
            info[key] = (value as? ArchivedError)?.error ?? value
        }
        error = NSError(domain: domain, code: Int(coder.decodeInt64(forKey: "Code")), userInfo: info)
    }

    func encode(with coder: NSCoder) {
        coder.encode(error.domain as NSString, forKey: "Domain")
        coder.encode(Int64(error.code), forKey: "Code")
        let info = NSMutableDictionary()
        for (key, value) in error.userInfo {
            switch value {
            case let text as String: info[key as NSString] = text as NSString
            case let number as NSNumber: info[key as NSString] = number
            case let record as CKRecord: info[key as NSString] = record
            case let error as NSError: info[key as NSString] = ArchivedError(error)
            default: break
            }
        }
        coder.encode(info, forKey: "Info")
    }
}
