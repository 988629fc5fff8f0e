import Foundation
import StratusSQLite

/// A reason why a store cannot be opened, read or written.
struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Advice for the program.
    enum Kind: Hashable, Sendable {
        /// The file is not a database, or is damaged.
        case damaged
        /// The file is a database that Core Data did not make.
        case notAStore
        /// The file was made with another model.
        case otherModel
        /// The file does not exist, and was not to be created.
        case missing
        case readOnly
        /// Another program has replaced the file, which is written as a whole.
        case replaced
        case diskFull
        /// Another process holds the file for longer than was waited.
        case busy
        /// The system cannot open, read or write the file.
        case inputOutput
        /// A value or a name is beyond what a store can hold.
        case unsupported
        case closed
        /// SQLite refuses a statement or its values.
        case refused
        /// A fault of the program: unknown entities, wrong numbers of values.
        case misuse
    }

    let kind: Kind
    let description: String
    /// SQLite's code, if it has refused something.
    private var status: Int32?

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    init(_ error: SQLiteError) {
        let kind: Kind =
            switch error.code {
            case .diskFull: .diskFull
            case .corrupted: .damaged
            case .busy: .busy
            case .readOnly: .readOnly
            case .inputOutput: .inputOutput
            case .constraint, .misuse: .refused
            }
        self.init(kind, error.description)
        status = error.status
    }

    /// The facts about the failure for the error that a program receives.
    var userInfo: [String: Any] { status.map { [NSSQLiteErrorDomain: NSNumber(value: $0)] } ?? [:] }

    /// The code in `NSCocoaErrorDomain` of Apple's error for this.
    var cocoaCode: Int {
        switch kind {
        case .damaged, .notAStore: 259  // NSFileReadCorruptFileError
        case .otherModel: 134_100  // NSPersistentStoreIncompatibleVersionHashError
        case .missing: 260  // NSFileReadNoSuchFileError
        case .readOnly: 513  // NSFileWriteNoPermissionError
        case .replaced: 134_050  // NSPersistentStoreSaveConflictsError
        case .diskFull: 640  // NSFileWriteOutOfSpaceError
        case .busy: 134_090  // NSPersistentStoreTimeoutError
        case .inputOutput: 134_080  // NSPersistentStoreOpenError
        case .refused: 134_180  // NSSQLiteError
        case .unsupported, .closed, .misuse: 134_060  // NSCoreDataError
        }
    }
}
