"""Records in the console as a query finds them: filters, orders, exports of what is in view; and editors of encrypted
fields and lists.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import pathlib
import tempfile
import unittest

from browser import EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Track (
        "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE SEARCHABLE, number INT64 QUERYABLE SORTABLE,
        released TIMESTAMP QUERYABLE SORTABLE, studio LOCATION QUERYABLE SORTABLE, album REFERENCE QUERYABLE,
        tags LIST<STRING> QUERYABLE, marks LIST<INT64>, rates LIST<DOUBLE>, seen LIST<TIMESTAMP>, links LIST<REFERENCE>,
        places LIST<LOCATION>, seals LIST<BYTES>, diary ENCRYPTED STRING, pin ENCRYPTED INT64
    );
"""
TITLES = ["Night train", "Blue night", "Bread", "Train of thought", "Brook", "Nightfall"]
DAY = 86_400_000
FIRST_DAY = 1_767_225_600_000


def track(number):
    """Tracks of two albums, a day and a degree apart."""
    return {
        "recordType": "Track", "recordName": f"t{number}", "fields": {
            "title": {"value": TITLES[number - 1]}, "number": {"value": number},
            "released": {"value": FIRST_DAY + number * DAY, "type": "TIMESTAMP"},
            "studio": {"value": {"latitude": float(number), "longitude": 7.0}},
            "album": {"value": {"recordName": f"album-{number % 2}", "action": "NONE"}},
            "tags": {"value": ["live", "loud"] if number > 4 else ["calm"]},
        },
    }


class ConsoleQueryTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        operations = [{"operationType": "create", "record": track(number)} for number in range(1, 7)]
        cls.call(EMAIL, "public/records/modify", {"operations": operations})

    def setUp(self):
        super().setUp()
        downloads = tempfile.TemporaryDirectory()
        self.addCleanup(downloads.cleanup)
        self.downloads = pathlib.Path(downloads.name)
        self.browser.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": downloads.name})

    def add_filter(self, field, comparison, *values):
        self.push("Add filter")
        filters = self.browser.find_elements(By.CSS_SELECTOR, "[role=group][aria-label=Filter]")
        self.choose_labelled("Field", field, filters[-1])
        self.choose_labelled("Comparison", comparison, filters[-1])
        inputs = filters[-1].find_elements(By.TAG_NAME, "input")
        for element, value in zip(inputs, values, strict=True):
            element.send_keys(Keys.CONTROL, "a")
            element.send_keys(value)
        self.push("Run")

    def wait_rows(self, *numbers):
        expected = [f"t{number}" for number in numbers]
        self.wait(lambda browser: self.rows() == expected, f"{expected} are not the rows")

    def export(self):
        """The records of the file that a press on the link loads, in its order."""
        self.push("Export")
        files = self.wait(lambda browser: [file for file in self.downloads.iterdir() if file.suffix == ".jsonl"])
        lines = files[0].read_text(encoding="utf-8").splitlines()
        files[0].unlink()
        return [json.loads(line) for line in lines]

    def test_what_is_in_view_is_filtered_sorted_and_exported(self):
        self.enter()
        self.view("records?type=Track")
        self.filter_by_each_type()
        self.sort()
        self.export_what_is_in_view()
        self.export_what_others_share()
        self.edit_lists_and_encrypted_fields()

    def filter_by_each_type(self):
        self.choose("sort", "number, ascending")
        self.wait_rows(1, 2, 3, 4, 5, 6)
        for field, comparison, values, found in [
            ("title", "begins with", ["B"], [2, 3, 5]), ("title", "is not", ["Bread"], [1, 2, 4, 5, 6]),
            ("title", "has all words", ["night"], [1, 2]), ("number", "is at least", ["5"], [5, 6]),
            ("album", "is", ["album-1"], [1, 3, 5]), ("tags", "contains", ["live"], [5, 6]),
            ("studio", "is within", ["150000", "3", "7"], [2, 3, 4]), ("Record name", "is", ["t4"], [4]),
        ]:
            with self.subTest(f"{field} {comparison}"):
                self.add_filter(field, comparison, *values)
                self.wait_rows(*found)
                self.push("Remove filter")
                self.wait_rows(1, 2, 3, 4, 5, 6)
        # What is no value is said, and the rows stay.
        self.add_filter("number", "is at least", "five")
        self.see("Enter a whole number", "#toasts")
        self.push("Remove filter")
        # Several hold together; none may be left.
        self.add_filter("number", "is at least", "2")
        self.add_filter("title", "begins with", "B")
        self.wait_rows(2, 3, 5)
        self.assert_good_everywhere("records-filtered")
        self.add_filter("tags", "contains", "nothing")
        self.see("No records found")
        for _ in range(3):
            self.push("Remove filter")
        self.wait_rows(1, 2, 3, 4, 5, 6)

    def sort(self):
        self.choose("sort", "number, descending")
        self.wait_rows(6, 5, 4, 3, 2, 1)
        title = "//*[@role='columnheader'][button[normalize-space()='title']]"
        for direction, order in [("ascending", [2, 3, 5, 1, 6, 4]), ("descending", [4, 6, 1, 5, 3, 2])]:
            self.until(By.XPATH, title + "/button").click()
            self.wait_rows(*order)
            self.assertEqual(self.until(By.XPATH, title).get_attribute("aria-sort"), direction)
        # A place has no order of its own.
        options = [option.text for option in self.field("sort").find_elements(By.TAG_NAME, "option")]
        self.assertIn("released, ascending", options)
        self.assertNotIn("studio, ascending", options)

    def export_what_is_in_view(self):
        self.add_filter("number", "is at most", "4")
        self.wait_rows(4, 1, 3, 2)
        exported = self.export()
        self.assertEqual([record["recordName"] for record in exported], ["t4", "t1", "t3", "t2"])
        self.assertEqual(exported[0]["fields"]["title"]["value"], "Train of thought")
        self.push("Remove filter")
        self.wait_rows(4, 6, 1, 5, 3, 2)
        # Without conditions it is all there is.
        self.choose("sort", "No order")
        self.wait(lambda browser: len(self.rows()) == 6)
        self.assertEqual({record["recordName"] for record in self.export()}, {f"t{number}" for number in range(1, 7)})

    def export_what_others_share(self):
        """In the name of a test account: what another one shares with it."""
        ann, _ = self.make_test_account("ann@app.test")
        bob, _ = self.make_test_account("bob@app.test")
        zone = {"zoneName": "Tour"}
        self.ask_as(ann, "private", "zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": zone}}]})
        answer = self.ask_as(ann, "private", "records/modify", {"zoneID": zone, "atomic": True, "operations": [
            {"operationType": "create", "record": track(1)},
            {"operationType": "create", "record": {
                "recordName": "share", "recordType": "cloudkit.share", "forRecord": {"recordName": "t1"},
                "publicPermission": "READ_WRITE"}},
            {"operationType": "create", "record": {**track(2), "parent": {"recordName": "t1"}}}]})
        guid = answer["records"][1]["shortGUID"]
        self.ask_as(bob, "public", "records/accept", {"shortGUIDs": [{"value": guid}]})
        self.view("test-accounts")
        self.push("Act as bob@app.test")
        self.see("You act as bob@app.test", ".stage")
        self.choose("database", "Shared (test account)")
        self.wait(lambda browser: sorted(self.rows()) == ["t1", "t2"])
        self.add_filter("number", "is at least", "2")
        self.wait_rows(2)
        [exported] = self.export()
        self.assertEqual(exported["recordName"], "t2")
        self.push("Remove filter")
        self.wait(lambda browser: len(self.rows()) == 2)
        self.assertEqual(sorted(record["recordName"] for record in self.export()), ["t1", "t2"])
        self.assert_accessible()
        self.push("Stop", ".banner ")

    def own(self, name):
        """A record of the developer's own database."""
        return self.ask_as(None, "private", "records/lookup", {"records": [{"recordName": name}], "numbersAsStrings": True})["records"][0]

    def edit_lists_and_encrypted_fields(self):
        """In the developer's own database: the public one has no encrypted fields."""
        self.view("records?type=Track")
        self.push("New record")
        self.fill("recordName", "sealed")
        self.give("diary").find_element(By.TAG_NAME, "textarea").send_keys("nobody else")
        self.push("Create")
        self.wait(lambda browser: "not supported in the public database" in self.part("diary").text)
        self.view("records?type=Track&database=private")
        self.push("New record")
        self.fill("recordName", "lists")
        for name, items in [("marks", ["1", "9007199254740993"]), ("rates", ["0.5", "6e23"]), ("links", ["t1", "t2"])]:
            part = self.give(name)
            for item in items:
                part.find_element(By.XPATH, ".//button[contains(., 'Add item')]").click()
                self.press(item)
        seen = self.give("seen")
        seen.find_element(By.XPATH, ".//button[contains(., 'Add item')]").click()
        seen.find_element(By.XPATH, ".//button[text()='Now']").click()
        places = self.give("places")
        places.find_element(By.XPATH, ".//button[contains(., 'Add item')]").click()
        self.press("38.5", Keys.TAB, "-9")
        seals = self.give("seals")
        seals.find_element(By.XPATH, ".//button[contains(., 'Add item')]").click()
        seals.find_element(By.XPATH, ".//button[text()='Hex']").click()
        seals.find_element(By.TAG_NAME, "textarea").send_keys("00ff")
        self.give("diary").find_element(By.TAG_NAME, "textarea").send_keys("nobody else")
        self.give("pin").find_element(By.TAG_NAME, "input").send_keys("12x")
        self.push("Create")
        self.wait(lambda browser: "Enter a whole number" in self.part("pin").text)
        self.assertNotIn("needed", self.part("marks").text)
        self.assert_good_everywhere("record-lists")
        self.part("pin").find_element(By.TAG_NAME, "input").send_keys(Keys.BACKSPACE)
        self.push("Create")
        self.no_dialog()
        self.wait(lambda browser: "lists" in self.rows())
        fields = self.own("lists")["fields"]
        self.assertEqual(fields["marks"]["value"], ["1", "9007199254740993"])
        self.assertEqual([float(rate) for rate in fields["rates"]["value"]], [0.5, 6e23])
        self.assertEqual([link["recordName"] for link in fields["links"]["value"]], ["t1", "t2"])
        self.assertGreater(int(fields["seen"]["value"][0]), FIRST_DAY)
        [place] = fields["places"]["value"]
        self.assertEqual((float(place["latitude"]), float(place["longitude"])), (38.5, -9))
        self.assertEqual(fields["seals"]["value"], ["AP8="])
        self.assertTrue(fields["diary"]["isEncrypted"] and fields["pin"]["isEncrypted"])
        self.assertEqual((fields["diary"]["value"], fields["pin"]["value"]), ("nobody else", "12"))
        # Opened again, items change places and go.
        self.until(By.CSS_SELECTOR, ".grid").send_keys(Keys.HOME, Keys.ENTER)
        marks = self.part("marks")
        marks.find_elements(By.XPATH, ".//button[@aria-label='Move up']")[1].click()
        links = self.part("links")
        links.find_elements(By.XPATH, ".//button[@aria-label='Remove item']")[0].click()
        self.part("diary").find_element(By.XPATH, ".//button[text()='Remove value']").click()
        self.push("Save")
        self.no_dialog()
        record = self.own("lists")
        self.assertEqual(record["fields"]["marks"]["value"], ["9007199254740993", "1"])
        self.assertEqual([link["recordName"] for link in record["fields"]["links"]["value"]], ["t2"])
        self.assertNotIn("diary", record["fields"])
        self.assertEqual(record["fields"]["pin"]["value"], "12")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
