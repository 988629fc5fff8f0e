/// What a page says beside its content: what was done, or why it was not.
struct Notice {
    var text: String
    /// Whether it is about something that failed.
    var isProblem: Bool

    static func html(_ notice: Notice?) -> String {
        guard let notice else { return "" }
        let (style, role) = notice.isProblem ? ("alert", "alert") : ("done", "status")
        return "<p class=\"\(style)\" id=\"notice\" role=\"\(role)\">\(HTML.escape(notice.text))</p>"
    }
}
