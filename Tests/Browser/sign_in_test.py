"""The sign-in page in a real browser, against the real server.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import http.server
import threading
import unittest
import urllib.parse

from browser import CONTAINER, EMAIL, PASSWORD, BrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# An app as it would use the web services: asks who the user is, opens the page it is told, and listens.
APP = """<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<button id="sign-in" autofocus>Sign in</button>
<script>
const parameters = new URLSearchParams(location.search);
const address = parameters.get("cloud") + "/database/1/" + parameters.get("container")
  + "/development/public/users/caller?ckAPIToken=" + parameters.get("token");
window.messages = [];
window.addEventListener("message", (event) => window.messages.push({ origin: event.origin, data: event.data }));
document.getElementById("sign-in").addEventListener("click", async () => {
  const answer = await fetch(address);
  window.open((await answer.json()).redirectURL, "", "width=640,height=525");
});
window.caller = async (token) => {
  const answer = await fetch(address + "&ckWebAuthToken=" + encodeURIComponent(token));
  return [answer.status, await answer.json(), answer.headers.get("X-Apple-CloudKit-Web-Auth-Token")];
};
</script></html>"""


class App(http.server.BaseHTTPRequestHandler):
    """Serves the app, and remembers what came to its callback."""

    callbacks = []

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/done":
            App.callbacks.append((self.path, self.headers.get("Referer")))
        body = (APP if path == "/" else "<!doctype html><title>Done</title><link rel=icon href='data:,'>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class SignInTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
        threading.Thread(target=cls.app.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.app.server_close)
        cls.addClassCleanup(cls.app.shutdown)
        # Another site than the cloud's, whose host is 127.0.0.1.
        cls.origin = f"http://localhost:{cls.app.server_port}"
        cls.token = cls.make_token("--origin", cls.origin, "--origin", "https://other.example")
        cls.callback_token = cls.make_token("--callback", cls.origin + "/done?from=stratus")

    def open_app(self):
        query = urllib.parse.urlencode({"cloud": self.cloud, "container": CONTAINER, "token": self.token})
        self.browser.get(f"{self.origin}/?{query}")
        self.app_window = self.browser.current_window_handle

    def open_popup(self):
        self.open_app()
        self.press(Keys.ENTER)
        self.wait(lambda browser: len(browser.window_handles) == 2)
        popup = next(handle for handle in self.browser.window_handles if handle != self.app_window)
        self.browser.switch_to.window(popup)
        self.wait(lambda browser: browser.find_elements(By.ID, "email"))

    def sign_in_address(self, token):
        self.open_app()
        address = f"{self.cloud}/database/1/{CONTAINER}/development/public/users/caller?ckAPIToken={token}"
        script = "const done = arguments[1]; fetch(arguments[0]).then(a => a.json()).then(b => done(b.redirectURL));"
        return self.browser.execute_async_script(script, address)

    def messages_after_popup(self):
        self.wait(lambda browser: len(browser.window_handles) == 1)
        self.browser.switch_to.window(self.app_window)
        self.wait(lambda browser: browser.execute_script("return window.messages.length > 0"))
        return self.browser.execute_script("return window.messages")

    # The tests.

    def test_popup_by_keyboard_tells_the_app_once(self):
        self.open_popup()
        self.assertIn(CONTAINER, self.browser.find_element(By.TAG_NAME, "main").text)
        self.wait_for_focus("email")
        self.press(EMAIL, Keys.TAB)
        self.assertEqual(self.focused(), "password")
        self.press(PASSWORD, Keys.TAB, Keys.SPACE)
        self.assertTrue(self.browser.find_element(By.NAME, "keep").is_selected())
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "discoverable")
        self.press("Pe")
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "cancel")
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "submit")
        self.assert_clean_console()
        self.press(Keys.ENTER)
        messages = self.messages_after_popup()
        self.assertEqual(len(messages), 1)
        self.assertEqual(messages[0]["origin"], self.cloud)
        data = messages[0]["data"]
        self.assertEqual(set(data), {"ckSession", "ckWebAuthToken"})
        self.assertEqual(data["ckSession"], data["ckWebAuthToken"])
        script = "const done = arguments[1]; window.caller(arguments[0]).then(done);"
        status, body, renewed = self.browser.execute_async_script(script, data["ckSession"])
        self.assertEqual(status, 200)
        self.assertTrue(body["userRecordName"].startswith("_"))
        # Who chose to be found is told so.
        self.assertEqual(body["lookupInfo"], {"emailAddress": EMAIL})
        self.assertNotEqual(renewed, data["ckSession"])
        self.assertTrue(renewed)
        self.assert_clean_console()

    def test_cancel_tells_the_app(self):
        self.open_popup()
        self.wait_for_focus("email")
        self.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB)
        self.assertEqual(self.focused(), "cancel")
        self.press(Keys.ENTER)
        messages = self.messages_after_popup()
        self.assertEqual(len(messages), 1)
        self.assertEqual(set(messages[0]["data"]), {"errorMessage"})

    def test_wrong_password_is_said_and_can_be_corrected(self):
        self.open_popup()
        self.wait_for_focus("email")
        self.press_for_next_page(EMAIL, Keys.TAB, "wrong password", Keys.ENTER)
        alert = self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, "[role=alert]"))[0]
        self.assertIn("password is wrong", alert.text)
        self.assertTrue(self.browser.find_elements(By.CSS_SELECTOR, "[aria-live=assertive] [role=alert]"))
        self.assertEqual(self.browser.find_element(By.ID, "email").get_attribute("value"), EMAIL)
        self.wait_for_focus("password")
        self.assert_clean_console()
        self.press(PASSWORD, Keys.ENTER)
        self.assertIn("ckSession", self.messages_after_popup()[0]["data"])

    def test_without_an_opener_the_page_explains(self):
        self.browser.get(self.sign_in_address(self.token))
        self.assertFalse(self.browser.find_element(By.ID, "cancel").is_displayed())
        self.wait_for_focus("email")
        self.press_for_next_page(EMAIL, Keys.TAB, PASSWORD, Keys.ENTER)
        self.assertTrue(self.browser.find_element(By.ID, "orphan").is_displayed())
        self.assertIsNone(self.browser.execute_script("return document.body.dataset.token ?? null"))
        self.assert_clean_console()

    def test_callback_gets_the_token_and_no_referrer(self):
        self.browser.get(self.sign_in_address(self.callback_token))
        self.wait_for_focus("email")
        self.press(EMAIL, Keys.TAB, PASSWORD, Keys.ENTER)
        self.wait(lambda browser: browser.title == "Done")
        target, referrer = App.callbacks[-1]
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)
        self.assertEqual(query["from"], ["stratus"])
        self.assertEqual(len(query["ckWebAuthToken"]), 1)
        self.assertIsNone(referrer)
        self.assert_clean_console()

    def test_an_expired_page_says_so(self):
        self.browser.get(self.cloud + "/sign-in?state=00")
        self.assertIn("expired", self.browser.find_element(By.CSS_SELECTOR, "[role=alert]").text)
        self.assert_clean_console()

    def test_fits_a_phone_in_the_dark(self):
        address = self.sign_in_address(self.token)
        self.emulate_dark_phone()
        self.browser.get(address)
        self.assert_fits_dark_phone("sign-in-phone.png")


if __name__ == "__main__":
    unittest.main()
