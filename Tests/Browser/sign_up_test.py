"""Somebody new in a real browser: invited by mail, makes an account with a mailed link, and comes in.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import email
import email.policy
import queue
import re
import unittest
import urllib.parse

from aiosmtpd.controller import Controller
from browser import CONTAINER, EMAIL, BrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

DORA = "dora@example.org"
PUBLIC = "http://cloud.example"
# Rules for the frame of a page, which a mail program has around the mail.
IN_MAIL = ["landmark-one-main", "region"]


class Inbox:
    messages = queue.Queue()

    async def handle_DATA(self, server, session, envelope):
        Inbox.messages.put(email.message_from_bytes(envelope.content, policy=email.policy.default))
        return "250 OK"


class MailServer(Controller):
    """On a free port, which is known once it listens."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class SignUpTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        mail = MailServer(Inbox(), hostname="127.0.0.1", port=0)
        mail.start()
        cls.addClassCleanup(mail.stop)
        cls.options = [
            "--public-url", PUBLIC, "--smtp-host", "127.0.0.1", "--smtp-port", str(mail.port), "--smtp-security",
            "none", "--mail-from", "Our cloud <cloud@example.org>", "--sign-up", "invited"]
        super().setUpClass()
        cls.run_tool("account", "update", "--email", EMAIL, "--given-name", "Ada")
        cls.call(EMAIL, "private/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]})
        answer = cls.call(EMAIL, "private/records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
            {"operationType": "create", "record": {
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                "fields": {"cloudkit.title": {"value": "Notes of ours"}}}}]})
        cls.address = f"{cls.cloud}/share/{answer['records'][0]['shortGUID']}"

    def mailed(self):
        """The subject of the next mail, its link on this server, and the mail as a page."""
        message = Inbox.messages.get(timeout=60)
        text = message.get_body(("plain",)).get_content()
        link = re.search(re.escape(PUBLIC) + r"(/\S+)", text)[1]
        return message["Subject"], self.cloud + link, message.get_body(("html",)).get_content()

    def element(self, element_id):
        return self.wait(lambda browser: browser.find_elements(By.ID, element_id))[0]

    def test_choosing_a_new_password(self):
        """From the sign-in page to the account, by the link of a mail."""
        person = "paul@example.org"
        self.make_account(person)
        self.browser.get(self.cloud + "/account")
        self.wait_for_next_page(self.element("forgot").click)
        self.wait_for_focus("email")
        self.assert_good_everywhere("password-request")
        self.press_for_next_page(person, Keys.ENTER)
        self.assertIn("on its way", self.element("sent").text)
        self.assert_good_everywhere("password-sent")
        subject, link, page = self.mailed()
        self.assertEqual(subject, "Choose a new password for cloud.example")
        self.browser.get("data:text/html;charset=utf-8," + urllib.parse.quote(page))
        self.assert_good_everywhere("mail-password", besides=IN_MAIL)
        self.browser.get(link)
        self.assertEqual(self.element("who").text, person)
        self.assert_good_everywhere("password-choose")
        self.element("new").click()
        self.press_for_next_page("battery staple", Keys.TAB, "battery stable", Keys.ENTER)
        self.assertIn("do not match", self.element("notice").text)
        self.element("new").click()
        self.press_for_next_page("battery staple", Keys.TAB, "battery staple", Keys.ENTER)
        self.assertIn("Sign in with the new one", self.element("notice").text)
        self.assertEqual(self.mailed()[0], "Your password at cloud.example has been changed")
        self.wait_for_focus("email")
        self.press_for_next_page(person, Keys.TAB, "battery staple", Keys.ENTER)
        self.assertEqual(self.element("who").text, person)
        # The link is void now.
        self.browser.get(link)
        self.assertIn("This link has been used", self.browser.find_element(By.CSS_SELECTOR, "[role=alert]").text)

    def test_from_the_invitation_to_the_app(self):
        self.browser.get(self.address)
        self.wait_for_focus("email")
        self.press_for_next_page(EMAIL, Keys.TAB, "correct horse battery", Keys.ENTER)
        self.element("email").send_keys(DORA)
        self.assert_good_everywhere("share-manage-mail")
        self.wait_for_next_page(self.element("invite").click)
        self.assertIn("Invitation sent by e-mail", self.element("notice").text)
        subject, link, page = self.mailed()
        self.assertEqual(subject, "Ada shares “Notes of ours” with you")
        self.assertEqual(link, self.address)
        self.browser.get("data:text/html;charset=utf-8," + urllib.parse.quote(page))
        self.assert_good_everywhere("mail-invitation", IN_MAIL)
        # In another browser.
        self.browser.get(self.cloud)
        self.browser.delete_all_cookies()
        self.browser.get(link)
        self.element("signing-up").click()
        self.assert_good_everywhere("share-new-here")
        new = self.element("new-email")
        self.wait_for_next_page(lambda: new.send_keys(DORA, Keys.ENTER))
        self.element("sent")
        self.assert_good_everywhere("sign-up-sent")
        subject, link, page = self.mailed()
        self.assertEqual(subject, "Create your account at cloud.example")
        self.browser.get("data:text/html;charset=utf-8," + urllib.parse.quote(page))
        self.assert_good_everywhere("mail-sign-up", IN_MAIL)
        self.browser.get(link)
        self.wait_for_focus("given")
        self.press("Dora", Keys.TAB, Keys.TAB, "battery staple", Keys.TAB, "battery stable")
        self.assert_good_everywhere("sign-up")
        self.wait_for_next_page(self.element("make").click)
        self.assertIn("do not match", self.element("notice").text)
        self.assertEqual(self.element("given").get_attribute("value"), "Dora")
        self.element("new").send_keys("battery staple")
        again = self.element("again")
        self.wait_for_next_page(lambda: again.send_keys("battery staple", Keys.ENTER))
        # At the share again, and signed in.
        self.element("accept")
        self.wait_for_next_page(self.element("accept").click)
        self.assertEqual(self.element("notice").text, "You have joined.")
        self.assertEqual(self.element("who").text, DORA)
        self.assertIn(CONTAINER, self.browser.find_element(By.TAG_NAME, "main").text)
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
