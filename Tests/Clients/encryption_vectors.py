"""The formats of Documentation/sdk/encryption.md, written a second time and independently of the SDK, over PyPI's
`cryptography`. `python encryption_vectors.py` prints the vectors that both must come to."""

import base64
import hashlib
import hmac
import json
import struct
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PLACE = ("iCloud.org.example.notes", "_0123456789abcdef0123456789abcdef")


def frames(*parts):
    parts = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def hkdf(secret, info, length=32):
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=None, info=info).derive(secret)


def key_id(secret, kind):
    return hkdf(secret, frames(f"stratus.{kind}-key.id.v1"), 16)


def seal(key, nonce, message, additional):
    return nonce + AESGCM(key).encrypt(nonce, message, additional)


def words(data):
    consonants, vowels = "bdfghjklmnprstvz", "aiou"
    result = []
    for (number,) in struct.iter_unpack(">H", data):
        result.append(
            consonants[number >> 12] + vowels[number >> 10 & 3] + consonants[number >> 6 & 15]
            + vowels[number >> 4 & 3] + consonants[number & 15])
    return "-".join(result)


def padded(data):
    return data + bytes(-len(data) % 16)


def text(value):
    return frames(value)


def number(value):
    return struct.pack(">q", value)


def double(value):
    return struct.pack(">d", value)


PLAIN = {
    "text": b"\x01" + text("Grüße, 世界"),
    "empty text": b"\x01" + text(""),
    "integer": b"\x02" + number(-1),
    "double": b"\x03" + double(-0.0),
    "not a number": b"\x03" + bytes.fromhex("7ff8000000000001"),
    "date": b"\x04" + double(712345678.1234567),
    "bytes": b"\x05" + frames(bytes(range(20))),
    "place": b"\x06" + double(52.52) + double(13.405) + b"\x3f"
    + b"".join(double(value) for value in (5, 3, 34.5, 1.5, 270, 700000000.25)),
    "place without details": b"\x06" + double(-33.9) + double(18.4) + b"\x00",
    "list of texts": b"\x81" + struct.pack(">I", 2) + text("a") + text("bc"),
    "list of integers": b"\x82" + struct.pack(">I", 3) + number(1) + number(2) + number(-(2**63)),
    "empty list": b"\x80" + struct.pack(">I", 0),
}


def fill(byte, count):
    return bytes((byte + index) % 256 for index in range(count))


def value_vectors(zone_key):
    header = b"\x01" + key_id(zone_key, "zone")
    result = []
    for index, (name, plain) in enumerate(PLAIN.items()):
        place = {"zoneName": "Notes", "recordType": "Note", "recordName": f"record-{index}", "field": "secret"}
        record_key = hkdf(zone_key, frames("stratus.record-key.v1", place["recordName"]))
        nonce = fill(index, 12)
        additional = frames("stratus.value.v1", header, *PLACE, *place.values())
        sealed = header + seal(record_key, nonce, padded(plain), additional)
        result.append({
            "value": name, **place, "nonce": nonce.hex(), "recordKey": record_key.hex(),
            "additionalData": additional.hex(), "plain": padded(plain).hex(), "sealed": sealed.hex()})
    return result


def raw(public_key):
    return public_key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def approval_vectors(account_key):
    request, code, name = fill(0x60, 16), fill(0x70, 12), "Ada's laptop"
    asker, approver = fill(0x80, 32), fill(0xA0, 32)
    asker_public = raw(X25519PrivateKey.from_private_bytes(asker).public_key())
    approver_public = raw(X25519PrivateKey.from_private_bytes(approver).public_key())
    proof_key = hkdf(code, frames("stratus.approval.request-key.v1", *PLACE, request))
    proof = hmac.digest(
        proof_key, frames("stratus.approval.request.v1", *PLACE, request, asker_public, name), "sha256")
    agreed = X25519PrivateKey.from_private_bytes(approver).exchange(
        X25519PublicKey.from_public_bytes(asker_public))
    answer_key = hkdf(
        agreed + code, frames("stratus.approval.answer-key.v1", *PLACE, request, asker_public, approver_public))
    nonce = fill(0xC0, 12)
    sealed = seal(
        answer_key, nonce, account_key,
        frames("stratus.approval.answer.v1", *PLACE, request, key_id(account_key, "account")))
    return {
        "requestID": request.hex(), "code": code.hex(), "codeWords": words(code), "deviceName": name,
        "askerPrivateKey": asker.hex(), "askerPublicKey": asker_public.hex(),
        "approverPrivateKey": approver.hex(), "approverPublicKey": approver_public.hex(), "proof": proof.hex(),
        "nonce": nonce.hex(), "sealed": sealed.hex()}


def share_vectors(account_key, zone_key):
    share = (*PLACE, "Notes", "Share-1")
    participant = "_fedcba9876543210fedcba9876543210"
    link, lineage, key = fill(0x90, 16), fill(0xD0, 16), fill(0xF0, 32)
    participant_account = fill(0x21, 32)

    def place(label, *rest):
        return frames(label, *share, *rest)

    def identity(account, user):
        private = hkdf(account, frames("stratus.sharing-identity.v1", PLACE[0], user))
        return private, raw(X25519PrivateKey.from_private_bytes(private).public_key())

    owner_private, owner = identity(account_key, PLACE[1])
    _, own = identity(participant_account, participant)
    key_id_bytes, earlier_id = key_id(key, "zone"), key_id(zone_key, "zone")
    header = (lineage, struct.pack(">Q", 2), key_id_bytes, owner)
    nonces = [fill(index, 12) for index in range(5)]
    link_part = seal(
        hkdf(link, place("stratus.share-link-key.v1")), nonces[0], key, place("stratus.share-link.v1", *header))
    earlier = seal(
        hkdf(key, frames("stratus.share-earlier-key.v1")), nonces[1], zone_key,
        place("stratus.share-earlier.v1", lineage, key_id_bytes, earlier_id))
    code = hmac.digest(
        hkdf(link, place("stratus.share-proof-key.v1")),
        place("stratus.share-proof.v1", participant, "abc", own), "sha256")
    agreed = X25519PrivateKey.from_private_bytes(owner_private).exchange(X25519PublicKey.from_public_bytes(own))
    handover = seal(
        hkdf(agreed + agreed, place("stratus.share-handover-key.v1", owner, owner, own)), nonces[2], key + link,
        place("stratus.share-handover.v1", *header, participant))
    secret = frames(
        "stratus.share-secret.v1", key, link, struct.pack(">Q", 1), participant, own, "participant-2", "def",
        fill(0xB0, 16))
    account_id = key_id(account_key, "account")
    owner_part = seal(
        hkdf(account_key, frames("stratus.share-owner-key.v1")), nonces[3], secret,
        place("stratus.share-owner.v1", *header, account_id))
    joined_id = key_id(participant_account, "account")
    joined = seal(
        hkdf(participant_account, frames("stratus.shared-key.v1")), nonces[4],
        frames("stratus.shared-secret.v1", *header, key, link, "abc"),
        place("stratus.shared-key.v1", participant, joined_id))
    return {
        "shareName": share[3], "participant": participant, "participantAccountKey": participant_account.hex(),
        "linkSecret": link.hex(),
        "fragment": "k1." + base64.urlsafe_b64encode(link).decode().rstrip("="),
        "lineage": lineage.hex(), "generation": 2, "key": key.hex(), "keyID": key_id_bytes.hex(),
        "ownerPublicKey": owner.hex(), "participantPublicKey": own.hex(),
        "nonces": [nonce.hex() for nonce in nonces],
        "envelope": frames(
            "stratus.share-envelope.v1", *header, account_id, owner_part, link_part, earlier_id, earlier).hex(),
        "proof": frames("stratus.share-proof.v1", own, owner, "abc", code).hex(),
        "handover": frames("stratus.share-handover.v1", *header, owner, own, handover).hex(),
        "joined": frames("stratus.shared-envelope.v1", joined_id, joined).hex()}


def vectors():
    account_key, earlier_key, zone_key = fill(0x10, 32), fill(0x30, 32), fill(0x50, 32)
    account_id, earlier_id, zone_id = (
        key_id(account_key, "account"), key_id(earlier_key, "account"), key_id(zone_key, "zone"))
    wrapping = hkdf(account_key, frames("stratus.account-key.wrapping.v1"))
    zone_nonce, earlier_nonce, recovery_nonce = fill(0x01, 12), fill(0x02, 12), fill(0x03, 12)
    recovery = fill(0xE0, 22)
    phrase = words(recovery + hashlib.sha256(frames("stratus.recovery.checksum.v1", recovery)).digest()[:2])
    recovery_key = hkdf(recovery, frames("stratus.recovery.key.v1", *PLACE))
    return {
        "container": PLACE[0], "user": PLACE[1],
        "accountKey": {"secret": account_key.hex(), "id": account_id.hex()},
        "earlierAccountKey": {
            "secret": earlier_key.hex(), "id": earlier_id.hex(), "nonce": earlier_nonce.hex(),
            "sealed": seal(
                wrapping, earlier_nonce, earlier_key,
                frames("stratus.account-key.v1", *PLACE, account_id, earlier_id)).hex()},
        "zoneKey": {
            "secret": zone_key.hex(), "id": zone_id.hex(), "zoneName": "Notes", "nonce": zone_nonce.hex(),
            "sealed": seal(
                wrapping, zone_nonce, zone_key,
                frames("stratus.zone-key.v1", *PLACE, "Notes", account_id, zone_id)).hex()},
        "recovery": {
            "secret": recovery.hex(), "words": phrase, "nonce": recovery_nonce.hex(),
            "sealed": seal(
                recovery_key, recovery_nonce, account_key,
                frames("stratus.recovery.v1", *PLACE, account_id)).hex()},
        "approval": approval_vectors(account_key),
        "share": share_vectors(account_key, zone_key),
        "values": value_vectors(zone_key)}


if __name__ == "__main__":
    json.dump(vectors(), sys.stdout, indent=2, ensure_ascii=False)
    print()
