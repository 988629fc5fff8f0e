"""The page of one's own account in a real browser, against the real server.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import base64
import hashlib
import http.server
import json
import threading
import unittest
import urllib.error
import urllib.request

from browser import CONTAINER, EMAIL, PASSWORD, BrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# A site that wants to use the page of whoever visits it: in a frame, and with a form of its own.
EVIL = """<!doctype html><html lang="en"><title>Evil</title><link rel="icon" href="data:,">
<iframe id="frame" src="CLOUD/account"></iframe>
<form id="form" method="post" action="CLOUD/account">
<input name="action" value="sign-out-everywhere"><input name="form" value="">
</form></html>"""


class AccountTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_tool(
            "session", "create", "--container", CONTAINER, "--environment", "production", "--email", EMAIL)

    def sign_in(self, email=EMAIL, password=PASSWORD):
        self.browser.get(self.cloud + "/account")
        self.wait_for_focus("email")
        self.press_for_next_page(email, Keys.TAB, password, Keys.ENTER)
        self.assertEqual(self.browser.find_element(By.ID, "who").text, email)

    def notice(self):
        return self.wait(lambda browser: browser.find_elements(By.ID, "notice"))[0]

    def go_to(self, element_id):
        """Moves on with the keyboard until an element has the focus."""
        for _ in range(40):
            self.press(Keys.TAB)
            if self.focused() == element_id:
                return
        self.fail(f"{element_id} cannot be reached with the keyboard")

    def submit(self, element_id, key=Keys.ENTER):
        self.go_to(element_id)
        self.press_for_next_page(key)
        return self.notice()

    def test_by_keyboard_who_can_find_me(self):
        self.sign_in()
        main = self.browser.find_element(By.TAG_NAME, "main")
        self.assertIn(CONTAINER, main.text)
        self.assertIn("Nobody can find you.", main.text)
        self.assertEqual(self.submit("find-0").get_attribute("role"), "status")
        self.assertEqual(self.browser.find_element(By.ID, "find-0").text, "Stop letting others find me")
        # Reloading repeats nothing.
        self.browser.refresh()
        self.assertEqual(self.browser.find_element(By.ID, "find-0").text, "Stop letting others find me")
        self.submit("find-0", Keys.SPACE)
        self.assertEqual(self.browser.find_element(By.ID, "find-0").text, "Let others find me")
        self.assert_clean_console()

    def test_a_wrong_password_is_said_and_can_be_corrected(self):
        self.browser.get(self.cloud + "/account")
        self.wait_for_focus("email")
        self.press_for_next_page(EMAIL, Keys.TAB, "wrong password", Keys.ENTER)
        notice = self.notice()
        self.assertEqual(notice.get_attribute("role"), "alert")
        self.assertIn("password is wrong", notice.text)
        self.wait_for_focus("password")
        self.press_for_next_page(PASSWORD, Keys.ENTER)
        self.assertTrue(self.browser.find_elements(By.ID, "who"))
        self.assert_clean_console()

    def test_changing_the_password(self):
        email = "grace@example.org"
        self.make_account(email)
        self.sign_in(email)
        self.go_to("current")
        self.press_for_next_page("wrong password", Keys.TAB, "battery staple", Keys.TAB, "battery staple", Keys.ENTER)
        self.assertEqual(self.notice().text, "The current password is wrong.")
        # Nothing that was typed comes back.
        for field in ["current", "new", "again"]:
            self.assertEqual(self.browser.find_element(By.ID, field).get_attribute("value"), "")
        self.go_to("current")
        self.press_for_next_page(PASSWORD, Keys.TAB, "battery staple", Keys.TAB, "battery staple", Keys.ENTER)
        done = self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, "[role=status]"))[0]
        self.assertIn("password has been changed", done.text)
        self.assertIn("You are signed out", self.submit("sign-out").text)
        self.sign_in(email, "battery staple")
        self.assert_clean_console()

    def test_signing_out_everywhere(self):
        email = "joan@example.org"
        self.make_account(email)
        token = self.make_token()
        output = self.run_tool(
            "session", "create", "--container", CONTAINER, "--environment", "development", "--email", email)
        session = next(word for word in output.split() if len(word) > 90)
        self.assertEqual(self.caller(token, session), 200)
        self.sign_in(email)
        self.assertIn("signed out everywhere", self.submit("everywhere").text)
        self.assertTrue(self.browser.find_elements(By.ID, "password"))
        self.assertEqual(self.browser.get_cookies(), [])
        self.assertEqual(self.caller(token, session), 421)
        self.assert_clean_console()

    def caller(self, token, session):
        address = (f"{self.cloud}/database/1/{CONTAINER}/development/public/users/caller"
                   f"?ckAPIToken={token}&ckWebAuthToken={session}")
        try:
            with urllib.request.urlopen(address) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_ending_one_session(self):
        email = "edith@example.org"
        self.make_account(email)
        query, _ = self.credentials(email)
        token, session = (part.split("=")[1] for part in query.split("&"))
        self.sign_in(email)
        listed = self.browser.find_element(By.ID, "session-list")
        self.assertIn("Chrome on Linux", listed.text)
        self.assertIn("stratus session create", listed.text)
        self.assertEqual(len(listed.find_elements(By.TAG_NAME, "button")), 1)
        end = listed.find_element(By.TAG_NAME, "button").get_attribute("id")
        self.assertEqual(self.submit(end).text, "The device or browser is signed out.")
        self.assertEqual(self.caller(token, session), 421)
        listed = self.browser.find_element(By.ID, "session-list")
        self.assertEqual(len(listed.find_elements(By.TAG_NAME, "li")), 1)
        self.assertIn("You are using this browser now.", listed.text)
        self.assert_clean_console()

    def test_app_passwords(self):
        email = "hedy@example.org"
        self.make_account(email)
        self.sign_in(email)
        self.go_to("app-password-name")
        self.press("Laptop & <b>phone</b>")
        self.go_to("app-password-deletes")
        self.press(Keys.SPACE)
        self.go_to("create-app-password")
        self.press_for_next_page(Keys.ENTER)
        secret = self.browser.find_element(By.ID, "app-password").text
        self.assertRegex(secret, r"^([a-z2-9]{4}-){6}[a-z2-9]{4}$")
        self.assert_good_everywhere("account-app-password")
        # Sent again, the form makes no second one and shows nothing of the first.
        self.browser.refresh()
        self.assertIn("already an app password", self.notice().text)
        self.assertNotIn(secret, self.browser.page_source)
        listed = self.browser.find_element(By.ID, "app-passwords")
        self.assertEqual(len(listed.find_elements(By.TAG_NAME, "li")), 1)
        for text in ["Laptop & <b>phone</b>", "never used", "Can delete backups."]:
            self.assertIn(text, listed.text)
        self.assertNotIn("development", listed.text)
        made = json.loads(self.run_tool("account", "app-password", "list", "--email", email, "--json"))
        self.assertEqual([one["environment"] for one in made["appPasswords"]], ["production"])
        self.assertIn("has been revoked", self.submit("revoke-0").text)
        self.assertEqual(self.browser.find_elements(By.ID, "app-passwords"), [])
        self.assert_clean_console()

    def test_device_backups(self):
        email = "mary@example.org"
        self.make_account(email)
        self.sign_in(email)
        self.assertEqual(self.browser.find_elements(By.ID, "backup-list"), [])
        output = self.run_tool("account", "app-password", "create", "--email", email, "--name", "laptop", "--json")
        credentials = base64.b64encode(f"{email}:{json.loads(output)['password']}".encode()).decode()
        pack = b"x" * 1_234_567

        def send(path, body=b""):
            request = urllib.request.Request(
                f"{self.cloud}/backup/{path}", body, {"Authorization": f"Basic {credentials}"}, method="POST")
            with urllib.request.urlopen(request) as answer:
                return answer.status

        for device in ["laptop", "phone"]:
            send(f"{device}/?create=true")
        send(f"laptop/data/{hashlib.sha256(pack).hexdigest()}", pack)
        send(f"laptop/snapshots/{hashlib.sha256(b'now').hexdigest()}", b"now")
        self.browser.refresh()
        laptop, phone = self.browser.find_elements(By.CSS_SELECTOR, "#backup-list > li")
        self.assertIn("laptop", laptop.text)
        self.assertIn("1.2 MB", laptop.text)
        self.assertRegex(laptop.text, r"Last backup \d{4}-\d\d-\d\d, \d\d:\d\d UTC")
        self.assertIn("No backup is complete yet, 0 bytes", phone.text)
        self.assert_good_everywhere("account-backups")
        # Without the confirmation nothing happens.
        self.go_to("delete-backup-0")
        self.press(Keys.ENTER)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#backup-list > li")), 2)
        self.browser.find_element(By.ID, "backup-confirm-0").click()
        self.assertIn("backup has been deleted", self.submit("delete-backup-0").text)
        left, = self.browser.find_elements(By.CSS_SELECTOR, "#backup-list > li")
        self.assertIn("phone", left.text)
        self.assert_clean_console()

    def test_deleting_the_account(self):
        email = "rosa@example.org"
        self.make_account(email)
        self.sign_in(email)
        self.assertFalse(self.browser.find_element(By.ID, "delete").is_displayed())
        self.go_to("deleting")
        self.press(Keys.ENTER)
        self.assertIn("everything in your private databases", self.browser.find_element(By.TAG_NAME, "main").text)
        self.go_to("delete-password")
        self.press_for_next_page("wrong password", Keys.ENTER)
        self.assertEqual(self.notice().text, "The password is wrong.")
        self.go_to("delete-password")
        self.press_for_next_page(PASSWORD, Keys.ENTER)
        self.assertIn("have been deleted", self.notice().text)
        self.assertEqual(self.browser.get_cookies(), [])
        self.wait_for_focus("email")
        self.press_for_next_page(email, Keys.TAB, PASSWORD, Keys.ENTER)
        self.assertIn("password is wrong", self.notice().text)
        self.assertNotIn(email, self.run_tool("account", "list"))

    def test_is_good_on_a_phone_a_tablet_and_a_desktop(self):
        email = "lise@example.org"
        self.make_account(email)
        self.credentials(email)
        self.browser.get(self.cloud + "/account")
        self.assert_good_everywhere("account-sign-in")
        self.browser.get(self.cloud + "/password")
        self.assert_good_everywhere("password-no-mail")
        self.sign_in(email)
        self.browser.find_element(By.ID, "deleting").click()
        self.assert_good_everywhere("account")
        self.emulate(820)
        self.assert_accessible()
        self.picture("account-tablet-light.png")

    def test_scripts_cannot_read_the_session(self):
        self.sign_in()
        self.assertEqual(self.browser.execute_script("return document.cookie"), "")
        cookie, = self.browser.get_cookies()
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Lax")
        self.assertNotIn("expiry", cookie)

    def test_another_site_can_neither_frame_nor_use_it(self):
        self.sign_in()
        page = EVIL.replace("CLOUD", self.cloud).encode()

        class Evil(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *arguments):
                pass

        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        # Another host by its name, so another site.
        self.browser.get(f"http://localhost:{site.server_port}/")
        self.browser.switch_to.frame("frame")
        self.assertEqual(self.browser.find_elements(By.TAG_NAME, "form"), [])
        self.browser.switch_to.default_content()
        self.browser.execute_script("document.getElementById('form').submit()")
        refusal = self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, "[role=alert]"))[0]
        self.assertIn("no longer valid", refusal.text)
        self.browser.get(self.cloud + "/account")
        self.assertEqual(self.browser.find_element(By.ID, "who").text, EMAIL)

    def test_fits_a_phone_in_the_dark(self):
        self.emulate_dark_phone()
        self.browser.get(self.cloud + "/account")
        self.assert_fits_dark_phone("account-sign-in-phone.png")
        self.sign_in()
        self.assert_fits_dark_phone("account-phone.png")


if __name__ == "__main__":
    unittest.main()
