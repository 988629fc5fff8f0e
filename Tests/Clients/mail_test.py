"""Invitations by e-mail, through a real mail server of others' making (aiosmtpd), with and without TLS.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import email
import email.policy
import logging
import os
import queue
import re
import shutil
import ssl
import subprocess
import tempfile
import unittest
import uuid

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from cloud import Cloud

PUBLIC = "https://cloud.example"
# It tells of every connection that is refused.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
PASSWORD = "s3cret of the mail server"


class Inbox:
    """Keeps what comes; `answers` are given first to those who name a recipient."""

    def __init__(self):
        self.messages = queue.Queue()
        self.answers = queue.Queue()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if not self.answers.empty():
            return self.answers.get()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.messages.put((envelope, server.transport.get_extra_info("ssl_object") is not None, session.authenticated))
        return "250 OK"


class Server(Controller):
    """A mail server on a free port: in the clear, with STARTTLS, or with TLS from the beginning."""

    def __init__(self, inbox, security="none", context=None, authenticates=False):
        self.options = {"enable_SMTPUTF8": False}
        if security == "starttls":
            self.options |= {"tls_context": context, "require_starttls": True}
        if authenticates:
            self.options |= {"authenticator": self.check, "auth_required": True}
        super().__init__(inbox, hostname="127.0.0.1", port=0, ssl_context=context if security == "tls" else None)

    def factory(self):
        return SMTP(self.handler, **self.options)

    def check(self, server, session, envelope, mechanism, data):
        good = isinstance(data, LoginPassword) and data == LoginPassword(b"cloud", PASSWORD.encode())
        return AuthResult(success=good, handled=good)

    def _trigger_server(self):
        # The port is known only now.
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class MailTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="stratus-mail-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.certificate = os.path.join(cls.directory, "certificate.pem")
        key = os.path.join(cls.directory, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
             "-out", cls.certificate], check=True, capture_output=True)
        cls.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        cls.context.load_cert_chain(cls.certificate, key)
        cls.password_file = os.path.join(cls.directory, "password")
        with open(cls.password_file, "w", encoding="utf-8") as file:
            file.write(PASSWORD + "\n")

    def start(self, security="none", authenticates=False, options=(), claims=None):
        """A mail server, and a cloud that is told of it; `claims` is how the cloud thinks it is reached."""
        self.inbox = Inbox()
        server = Server(self.inbox, security, self.context, authenticates)
        server.start()
        self.addCleanup(server.stop)
        options = ["--public-url", PUBLIC, "--smtp-host", "127.0.0.1", "--smtp-port", str(server.port),
                   "--smtp-security", claims or security, "--mail-from", "Our cloud <cloud@example.org>", *options]
        if authenticates:
            options += ["--smtp-user", "cloud", "--smtp-password-file", self.password_file]
        self.cloud = Cloud(*options, log=subprocess.PIPE)
        self.addCleanup(self.cloud.close)
        self.web_auth_token, _ = self.cloud.session("ada@example.org")
        self.cloud.tool("account", "update", "--email", "ada@example.org", "--given-name", "Ada")
        self.http = self.cloud.http()
        self.addCleanup(self.http.close)

    def post(self, path, body):
        parameters = {"ckAPIToken": self.cloud.token, "ckWebAuthToken": self.web_auth_token}
        answer = self.http.post(f"{self.cloud.base('')}{path}", params=parameters, json=body)
        return answer.status_code, answer.json()

    def share(self, title, addresses):
        """Makes a share and gives its short GUID and the participants."""
        zone = f"Zone-{uuid.uuid4().hex[:8]}"
        self.post("private/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
        participants = [{"type": "USER", "permission": "READ_ONLY",
                         "userIdentity": {"lookupInfo": {"emailAddress": address}}} for address in addresses]
        _, answer = self.post("private/records/modify", {"zoneID": {"zoneName": zone}, "operations": [
            {"operationType": "create", "record": {
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "participants": participants,
                "fields": {"cloudkit.title": {"value": title}}}}]})
        share = answer["records"][0]
        return share["shortGUID"], [p["participantId"] for p in share["participants"] if p["type"] == "USER"]

    def invite(self, title="Trip", addresses=("bob@example.org",)):
        guid, participants = self.share(title, addresses)
        status, answer = self.post("public/records/invite", {"shortGUID": guid, "participantIds": participants})
        self.assertEqual(status, 200, answer)
        return guid

    def received(self):
        envelope, was_encrypted, was_authenticated = self.inbox.messages.get(timeout=60)
        return envelope, email.message_from_bytes(envelope.content, policy=email.policy.default), was_encrypted, \
            was_authenticated

    def logged(self, text):
        """The next line of the log with a text."""
        for line in self.cloud.server.stderr:
            self.assertNotIn(PASSWORD, line)
            if text in line:
                return line
        self.fail("the log has ended")

    def test_an_invitation_as_text_and_html(self):
        self.start()
        guid = self.invite("Köln & Zürich", ["Bob@Example.org"])
        envelope, message, was_encrypted, _ = self.received()
        self.assertFalse(was_encrypted)
        self.assertEqual(envelope.mail_from, "cloud@example.org")
        self.assertEqual(envelope.rcpt_tos, ["bob@example.org"])
        self.assertEqual(message["From"], "Our cloud <cloud@example.org>")
        self.assertEqual(message["To"], "bob@example.org")
        self.assertEqual(message["Subject"], "Ada shares “Köln & Zürich” with you")
        self.assertEqual(message["Auto-Submitted"], "auto-generated")
        self.assertTrue(message["Message-ID"].endswith("@example.org>"))
        self.assertIsNotNone(message["Date"].datetime)
        self.assertEqual(message.defects, [])
        text, html = message.iter_parts()
        self.assertEqual((text.get_content_type(), html.get_content_type()), ("text/plain", "text/html"))
        self.assertIn(f"{PUBLIC}/share/{guid}", text.get_content())
        self.assertIn(f'href="{PUBLIC}/share/{guid}"', html.get_content())
        self.assertIn("Köln &amp; Zürich", html.get_content())
        for line in envelope.content.split(b"\r\n"):
            self.assertLessEqual(len(line), 998)

    def test_somebody_new_makes_an_account(self):
        self.start(options=["--sign-up", "invited"])
        guid, _ = self.share("Trip", ["bob@example.org"])
        page = self.http.post(f"{self.cloud.url}/share/{guid}", data={"action": "sign-up", "email": "bob@example.org"})
        self.assertEqual(page.status_code, 200)
        _, message, _, _ = self.received()
        self.assertEqual(message["Subject"], "Create your account at cloud.example")
        text = message.get_body(("plain",)).get_content()
        ticket = re.search(PUBLIC + r"/sign-up\?ticket=([0-9a-f]+)", text)[1]
        fields = {"ticket": ticket, "given": "Bob", "family": "", "new": "correct horse", "again": "correct horse"}
        made = self.http.post(f"{self.cloud.url}/sign-up", data=fields, allow_redirects=False)
        self.assertEqual((made.status_code, made.headers["Location"]), (303, f"/share/{guid}"))
        self.assertIn("bob@example.org", self.cloud.tool("account", "list")["accounts"])

    def test_a_forgotten_password(self):
        self.start()

        def ask(address):
            page = self.http.post(f"{self.cloud.url}/password", data={"email": address})
            self.assertEqual(page.status_code, 200)
            return page.text

        # The page is the same for everybody, and only an account gets mail.
        self.assertEqual(ask("nobody@example.org"), ask("Ada@example.org"))
        envelope, message, _, _ = self.received()
        self.assertEqual(envelope.rcpt_tos, ["ada@example.org"])
        self.assertEqual(message["Subject"], "Choose a new password for cloud.example")
        self.assertEqual(message.defects, [])
        text = message.get_body(("plain",)).get_content()
        ticket = re.search(PUBLIC + r"/password\?ticket=([0-9a-f]+)", text)[1]
        self.assertIn(f'href="{PUBLIC}/password?ticket={ticket}"', message.get_body(("html",)).get_content())
        fields = {"ticket": ticket, "new": "battery staple", "again": "battery staple"}
        done = self.http.post(f"{self.cloud.url}/password", data=fields, allow_redirects=False)
        self.assertEqual((done.status_code, done.headers["Location"]), (303, "/account?done=password-reset"))
        self.assertEqual(self.http.post(f"{self.cloud.url}/password", data=fields).status_code, 400)
        # All sessions have ended, and the owner is told.
        self.assertEqual(self.post("private/records/lookup", {"records": [{"recordName": "a"}]})[0], 421)
        _, message, _, _ = self.received()
        self.assertEqual(message["Subject"], "Your password at cloud.example has been changed")
        sign_in = {"action": "sign-in", "email": "ada@example.org", "password": "battery staple"}
        entered = self.http.post(f"{self.cloud.url}/account", data=sign_in, allow_redirects=False)
        self.assertEqual(entered.status_code, 303)
        # So it is when the operator sets one.
        self.cloud.tool("account", "password", "--email", "ada@example.org", "--password-stdin", input="third password\n")
        self.assertIn("has been changed", self.received()[1]["Subject"])
        self.assertTrue(self.inbox.messages.empty())

    def test_with_starttls_and_a_password(self):
        self.start("starttls", authenticates=True, options=["--smtp-authorities", self.certificate])
        self.invite()
        _, message, was_encrypted, was_authenticated = self.received()
        self.assertTrue(was_encrypted and was_authenticated)
        self.assertEqual(message["Subject"], "Ada shares “Trip” with you")

    def test_with_tls(self):
        self.start("tls", options=["--smtp-authorities", self.certificate])
        self.invite()
        self.assertTrue(self.received()[2])

    def test_nothing_goes_to_a_server_that_is_not_trusted(self):
        for security in ["starttls", "tls"]:
            self.start(security)
            self.invite()
            self.assertIn("certificate", self.logged("a mail was not sent"))
            self.assertTrue(self.inbox.messages.empty())

    def test_nothing_goes_in_the_clear_unless_told(self):
        self.start("none", claims="starttls")
        self.invite()
        self.logged("a mail was not sent")
        self.assertTrue(self.inbox.messages.empty())

    def test_a_wrong_password_sends_nothing(self):
        with open(self.password_file, "r+", encoding="utf-8") as file:
            file.write("wrong")
        self.addCleanup(self.setUpClass)
        self.start("starttls", authenticates=True, options=["--smtp-authorities", self.certificate])
        self.invite()
        self.logged("a mail was not sent")
        self.assertTrue(self.inbox.messages.empty())

    def test_a_recipient_who_is_refused_does_not_hold_up_others(self):
        for answer in ["550 No such person", "501 No such address", "504 No such parameter"]:
            self.start(options=["--metrics-token-file", self.password_file])
            self.inbox.answers.put(answer)
            self.invite(addresses=["nobody@example.org", "bob@example.org"])
            self.assertIn(answer[:3], self.logged("a mail was not sent"))
            # Which of the two was asked about first is the queue's affair; the other one gets it.
            self.assertEqual(len(self.received()[0].rcpt_tos), 1)
            # It is not tried again, and the other one did not wait for that.
            metrics = self.http.get(f"{self.cloud.url}/metrics", headers={"Authorization": f"Bearer {PASSWORD}"}).text
            self.assertIn('stratus_mail_outcomes{outcome="refused"} 1', metrics)
            self.assertIn('stratus_mail_outcomes{outcome="postponed"} 0', metrics)

    def test_nobody_writes_headers_or_links_of_their_own(self):
        self.start()
        title = "Trip\r\nBcc: eve@example.org\r\n\r\nSee http://evil.example/ or mail eve@evil.example <b>now</b> " + "x" * 500
        self.cloud.tool("account", "update", "--email", "ada@example.org", "--given-name", "www.evil.example")
        self.invite(title)
        envelope, message, _, _ = self.received()
        self.assertEqual(envelope.rcpt_tos, ["bob@example.org"])
        self.assertNotIn("Bcc", message)
        self.assertEqual(message.defects, [])
        self.assertLess(len(message["Subject"]), 200)
        for part in message.iter_parts():
            content = part.get_content()
            self.assertEqual(content.count("://"), content.count(f"{PUBLIC}/share/"))
            for words in ["evil.example", "@example.org", "@evil"]:
                self.assertNotIn(words, content)
            self.assertTrue(part.get_content_type() == "text/plain" or "<b>" not in content)

    def test_users_and_addresses_are_held_to_so_many_a_day(self):
        self.start(options=["--mail-per-day", "2"])
        guid, participants = self.share("Trip", ["a@example.org", "b@example.org", "c@example.org"])
        body = {"shortGUID": guid, "participantIds": participants}
        status, answer = self.post("public/records/invite", body)
        self.assertEqual((status, answer["serverErrorCode"]), (429, "THROTTLED"), answer)
        body["participantIds"] = participants[:2]
        self.assertEqual(self.post("public/records/invite", body)[0], 200)
        self.assertEqual({self.received()[0].rcpt_tos[0] for _ in range(2)}, {"a@example.org", "b@example.org"})
        body["participantIds"] = participants[2:]
        self.assertEqual(self.post("public/records/invite", body)[0], 429)
        self.assertTrue(self.inbox.messages.empty())

    def test_settings_that_do_not_fit_are_refused(self):
        binary = os.environ.get("STRATUS_BINARY")
        from cloud import ROOT
        binary = binary or str(ROOT / ".build" / "debug" / "stratus")
        host = ["--smtp-host", "127.0.0.1"]
        public, sender = ["--public-url", PUBLIC], ["--mail-from", "cloud@example.org"]
        for options, words in [
            (["--smtp-user", "cloud"], "need smtp-host"), (host + sender, "public-url"), (host + public, "mail-from"),
            (host + public + ["--mail-from", "a b"], "mail-from"),
            (host + public + ["--mail-from", "a@b\r\nBcc: c@d"], "mail-from"),
            (host + public + sender + ["--smtp-security", "perhaps"], "starttls"),
            (host + public + sender + ["--smtp-user", "cloud"], "smtp-password-file"),
            (["--smtp-host", "a b"] + public + sender, "not a host"), (["--sign-up", "open"], "smtp-host"),
            (host + public + sender + ["--sign-up", "perhaps"], "closed, invited, open"),
        ]:
            done = subprocess.run(
                [binary, "serve", "--data", os.path.join(self.directory, "none"), "--port", "0", *options], text=True,
                capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
