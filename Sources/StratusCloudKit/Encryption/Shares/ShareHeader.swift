import StratusCloudCrypto

/// Which key of a share it is about: stands before everything that is encrypted for the share, and is bound to it.
struct ShareHeader: Hashable, Sendable {
    static let lineageLength = 16

    /// Random; another one when sharing begins anew.
    var lineage: [UInt8]
    /// Counts the keys of a lineage.
    var generation: UInt64
    var keyID: KeyID
    /// ``SharingIdentity/publicKey`` of the owner.
    var owner: [UInt8]

    func write(to frames: inout Frames) {
        frames.add(lineage)
        frames.add(number: generation)
        frames.add(keyID.bytes)
        frames.add(owner)
    }

    init(lineage: [UInt8], generation: UInt64, keyID: KeyID, owner: [UInt8]) {
        self.lineage = lineage
        self.generation = generation
        self.keyID = keyID
        self.owner = owner
    }

    init(from reader: inout FrameReader) throws(FrameReader.Malformed) {
        lineage = try reader.frame(count: Self.lineageLength)
        generation = try reader.framedNumber()
        keyID = try reader.keyID()
        owner = try reader.frame(count: X25519PrivateKey.length)
    }

    /// Additional data of a message for a share.
    func context(_ label: String, _ place: SharePlace) -> Frames {
        var frames = place.frames(label)
        write(to: &frames)
        return frames
    }
}

extension Frames {
    mutating func add(number: UInt64) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number)
        add(bytes)
    }
}

extension FrameReader {
    mutating func framedNumber() throws(Malformed) -> UInt64 {
        try frame(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension AES256GCM {
    /// A message with its nonce before it.
    func seal(_ message: [UInt8], _ additionalData: Frames, random: RandomSource) -> [UInt8] {
        let nonce = random.bytes(AES256GCM.nonceLength)
        return nonce + seal(message, nonce: nonce, additionalData: additionalData.bytes)
    }
}
