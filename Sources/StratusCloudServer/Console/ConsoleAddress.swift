/// Where pages of the console are.
public enum ConsoleAddress {
    /// The page on which a code is used. It stands behind the mark that browsers keep to themselves, so no server logs it.
    public static func path(invitedBy code: String, isOwner: Bool) -> String {
        "/console/\(isOwner ? "set-up" : "invitation")#\(code)"
    }
}
