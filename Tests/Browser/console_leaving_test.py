"""What is not saved in the console is not left by the browser's own ways back and forth either.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING);
"""


class ConsoleLeavingTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.call(EMAIL, "public/records/modify", {"operations": [
            {"operationType": "create", "record": {
                "recordType": "Note", "recordName": "note", "fields": {"title": {"value": "as it was"}}}}]})

    def setUp(self):
        super().setUp()
        self.enter()

    def travel(self, steps):
        # Not the driver's own way, which waits for another page.
        self.browser.execute_script("history.go(arguments[0])", steps)

    def is_at(self, view):
        self.wait(lambda browser: f"/development/{view}" in browser.current_url)

    def refuse_to_leave(self):
        self.see("Leave without saving?", "dialog")
        self.push("Cancel")
        self.wait(lambda browser: "Leave without saving?" not in browser.page_source)

    def change_schema(self):
        self.until(By.CSS_SELECTOR, "input[aria-label='title: Searchable']").click()
        self.see("Unsaved changes")

    def test_the_way_back_and_forth_from_a_changed_schema(self):
        self.view("roles")
        self.push("Schema", ".side ")
        self.see("System fields")
        self.push("Zones", ".side ")
        self.see("Default zone")
        # Of what is not changed nobody asks.
        self.travel(-1)
        self.see("System fields")
        self.change_schema()
        for steps in [-1, 1]:
            self.travel(steps)
            self.refuse_to_leave()
            self.is_at("schema")
            self.see("Unsaved changes")
        # A part of the same page is no other one.
        self.browser.execute_script("document.querySelector('.skip-link').click()")
        self.wait(lambda browser: browser.current_url.endswith("#content"))
        self.see("Unsaved changes")
        self.travel(-1)
        self.wait(lambda browser: "#" not in browser.current_url)
        self.assertFalse(self.browser.find_elements(By.CSS_SELECTOR, "dialog[open]"))
        self.see("Unsaved changes")
        self.travel(-1)
        self.see("Leave without saving?", "dialog")
        self.push("Leave")
        self.see("_world is everybody")
        self.is_at("roles")
        # The change is gone, and the view is where it was.
        self.travel(1)
        self.see("System fields")
        self.assertNotIn("Unsaved changes", self.text())
        self.assert_clean_console()

    def test_the_way_back_from_a_changed_record(self):
        self.view("roles")
        self.push("Records", ".side ")
        self.wait(lambda browser: self.rows() == ["note"])
        self.until(By.CSS_SELECTOR, ".grid-row .name").click()
        self.until(By.CSS_SELECTOR, "dialog .value-field")
        title = self.until(By.CSS_SELECTOR, "dialog textarea")
        title.send_keys(", and more")
        self.travel(-1)
        self.refuse_to_leave()
        self.is_at("records")
        self.assertEqual(title.get_attribute("value"), "as it was, and more")
        self.travel(-1)
        self.see("Leave without saving?", "dialog")
        self.push("Leave")
        # An open record is a step of its own.
        self.wait(lambda browser: not browser.find_elements(By.TAG_NAME, "dialog"))
        self.is_at("records")
        self.travel(-1)
        self.see("_world is everybody")
        self.travel(1)
        self.wait(lambda browser: self.rows() == ["note"])
        # Nothing asks about a record that is not open any more.
        self.travel(-1)
        self.see("_world is everybody")
        [record] = self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "note"}]})["records"]
        self.assertEqual(record["fields"]["title"]["value"], "as it was")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
