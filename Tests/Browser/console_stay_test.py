"""Staying signed in to the console, and the way to it from the server's first page.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import time
import unittest

from console import OWNER, OWNER_PASSWORD, ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

DAY = 86_400


class ConsoleStayTest(ConsoleBrowserTest):
    def sign_out(self):
        self.push("Sign out", ".side ")
        self.until(By.CSS_SELECTOR, "[name=email]")

    def cookie(self):
        return self.browser.get_cookie("stratus-console")

    def test_staying_signed_in_by_keyboard_from_the_first_page(self):
        self.enter()
        self.sign_out()
        self.browser.get(self.cloud + "/")
        self.browser.find_element(By.CSS_SELECTOR, "a[href='/console/']").send_keys(Keys.ENTER)
        self.wait_ready()
        self.until(By.CSS_SELECTOR, "[name=password]")
        self.assert_good_everywhere("sign-in-stay")
        # Without the wish, the browser forgets the session when it is closed.
        self.fill("email", OWNER)
        self.fill("password", OWNER_PASSWORD + Keys.ENTER)
        self.until(By.CSS_SELECTOR, ".shell")
        self.assertNotIn("expiry", self.cookie())
        self.sign_out()
        self.fill("email", OWNER)
        self.fill("password", OWNER_PASSWORD)
        self.press(Keys.TAB, Keys.SPACE, Keys.TAB, Keys.ENTER)
        self.until(By.CSS_SELECTOR, ".shell")
        cookie = self.cookie()
        self.assertAlmostEqual(cookie["expiry"], time.time() + 30 * DAY, delta=DAY)
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual((cookie["sameSite"], cookie["path"]), ("Strict", "/console"))
        # The sign-out ends the session on the server, too.
        self.sign_out()
        self.assertIsNone(self.cookie())
        self.browser.add_cookie({name: cookie[name] for name in ["name", "value", "path"]})
        self.open("/console/containers")
        self.until(By.CSS_SELECTOR, "[name=password]")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
