import CloudModel
import CloudService

/// The words of an invitation.
struct InvitationMail {
    let invitation: MailedInvitation
    /// Where the share link leads, such as `https://cloud.example/share/…`.
    let url: String

    private var owner: String { invitation.ownerName.map(MailText.plain) ?? "Somebody" }
    private var title: String? { invitation.title.map(MailText.plain).flatMap { $0.isEmpty ? nil : $0 } }
    private var deed: String { invitation.permission == .readWrite ? "view and change it" : "view it" }
    private var expires: String { CalendarDay(milliseconds: invitation.expires).description }
    private var app: String { invitation.context.container.rawValue }

    var subject: String { title.map { "\(owner) shares “\($0)” with you" } ?? "\(owner) shares something with you" }

    private var reason: String {
        "You get this because \(owner) entered your address. If you do not know them, do nothing: "
            + "nothing happens unless you accept, and the invitation ends by itself."
    }

    var text: String {
        """
        \(subject).

        App: \(app)
        You may \(deed). The invitation is open until \(expires).

        Open it here:
        \(url)

        \(reason)

        """
    }

    var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
        <meta name="color-scheme" content="light dark"><title>\(MailText.html(subject))</title></head>
        <body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
        <div style="max-width:30rem;margin:0 auto">
        <h1 style="font-size:22px;line-height:1.25;margin:0 0 12px">\(MailText.html(subject))</h1>
        <p style="margin:0 0 4px">App: \(MailText.html(app))</p>
        <p style="margin:0 0 24px">You may \(deed). The invitation is open until \(expires).</p>
        <p style="margin:0 0 24px"><a href="\(MailText.html(url))" style="display:inline-block;padding:12px 24px;\
        border-radius:11px;background:#0060c7;color:#ffffff;font-weight:600;text-decoration:none">Open the invitation</a></p>
        <p style="margin:0 0 24px;font-size:14px;overflow-wrap:anywhere">\(MailText.html(url))</p>
        <p style="margin:0;font-size:14px">\(MailText.html(reason))</p>
        </div></body></html>

        """
    }
}
