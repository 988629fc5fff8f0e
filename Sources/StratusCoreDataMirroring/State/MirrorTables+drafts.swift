import StratusCloudKit

// Zones that were made for shares that were not finished. Those of an account that is not signed in have its name.
extension MirrorTables {
    /// Forgets all zones but the drafts, which are kept for the account that goes away.
    func keepDrafts(of account: String) throws {
        try transaction.statement("DELETE FROM STRATUS_ZONE WHERE ZISDRAFT = 0").run()
        try transaction.statement(
            """
            UPDATE OR REPLACE STRATUS_ZONE SET ZOWNER = ?, ZISSAVED = 0, ZISLISTING = 0, ZSHARE = NULL
            WHERE ZOWNER = ?
            """
        ).run(account, CKCurrentUserDefaultName)
    }

    /// Makes the drafts of an account those of the current user.
    func takeDrafts(of account: String) throws {
        try transaction.statement(
            "UPDATE OR REPLACE STRATUS_ZONE SET ZOWNER = ? WHERE ZOWNER = ? AND ZISDRAFT = 1"
        ).run(CKCurrentUserDefaultName, account)
    }
}
