/// The frame of mails as HTML: a heading, some lines, one button, and why it came. Nothing in it is fetched.
struct MailPage {
    var heading: String
    var paragraphs: [String]
    var button: String
    var url: String
    var reason: String

    var html: String {
        let lines = paragraphs.map { "<p style=\"margin:0 0 4px\">\(MailText.html($0))</p>" }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <meta name="color-scheme" content="light dark"><title>\(MailText.html(heading))</title></head>
            <body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
            <div style="max-width:30rem;margin:0 auto">
            <h1 style="font-size:22px;line-height:1.25;margin:0 0 12px">\(MailText.html(heading))</h1>
            \(lines)
            <p style="margin:24px 0"><a href="\(MailText.html(url))" style="display:inline-block;padding:12px 24px;\
            border-radius:11px;background:#0060c7;color:#ffffff;font-weight:600;text-decoration:none">\
            \(MailText.html(button))</a></p>
            <p style="margin:0 0 24px;font-size:14px;overflow-wrap:anywhere">\(MailText.html(url))</p>
            <p style="margin:0;font-size:14px">\(MailText.html(reason))</p>
            </div></body></html>

            """
    }
}
