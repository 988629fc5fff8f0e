import Foundation
import StratusCoreData

/// The tables that stand beside Core Data's in the file of a mirrored store.
enum MirrorSchema {
    /// The version of the tables that this module reads and writes.
    static let version: Int64 = 3

    private static let tables = [
        """
        CREATE TABLE STRATUS_MIRROR (
            Z_PK INTEGER PRIMARY KEY, ZVERSION INTEGER NOT NULL, ZACCOUNT VARCHAR, ZPOSITION INTEGER, ZENGINE BLOB)
        """,
        """
        CREATE TABLE STRATUS_ZONE (
            Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR NOT NULL, ZOWNER VARCHAR NOT NULL,
            ZISSAVED INTEGER NOT NULL, ZISLISTING INTEGER NOT NULL, ZISDRAFT INTEGER NOT NULL, ZSHARE BLOB,
            UNIQUE (ZNAME, ZOWNER))
        """,
        """
        CREATE TABLE STRATUS_RECORD (
            Z_PK INTEGER PRIMARY KEY, ZENTITY VARCHAR NOT NULL, ZKEY INTEGER NOT NULL, ZZONE INTEGER NOT NULL,
            ZNAME VARCHAR NOT NULL, ZSERVER BLOB, ZBASE BLOB, ZPENDING INTEGER NOT NULL, ZREVISION INTEGER NOT NULL,
            ZREFUSED INTEGER, ZCHANGED TIMESTAMP NOT NULL, ZISLISTED INTEGER NOT NULL,
            UNIQUE (ZENTITY, ZKEY), UNIQUE (ZZONE, ZNAME))
        """,
        "CREATE INDEX STRATUS_RECORD_PENDING ON STRATUS_RECORD (ZZONE, Z_PK) WHERE ZPENDING != 0",
        """
        CREATE TABLE STRATUS_LINK (
            Z_PK INTEGER PRIMARY KEY, ZRELATIONSHIP VARCHAR NOT NULL, ZZONE INTEGER NOT NULL, ZNAME VARCHAR NOT NULL,
            ZFIRST VARCHAR NOT NULL, ZSECOND VARCHAR NOT NULL, ZSERVER BLOB, ZPENDING INTEGER NOT NULL,
            ZREVISION INTEGER NOT NULL, ZREFUSED INTEGER, ZISLISTED INTEGER NOT NULL, ZISAPPLIED INTEGER NOT NULL,
            UNIQUE (ZZONE, ZNAME))
        """,
        "CREATE INDEX STRATUS_LINK_PENDING ON STRATUS_LINK (ZZONE, Z_PK) WHERE ZPENDING != 0",
        "CREATE INDEX STRATUS_LINK_FIRST ON STRATUS_LINK (ZFIRST)",
        "CREATE INDEX STRATUS_LINK_SECOND ON STRATUS_LINK (ZSECOND)",
        """
        CREATE TABLE STRATUS_WAITING (
            Z_PK INTEGER PRIMARY KEY, ZZONE INTEGER NOT NULL, ZSOURCE VARCHAR NOT NULL,
            ZRELATIONSHIP VARCHAR NOT NULL, ZTARGET VARCHAR NOT NULL, UNIQUE (ZZONE, ZSOURCE, ZRELATIONSHIP))
        """,
        "CREATE INDEX STRATUS_WAITING_TARGET ON STRATUS_WAITING (ZTARGET)",
        """
        CREATE TABLE STRATUS_FORMER (
            Z_PK INTEGER PRIMARY KEY, ZZONE INTEGER NOT NULL, ZNAME VARCHAR NOT NULL, ZENTITY VARCHAR NOT NULL,
            ZKEY INTEGER NOT NULL, ZTAG VARCHAR, ZBASE BLOB, ZDELETION INTEGER NOT NULL,
            UNIQUE (ZZONE, ZNAME))
        """,
        """
        CREATE TABLE STRATUS_EVENT (
            Z_PK INTEGER PRIMARY KEY, ZUUID VARCHAR NOT NULL UNIQUE, ZTYPE INTEGER NOT NULL,
            ZSTART TIMESTAMP NOT NULL, ZEND TIMESTAMP, ZSUCCEEDED INTEGER NOT NULL, ZERRORDOMAIN VARCHAR,
            ZERRORCODE INTEGER, ZERRORTEXT VARCHAR)
        """,
    ]

    /// Whether a file has the tables.
    static func exists(in transaction: StoreTransaction) throws -> Bool {
        try transaction.tableNames().contains("STRATUS_MIRROR")
    }

    /// Creates the tables if the file does not have them.
    /// - Throws: An error if the tables are of another version.
    static func create(in transaction: StoreTransaction) throws {
        guard try exists(in: transaction) else {
            for table in tables { try transaction.statement(table).run() }
            try transaction.statement("INSERT INTO STRATUS_MIRROR (Z_PK, ZVERSION) VALUES (1, ?)").run(version)
            return
        }
        try checkVersion(in: transaction)
    }

    /// - Throws: An error if the tables are those of another version.
    static func checkVersion(in transaction: StoreTransaction) throws {
        let found = try transaction.statement("SELECT ZVERSION FROM STRATUS_MIRROR").first { $0.integer(0) } ?? nil
        guard found == version else {
            throw CocoaError.make(
                .persistentStoreIncompatibleSchema,
                "the state of the mirroring has version \(found ?? 0), and this program knows version \(version)")
        }
    }
}
