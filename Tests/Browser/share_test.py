"""Sharing for people in a real browser, against the real server: who shares, who is invited, who comes by a link.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import http.client
import http.server
import struct
import threading
import unittest
import urllib.parse
import uuid
import zlib

from browser import CONTAINER, EMAIL, PASSWORD, BrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

GRACE = "grace@example.org"
JOAN = "joan@example.org"


def png(width, color):
    """A picture of one color that gets lighter to the right."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + b"".join(bytes(min(255, c + 90 * x // width) for c in color) for x in range(width))
    header = struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * width)) + chunk(b"IEND", b"")


class ShareTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_tool("account", "update", "--email", EMAIL, "--given-name", "Ada", "--family-name", "Lovelace")
        for email, name in [(GRACE, "Grace"), (JOAN, "Joan")]:
            cls.make_account(email)
            cls.run_tool("account", "update", "--email", email, "--given-name", name)
        cls.run_tool(
            "container", "app", CONTAINER, "--url", "https://app.example/open?share={url}", "--command",
            "notes join {url}")

    def share(self, title="Summer in Lisbon", invited=(), public="NONE", requests=False):
        """Makes a share as an app does, and gives its address."""
        import base64
        zone = f"Zone-{uuid.uuid4().hex[:8]}"
        self.call(EMAIL, "private/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
        participants = [
            {"type": "USER", "permission": permission,
             "userIdentity": {"lookupInfo": {"emailAddress": email}}} for email, permission in invited]
        picture = base64.b64encode(png(96, (40, 110, 150))).decode()
        answer = self.call(EMAIL, "private/records/modify", {"zoneID": {"zoneName": zone}, "operations": [
            {"operationType": "create", "record": {"recordName": "root", "recordType": "Album"}},
            {"operationType": "create", "record": {
                "recordName": "share", "recordType": "cloudkit.share", "forRecord": {"recordName": "root"},
                "publicPermission": public, "denyAccessRequests": not requests, "participants": participants,
                "fields": {"cloudkit.title": {"value": title}, "cloudkit.type": {"value": "Album"},
                           "cloudkit.thumbnailImageData": {"value": picture, "type": "BYTES"}}}}]})
        return f"{self.cloud}/share/{answer['records'][1]['shortGUID']}"

    def sign_in(self, email, address):
        """Opens a link in a browser that knows nobody, and signs in there."""
        self.browser.delete_all_cookies()
        self.browser.get(address)
        self.wait_for_focus("email")
        self.press_for_next_page(email, Keys.TAB, PASSWORD, Keys.ENTER)
        self.assertTrue(self.has("who"))

    def element(self, element_id):
        return self.browser.find_element(By.ID, element_id)

    def has(self, element_id):
        return bool(self.browser.find_elements(By.ID, element_id))

    def heading(self):
        return self.browser.find_element(By.TAG_NAME, "h1").text

    def submit(self, element_id):
        """Presses a button and waits for the page that answers it."""
        self.wait_for_next_page(self.element(element_id).click)
        return self.wait(lambda browser: browser.find_elements(By.ID, "notice"))[0].text

    def unfold(self, element_id):
        self.element(element_id).click()

    # The tests.

    def test_the_invited_accept_go_on_and_leave(self):
        address = self.share(invited=[(GRACE, "READ_WRITE")])
        self.browser.get(address)
        self.assertEqual(self.heading(), "Something is shared with you")
        self.assert_good_everywhere("share-sign-in")
        self.sign_in(GRACE, address)
        self.assertEqual(self.heading(), "Summer in Lisbon")
        text = self.browser.find_element(By.TAG_NAME, "main").text
        for words in ["Ada Lovelace shares this with you", "view and change it", GRACE, CONTAINER]:
            self.assertIn(words, text)
        self.assert_good_everywhere("share-invitation")
        self.assertEqual(self.submit("accept"), "You have joined.")
        link = self.element("open").get_attribute("href")
        self.assertTrue(link.startswith("https://app.example/open?share=http%3A%2F%2F127.0.0.1"), link)
        self.assertEqual(self.element("command").text, f"notes join {address}")
        # One click selects the command as a whole, to be copied.
        self.element("command").click()
        self.assertEqual(self.browser.execute_script("return getSelection().toString().trim()"), f"notes join {address}")
        self.assert_good_everywhere("share-joined")
        self.unfold("leaving")
        self.assertIn("You left", self.submit("leave"))
        self.assert_good_everywhere("share-left")
        self.browser.get(address)
        self.assertEqual(self.heading(), "You are not invited")
        self.assert_good_everywhere("share-not-invited")

    def test_the_invited_decline(self):
        address = self.share(invited=[(GRACE, "READ_ONLY")])
        self.sign_in(GRACE, address)
        self.assertIn("You declined", self.submit("decline"))
        self.assert_clean_console()

    def test_by_keyboard_alone(self):
        address = self.share(invited=[(GRACE, "READ_ONLY")])
        self.sign_in(GRACE, address)
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "decline")
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "accept")
        self.press_for_next_page(Keys.ENTER)
        self.assertTrue(self.has("open"))

    def test_a_link_for_everybody_and_links_to_nothing(self):
        address = self.share(public="READ_ONLY")
        self.sign_in(JOAN, address)
        self.assertIn("Anyone with this link", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assert_good_everywhere("share-public")
        self.assertEqual(self.submit("accept"), "You have joined.")
        self.browser.get(self.cloud + "/share/0123456789")
        self.assertEqual(self.heading(), "This link does not work")
        self.assert_good_everywhere("share-nothing")

    def test_who_asks_is_let_in(self):
        address = self.share(requests=True)
        self.sign_in(JOAN, address)
        self.submit("ask")
        self.assertTrue(self.has("waiting"))
        self.assert_good_everywhere("share-asked")
        self.sign_in(EMAIL, address)
        self.assert_good_everywhere("share-manage-request")
        self.assertIn("Approved", self.submit("approve-0"))
        self.sign_in(JOAN, address)
        self.assertEqual(self.submit("accept"), "You have joined.")

    def test_the_owner_manages(self):
        address = self.share(invited=[(GRACE, "READ_ONLY")])
        self.sign_in(GRACE, address)
        self.submit("accept")
        self.sign_in(EMAIL, address)
        self.assertIn("You share this", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assertEqual(self.element("link").text, address)
        self.unfold("inviting")
        self.element("email").send_keys("margaret@example.org")
        Select(self.element("permission-new")).select_by_visible_text("View")
        self.assertEqual(self.submit("invite"), "Invitation created.")
        self.unfold("making")
        self.assertIn("Link created", self.submit("one-time"))
        one_time = self.element("one-time-0").text
        self.assert_good_everywhere("share-manage")
        self.unfold("person-1")
        Select(self.element("permission-1")).select_by_visible_text("View and change")
        Select(self.element("role-1")).select_by_visible_text("Administrator")
        self.assert_good_everywhere("share-manage-person")
        self.assertEqual(self.submit("change-1"), "Saved.")
        self.sign_in(JOAN, one_time)
        self.assertIn("Only the first person who accepts", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assert_good_everywhere("share-one-time")
        self.submit("accept")
        # The administrator sees the same, but for what is the owner's.
        self.sign_in(GRACE, address)
        self.assertIn("you are an administrator", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assertFalse(self.has("stop"))
        self.assert_good_everywhere("share-administer")
        # Whoever is blocked is out.
        self.sign_in(EMAIL, address)
        joan = next(
            index for index, row in enumerate(self.browser.find_elements(By.CSS_SELECTOR, "#people-title + ul > li"))
            if "Joan" in row.text)
        self.unfold(f"person-{joan}")
        self.submit(f"block-{joan}")
        Select(self.element("public")).select_by_value("READ_ONLY")
        self.assertEqual(self.submit("save-link"), "Saved.")
        self.assert_good_everywhere("share-manage-public")
        self.sign_in(JOAN, address)
        self.assertEqual(self.heading(), "You are not invited")
        self.sign_in(EMAIL, address)
        self.unfold("end")
        self.assertIn("Sharing has stopped", self.submit("stop"))
        self.sign_in(GRACE, address)
        self.assertEqual(self.heading(), "This link does not work")

    def test_what_stands_behind_the_link_goes_on_to_the_app(self):
        """The key of encrypted values, which no request carries: through the sign-in and the answer to a form."""
        address = self.share(invited=[(GRACE, "READ_WRITE")])
        fragment = "#k1.-abcdefghij_KLMNOPQRSTU"
        self.browser.delete_all_cookies()
        self.browser.get(self.cloud + "/")
        self.sign_in(GRACE, address + fragment)
        self.assertEqual(self.browser.current_url, address + fragment)
        self.assertEqual(self.submit("accept"), "You have joined.")
        self.assertEqual(self.browser.current_url, address + "?done=accepted" + fragment)
        link = urllib.parse.quote(address + fragment, safe="")
        self.assertEqual(self.element("open").get_attribute("href"), "https://app.example/open?share=" + link)
        self.assertEqual(self.element("command").text, f"notes join {address}{fragment}")
        self.assert_good_everywhere("share-joined-with-key")
        self.sign_in(EMAIL, address + fragment)
        self.assertEqual(self.element("link").text, address + fragment)
        self.assertEqual(self.element("command").text, f"notes join {address}{fragment}")
        # What is no key does not get into a command.
        for hostile in ["#;rm -rf ~", "#$(id)", "#k1.%27", "#" + "a" * 257, "#a\"b"]:
            self.browser.get("about:blank")
            self.browser.get(address + hostile)
            self.assertEqual(self.element("command").text, f"notes join {address}")
        self.assert_clean_console()

    def test_a_link_s_key_is_in_no_request(self):
        """What the server gets of a link with a key, asked from where it gets it."""
        seen = []

        class Front(http.server.BaseHTTPRequestHandler):
            """Passes everything on to the server, and keeps it."""
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                seen.append(self.requestline + str(self.headers) + body.decode())
                target = ShareTest.cloud.split("//")[1]
                connection = http.client.HTTPConnection(target)
                connection.request(self.command, self.path, body, dict(self.headers.items()))
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *arguments):
                pass

        front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
        threading.Thread(target=front.serve_forever, daemon=True).start()
        self.addCleanup(front.server_close)
        self.addCleanup(front.shutdown)
        address = self.share(invited=[(GRACE, "READ_WRITE")])
        address = f"http://127.0.0.1:{front.server_port}/share/" + address.split("/")[-1]
        self.sign_in(GRACE, address + "#k1.-abcdefghij_KLMNOPQRSTU")
        self.assertEqual(self.submit("accept"), "You have joined.")
        self.assertIn("#k1.", self.element("command").text)
        self.assertGreaterEqual(len(seen), 4)
        self.assertFalse([request for request in seen if "k1." in request or "KLMNOP" in request])

    def test_the_list_of_shares_leads_to_their_pages(self):
        own = self.share("Herbarium", invited=[(GRACE, "READ_WRITE")])
        self.browser.delete_all_cookies()
        self.browser.get(self.cloud + "/share")
        self.assertEqual(self.heading(), "Shares")
        self.assert_good_everywhere("shares-sign-in")
        self.sign_in(JOAN, self.cloud + "/share")
        self.assertIn("You are not sharing anything yet", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assert_good_everywhere("shares-none")
        self.sign_in(GRACE, own)
        self.submit("accept")
        self.wait_for_next_page(self.browser.find_element(By.LINK_TEXT, "Shares").click)
        others = self.browser.find_element(By.CSS_SELECTOR, "[aria-labelledby=others-title]")
        self.assertIn("Herbarium", others.text)
        self.assertIn("Ada Lovelace · you can view and change it", others.text)
        self.assert_good_everywhere("shares-others")
        self.wait_for_next_page(others.find_element(By.PARTIAL_LINK_TEXT, "Herbarium").click)
        self.assertEqual(self.browser.current_url, own)
        self.assertTrue(self.has("leaving"))
        # From one's account to what one shares, and on to where it is managed.
        self.sign_in(EMAIL, self.cloud + "/account")
        self.wait_for_next_page(self.element("to-shares").click)
        mine = self.browser.find_element(By.CSS_SELECTOR, "[aria-labelledby=own-title]")
        self.assertIn("Shared with 1 person", mine.text)
        self.assert_good_everywhere("shares-own")
        self.wait_for_next_page(mine.find_element(By.PARTIAL_LINK_TEXT, "Herbarium").click)
        self.assertEqual(self.browser.current_url, own)
        self.assertTrue(self.has("stop"))

    def test_the_list_of_shares_shows_invitations(self):
        self.share("Bird songs", invited=[(JOAN, "READ_WRITE")])
        self.share("Old maps", invited=[(JOAN, "READ_ONLY")])
        self.sign_in(GRACE, self.cloud + "/share")
        self.assertNotIn("Bird songs", self.browser.find_element(By.TAG_NAME, "main").text)
        self.sign_in(JOAN, self.cloud + "/share")
        section = self.browser.find_element(By.CSS_SELECTOR, "[aria-labelledby=invitations-title]")
        for words in ["Bird songs", "Old maps", "Ada Lovelace · you can view and change it"]:
            self.assertIn(words, section.text)
        self.assert_good_everywhere("shares-invited")
        # The latest is the first.
        self.assertEqual(self.element("invitations-0").text, "Old maps")
        self.assertIn("You declined", self.submit("decline-0"))
        self.browser.get(self.cloud + "/share")
        self.assertEqual(self.element("invitations-0").text, "Bird songs")
        self.assertFalse(self.has("invitations-1"))
        self.assertEqual(self.submit("accept-0"), "You have joined.")
        self.assertEqual(self.heading(), "Bird songs")
        self.browser.get(self.cloud + "/share")
        self.assertFalse(self.has("invitations-title"))
        self.assertIn("Bird songs", self.browser.find_element(By.CSS_SELECTOR, "[aria-labelledby=others-title]").text)

    def test_a_link_from_another_site_finds_the_session(self):
        """Invitations are opened from mail, which is another site; who is signed in stays so."""
        address = self.share(invited=[(GRACE, "READ_ONLY")])
        self.sign_in(GRACE, address)
        self.browser.get("data:text/html,<a id='go' href='" + address + "'>go</a>")
        self.wait_for_next_page(self.element("go").click)
        self.assertTrue(self.has("accept"))


if __name__ == "__main__":
    unittest.main()
