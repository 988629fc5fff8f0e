"""The log of the console: an entry as a whole, and ranges of time.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import EMAIL
from console import DEVICES, ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class ConsoleLogTest(ConsoleBrowserTest):
    def setUp(self):
        super().setUp()
        self.enter()

    def test_an_entry_of_the_log_opens_whole(self):
        self.view("log")
        self.see("Live")
        for name in ["first", "second"]:
            self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": name}]})
        self.assertEqual(self.status("development", "public/records/query", {}, self.app_token()), 400)
        self.see("records/query 400")
        # Tab reaches one line, from which the arrow keys go to the others.
        reachable = self.browser.find_elements(By.CSS_SELECTOR, ".log-line[tabindex='0']")
        self.assertEqual(len(reachable), 1)
        reachable[0].send_keys(Keys.END)
        self.press(Keys.ARROW_UP)
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ENTER)
        entry = self.until(By.CSS_SELECTOR, "dialog dl.entry")
        words = [word.text for word in entry.find_elements(By.CSS_SELECTOR, "dt, dd")]
        whole = dict(zip(words[::2], words[1::2]))
        self.assertEqual((whole["Operation"], whole["Status"], whole["Error code"]), ("records/query", "400", "BAD_REQUEST"))
        self.assertRegex(whole["Time"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$")
        self.assertGreater(len(whole["Request UUID"]), 10)
        self.assertIn("Reason", whole)
        self.assert_good_everywhere("log-entry", devices=DEVICES)
        self.press(Keys.ESCAPE)
        self.no_dialog()
        # Back at the line that was open.
        self.assertIn("log-line", self.browser.switch_to.active_element.get_attribute("class"))

    def test_the_log_takes_a_range_of_time(self):
        self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "nothing"}]})
        now = self.browser.execute_script("return Date.now()")
        self.view(f"log?from=0&to={now - 3_600_000}")
        self.see("Complete")
        self.see("No requests in this range")
        self.assertIn(self.field("from").get_attribute("value")[:4], ["1969", "1970"])
        self.assert_good_everywhere("log-range-empty", devices=DEVICES)
        self.set_time("to", "2100-01-01T00:00:00")
        self.see("Live")
        self.see("records/lookup")
        self.assertIn("to=4", self.browser.current_url)
        self.assert_good_everywhere("log-range", devices=DEVICES)
        self.set_time("to", "1960-01-01T00:00:00")
        self.see("“To” must not be before “From”.")
        self.assert_clean_console()

    def set_time(self, name, text):
        """What the keyboard gives depends on the language of the browser."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))"
        self.browser.execute_script(script, self.field(name), text)


if __name__ == "__main__":
    unittest.main()
