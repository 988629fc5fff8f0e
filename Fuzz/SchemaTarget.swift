import StratusCloudModel
import StratusCloudService

/// Schemas: what is read is printed as something that reads as the same.
struct SchemaTarget: FuzzTarget {
    let name = "schema"

    var corpus: [[UInt8]] {
        [
            """
            DEFINE SCHEMA
                CREATE ROLE "the editors"; // who else
                RECORD TYPE Users ("___recordID" REFERENCE, roles LIST<INT64>, GRANT READ TO "_world");
                RECORD TYPE Note (
                    "___modTime" TIMESTAMP QUERYABLE SORTABLE, title STRING SEARCHABLE QUERYABLE SORTABLE,
                    "grant" ENCRYPTED BYTES, tags LIST<STRING> QUERYABLE, place LOCATION QUERYABLE,
                    GRANT READ, CREATE, WRITE TO "the editors", GRANT WRITE TO "_creator"
                );
            """,
            "define schema record type A(a NUMBER, b NUMBER PREFERRED AS INT64, c LIST<ENCRYPTED DOUBLE>);",
            "DEFINE SCHEMA /* - */ RECORD TYPE \"cloudkit.share\" (a ASSET, b REFERENCE QUERYABLE) ; -- end",
        ].map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let printed: String
        do {
            printed = try CloudService.canonicalSchema(text)
        } catch {
            guard error.code == .badRequest, error.reason.contains("schema line ") || error.reason.contains("bytes")
            else { throw BrokenPromise(what: "an error that says not where: \(error.reason)") }
            return false
        }
        do {
            guard try CloudService.canonicalSchema(printed) == printed else {
                throw BrokenPromise(what: "what was printed reads as another schema: \(printed)")
            }
            guard try CloudService.schemaDiff(from: text, to: printed).isEmpty else {
                throw BrokenPromise(what: "what was printed differs from what was read: \(printed)")
            }
        } catch let error as BrokenPromise {
            throw error
        } catch {
            throw BrokenPromise(what: "what was printed cannot be read: \(error)")
        }
        return true
    }
}
