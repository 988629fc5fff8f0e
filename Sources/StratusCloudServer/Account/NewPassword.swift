import StratusCloudModel
import StratusCloudService

/// The two fields in which a new password is typed.
enum NewPassword {
    /// - Parameter label: what the first field is called.
    static func fields(_ label: String) -> String {
        let minimum = ServiceLimits.passwordMinimum
        return """
            <label class="field" for="new">\(label) (at least \(minimum) characters)</label>
            <input type="password" id="new" name="new" required minlength="\(minimum)" autocomplete="new-password">
            <label class="field" for="again">\(label) again</label>
            <input type="password" id="again" name="again" required minlength="\(minimum)" autocomplete="new-password">
            """
    }

    /// Returns the password of a submitted form.
    /// - Throws: `badRequest` if the fields differ.
    static func read(_ fields: FormFields) throws(CloudError) -> String {
        guard let new = fields["new"], let again = fields["again"] else { throw ShareForm.incomplete }
        guard new == again else { throw CloudError(.badRequest, "the passwords do not match") }
        return new
    }
}
