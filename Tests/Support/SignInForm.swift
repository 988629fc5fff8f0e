import StratusHTTPClient

/// The form of a sign-in page, to be filled in.
public struct SignInForm: Sendable {
    /// Where it goes.
    public let action: String
    /// The hidden fields, and what a person types.
    public var fields: [(name: String, value: String)] = []

    /// Finds the form of a page.
    public init(page: Answer) throws {
        guard let form = page.text.firstMatch(of: /<form[^>]*>(?s:.*?)<\/form>/)?.output,
            form.firstMatch(of: /<form[^>]*method="post"/) != nil,
            let action = form.firstMatch(of: /<form[^>]*action="([^"]*)"/)?.output.1
        else { throw Tool.Failure(description: "no form that is posted: \(page)") }
        self.action = String(action)
        for hidden in form.matches(of: /<input[^>]*type="hidden"[^>]*>/) {
            guard let name = hidden.output.firstMatch(of: /name="([^"]*)"/)?.output.1,
                let value = hidden.output.firstMatch(of: /value="([^"]*)"/)?.output.1
            else { throw Tool.Failure(description: "a hidden field without name or value: \(page)") }
            fields.append((String(name), String(value)))
        }
    }

    /// The filled-in form as a browser sends it.
    public var body: [UInt8] { Array(PercentEncoding.encode(fields).utf8) }
}
