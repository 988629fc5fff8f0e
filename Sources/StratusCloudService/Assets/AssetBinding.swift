import StratusCloudCrypto
import StratusCloudModel

/// What an upload may be saved in, as a digest that addresses and receipts are bound to.
struct AssetBinding: Hashable, Sendable {
    /// How much of the place was known when the upload was asked for.
    enum Form: UInt8 {
        /// Any record of the zone: bytes that a record has already.
        case zone = 0
        /// A field of any record of a type: the client had no name for the record yet.
        case field = 1
        /// A field of one record.
        case record = 2
    }

    let form: Form
    let digest: [UInt8]

    /// The place that a form of binding means.
    init(_ form: Form, zone: ZoneNumber, recordName: String, recordType: String, fieldName: String) {
        self.form = form
        var writer = ByteWriter(capacity: 128)
        writer.write(byte: form.rawValue)
        writer.write(unsigned: zone.rawValue)
        if form != .zone {
            writer.write(recordType)
            writer.write(fieldName)
        }
        if form == .record { writer.write(recordName) }
        digest = SHA256.hash(writer.bytes)
    }

    init(form: Form, digest: [UInt8]) {
        self.form = form
        self.digest = digest
    }

    init(from reader: inout ByteReader) throws {
        guard let form = Form(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        self.init(form: form, digest: Array(try reader.slice()))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(byte: form.rawValue)
        writer.write(bytes: digest)
    }
}
