"""The records view and its address: what is shown is in the address, a reload shows it again, and the browser's ways
back and forward lead through it.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import unittest
import urllib.parse

from browser import EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Album ("___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE);
    RECORD TYPE Track (
        "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE, number INT64 QUERYABLE SORTABLE,
        studio LOCATION QUERYABLE, album REFERENCE QUERYABLE, released TIMESTAMP QUERYABLE
    );
"""


class ConsoleAddressTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        records = [{"recordType": "Album", "recordName": "album", "fields": {"name": {"value": "One"}}}]
        records += [{
            "recordType": "Track", "recordName": f"t{number}", "fields": {
                "title": {"value": f"Title {number}"}, "number": {"value": number},
                "studio": {"value": {"latitude": float(number), "longitude": 7.0}},
                "album": {"value": {"recordName": "album", "action": "NONE"}},
            }} for number in range(1, 6)]
        cls.call(EMAIL, "public/records/modify", {
            "operations": [{"operationType": "create", "record": record} for record in records]})

    def setUp(self):
        super().setUp()
        self.enter()

    def wait_rows(self, *names):
        self.wait(lambda browser: self.rows() == list(names), f"{names} are not the rows")

    def asked(self):
        """The parameters of the page's address."""
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.browser.current_url).query))

    def travel(self, steps):
        # Not the driver's own way, which waits for another page.
        self.browser.execute_script("history.go(arguments[0])", steps)

    def reload(self):
        self.browser.refresh()
        self.wait_ready()

    def title(self):
        return self.until(By.CSS_SELECTOR, "dialog[open]:last-of-type h2").text

    def wait_title(self, words):
        self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, "dialog[open]") and self.title() == words)

    def add_filter(self, field, comparison, *values):
        self.push("Add filter")
        element = self.browser.find_elements(By.CSS_SELECTOR, "[role=group][aria-label=Filter]")[-1]
        self.choose_labelled("Field", field, element)
        self.choose_labelled("Comparison", comparison, element)
        for part, value in zip(element.find_elements(By.TAG_NAME, "input"), values, strict=True):
            part.send_keys(Keys.CONTROL, "a")
            part.send_keys(value)
        self.push("Run")

    def test_a_reload_shows_the_same_and_back_and_forward_lead_through_it(self):
        self.view("records?type=Track")
        self.choose("sort", "number, ascending")
        self.wait_rows("t1", "t2", "t3", "t4", "t5")
        self.add_filter("number", "is at least", "2")
        self.wait_rows("t2", "t3", "t4", "t5")
        self.add_filter("studio", "is within", "150000", "3", "7")
        self.wait_rows("t2", "t3", "t4")
        self.choose("sort", "number, descending")
        self.wait_rows("t4", "t3", "t2")
        asked = self.asked()
        self.assertEqual((asked["type"], asked["order"]), ("Track", "-number"))
        self.assertEqual([name for name, *_ in json.loads(asked["filter"])], ["number", "studio"])
        self.reload()
        self.wait_rows("t4", "t3", "t2")
        self.assertEqual(self.asked(), asked)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "[role=group][aria-label=Filter]")), 2)
        self.travel(-1)
        self.wait_rows("t2", "t3", "t4")
        self.travel(-1)
        self.wait_rows("t2", "t3", "t4", "t5")
        self.travel(2)
        self.wait_rows("t4", "t3", "t2")
        # No order is one, too; another database is as well.
        self.choose("sort", "No order")
        self.wait(lambda browser: self.asked().get("order", "-") == "-")
        self.choose("database", "Private (yours)")
        self.wait(lambda browser: self.asked().get("database") == "private")
        self.travel(-1)
        self.wait(lambda browser: "database" not in self.asked())
        self.wait(lambda browser: sorted(self.rows()) == ["t2", "t3", "t4"])
        self.assert_clean_console()

    def test_the_open_record_is_in_the_address_and_references_lead_to_others(self):
        self.view("records?type=Track&order=number")
        self.wait_rows("t1", "t2", "t3", "t4", "t5")
        self.until(By.CSS_SELECTOR, ".grid").send_keys(Keys.HOME, Keys.ENTER)
        self.wait_title("t1")
        self.assertEqual(self.asked(), {"type": "Track", "order": "number", "record": "t1"})
        self.reload()
        self.wait_title("t1")
        self.part("title")
        # A reference leads to its record, and back.
        self.push("album: open the record")
        self.wait_title("album")
        self.part("name")
        self.assertEqual(self.asked()["record"], "album")
        self.assert_good_everywhere("record-followed")
        self.push("Back")
        self.wait_title("t1")
        self.travel(1)
        self.wait_title("album")
        # The cross closes it, wherever it was followed from.
        self.push("Close")
        self.no_dialog()
        self.wait(lambda browser: self.asked() == {"type": "Track", "order": "number"})
        self.wait_rows("t1", "t2", "t3", "t4", "t5")
        # In the grid, too.
        self.until(By.CSS_SELECTOR, ".grid-row .reference span").click()
        self.wait_title("album")
        self.travel(-1)
        self.no_dialog()
        self.travel(1)
        self.wait_title("album")
        # From an address alone, the way back leads to the grid.
        self.view("records?type=Track&order=number&record=t3")
        self.wait_title("t3")
        self.travel(-1)
        self.no_dialog()
        self.wait_rows("t1", "t2", "t3", "t4", "t5")
        self.view("records?type=Track&record=gone")
        self.see("not found", "dialog")
        self.push("Close")
        self.no_dialog()
        self.assertEqual(self.asked(), {"type": "Track"})
        self.assert_clean_console()

    def test_an_address_that_names_what_does_not_exist_says_so(self):
        for address, words in [
            ("type=Trak", "no record type “Trak”"), ("type=Track&database=secret", "no database “secret”"),
            ("type=Track&database=private&zone=Elsewhere", "no zone “Elsewhere”"),
            ("type=Track&order=studio", "cannot be ordered by “studio”"), ("type=Track&filter=x", "cannot be read"),
            ('type=Track&filter=[["released","GREATER_THAN",1]]', "cannot be filtered by “released GREATER_THAN”"),
            ('type=Track&filter=[["<img src=x onerror=alert(1)>","EQUALS",1]]', "cannot be filtered by “<img src=x"),
        ]:
            with self.subTest(address):
                self.view("records?" + address)
                self.see(words)
                self.assertEqual(self.rows(), [])
                self.assertFalse(self.browser.find_elements(By.CSS_SELECTOR, "#content img"))
                self.assertTrue(self.browser.current_url.split("?")[1].startswith("type=Tra"))
        self.view("records?type=Trak")
        self.see("no record type “Trak”")
        self.assert_good_everywhere("records-unknown-type")
        # Another type is chosen like any time.
        self.choose("type", "Album")
        self.wait_rows("album")
        self.view("records?type=Trak")
        self.push("Show all records")
        self.wait(lambda browser: self.asked() == {"type": "Album"})
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
