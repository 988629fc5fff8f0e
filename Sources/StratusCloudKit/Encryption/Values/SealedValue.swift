import StratusCloudCrypto

/// An encrypted value as the server keeps it: a version, which key, a nonce, and AES-256-GCM's output.
struct SealedValue: Hashable, Sendable {
    /// Why a value does not open.
    enum Failure: Error, Hashable {
        /// It was not written by this SDK, or by a newer one.
        case unknownFormat
        /// Its key is not among those at hand.
        case unknownKey(KeyID)
        /// It was changed, or stands in another place than the one it was written for.
        case notAuthentic
    }

    static let version: UInt8 = 1
    private static let headerLength = 1 + KeyID.length
    /// Bytes that are added to ``PlainValue/bytes``.
    static let overhead = headerLength + AES256GCM.nonceLength + AES256GCM.tagLength

    let bytes: [UInt8]
    let keyID: KeyID

    /// Encrypts a value for its place. The nonce must never have been used with this key and record.
    init(_ value: PlainValue, for place: ValuePlace, with key: ZoneKey, nonce: [UInt8]) {
        let header = [Self.version] + key.id.bytes
        let cipher = AES256GCM(key: key.recordKey(place.recordName))
        keyID = key.id
        bytes =
            header + nonce
            + cipher.seal(value.bytes, nonce: nonce, additionalData: place.additionalData(header: header))
    }

    /// Takes what the server has.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.first == Self.version, bytes.count >= Self.overhead,
            let keyID = KeyID(Array(bytes[1..<Self.headerLength]))
        else { throw .unknownFormat }
        self.bytes = bytes
        self.keyID = keyID
    }

    /// The value, if it was written for this place.
    func open(at place: ValuePlace, with keys: ZoneKeys) throws(Failure) -> PlainValue {
        guard let key = keys[keyID] else { throw .unknownKey(keyID) }
        let header = Array(bytes.prefix(Self.headerLength))
        let nonce = Array(bytes.dropFirst(Self.headerLength).prefix(AES256GCM.nonceLength))
        let sealed = Array(bytes.dropFirst(Self.headerLength + AES256GCM.nonceLength))
        let plain: [UInt8]
        do throws(CryptoError) {
            plain = try AES256GCM(key: key.recordKey(place.recordName)).open(
                sealed, nonce: nonce, additionalData: place.additionalData(header: header))
        } catch {
            throw .notAuthentic
        }
        // Whoever has the key wrote it, but in a way that this version does not know.
        do throws(FrameReader.Malformed) { return try PlainValue(plain) } catch { throw .unknownFormat }
    }
}
