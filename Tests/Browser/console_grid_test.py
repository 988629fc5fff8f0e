"""What is done in the grid of records itself: columns, values edited in place, what is selected, saved queries.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import csv
import json
import pathlib
import tempfile
import unittest

from browser import CONTAINER, EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Plant (
        "___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE, height INT64 QUERYABLE SORTABLE,
        weight DOUBLE, planted TIMESTAMP, notes STRING, bed REFERENCE, tags LIST<STRING>, spot LOCATION
    );
"""
MARKUP = "<img src=x onerror=alert(1)>"


def plant(number, **fields):
    values = {"name": {"value": f"Plant {number}"}, "height": {"value": number}} | fields
    return {"recordType": "Plant", "recordName": f"p{number}", "fields": values}


class ConsoleGridTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)

    def setUp(self):
        super().setUp()
        self.save_plants(*[plant(number) for number in range(1, 5)])
        downloads = tempfile.TemporaryDirectory()
        self.addCleanup(downloads.cleanup)
        self.downloads = pathlib.Path(downloads.name)
        self.browser.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": downloads.name})
        self.enter()
        self.view("records?type=Plant&order=height")
        self.wait(lambda browser: self.rows() == ["p1", "p2", "p3", "p4"])

    def save_plants(self, *records):
        answer = self.call(EMAIL, "public/records/modify", {
            "operations": [{"operationType": "forceReplace", "record": record} for record in records]})
        self.assertEqual([item for item in answer["records"] if "serverErrorCode" in item], [])

    def stored(self, name):
        body = {"records": [{"recordName": name}], "numbersAsStrings": True}
        [record] = self.call(EMAIL, "public/records/lookup", body)["records"]
        return {field: item["value"] for field, item in record.get("fields", {}).items()}

    def head(self):
        return [cell.text for cell in self.browser.find_elements(By.CSS_SELECTOR, ".grid-head .grid-cell:not(.check)")]

    def cell(self, row, column):
        """A cell by the numbers of its row and of its column."""
        script = """
            const [row, column] = arguments;
            return document.querySelector(`.grid-row[aria-rowindex="${row + 2}"]`)
              .querySelectorAll(".grid-cell:not(.check)")[column];"""
        return self.browser.execute_script(script, row, column)

    def grid(self):
        return self.until(By.CSS_SELECTOR, ".grid")

    def edit(self, row, column):
        """Begins to edit a cell by keyboard, and gives the input."""
        index = self.head().index(column)
        self.grid().send_keys(Keys.HOME, *[Keys.ARROW_DOWN] * row, *[Keys.ARROW_LEFT] * 12, *[Keys.ARROW_RIGHT] * (index + 1), Keys.F2)
        return self.until(By.CSS_SELECTOR, ".cell-editor input")

    def retype(self, text):
        self.browser.switch_to.active_element.send_keys(Keys.CONTROL, "a", Keys.NULL, text)

    def no_editor(self):
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, ".cell-editor"))

    def test_columns_are_chosen_and_ordered_and_kept_for_each_type(self):
        self.assertEqual(self.head()[:3], ["Record name", "name", "notes"])
        self.push("Columns")
        self.push("Move height up")
        self.push("Move height up")
        self.until(By.XPATH, "//dialog//label[contains(., 'notes')]").click()
        self.until(By.XPATH, "//dialog//label[contains(., 'Change tag')]").click()
        self.assert_good_everywhere("records-columns")
        self.push("Done")
        self.no_dialog()
        expected = ["Record name", "height", "name", "weight"]
        self.wait(lambda browser: self.head()[:4] == expected)
        self.assertNotIn("notes", self.head())
        self.assertEqual(self.head()[-1], "Change tag")
        self.browser.refresh()
        self.wait_ready()
        self.wait(lambda browser: self.head()[:4] == expected)
        # Other types have their own.
        self.choose("type", "Users")
        self.wait(lambda browser: "height" not in self.head())
        self.assertNotIn("Change tag", self.head())
        self.choose("type", "Plant")
        self.wait(lambda browser: self.head()[:4] == expected)
        self.push("Columns")
        self.push("Reset")
        self.no_dialog()
        self.wait(lambda browser: self.head()[:3] == ["Record name", "name", "notes"])
        self.assert_clean_console()

    def test_a_value_is_edited_in_its_cell(self):
        self.edit(0, "name")
        self.retype("Rose")
        self.assert_accessible()
        self.press(Keys.ENTER)
        self.no_editor()
        self.see("Rose")
        self.assertEqual(self.stored("p1"), {"name": "Rose", "height": "1"})
        # The keyboard is back in the grid, at the cell.
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("role"), "grid")
        # What is no value is said, and nothing is saved; Escape gives up.
        self.edit(1, "height")
        self.retype("tall")
        self.press(Keys.ENTER)
        self.see("Enter a whole number", ".cell-editor")
        self.assert_good_everywhere("records-cell-refused")
        self.press(Keys.ESCAPE)
        self.no_editor()
        self.assertEqual(self.stored("p2")["height"], "2")
        # By pointer, and saved by leaving the cell.
        ActionChains(self.browser).double_click(self.cell(1, self.head().index("height"))).perform()
        self.until(By.CSS_SELECTOR, ".cell-editor input")
        self.retype("9007199254740993")
        self.browser.find_element(By.CSS_SELECTOR, "h1").click()
        self.no_editor()
        self.see("9007199254740993")
        # From one cell to the next: the first one is saved.
        ActionChains(self.browser).double_click(self.cell(3, self.head().index("name"))).perform()
        self.until(By.CSS_SELECTOR, ".cell-editor input")
        self.retype("Lily")
        ActionChains(self.browser).double_click(self.cell(2, self.head().index("name"))).perform()
        self.until(By.CSS_SELECTOR, ".cell-editor input[aria-label='name of p3']")
        self.assertEqual(self.stored("p4")["name"], "Lily")
        self.press(Keys.ESCAPE)
        self.no_editor()
        self.assertEqual(self.stored("p2")["height"], "9007199254740993")
        # An empty number is none.
        self.edit(1, "height")
        self.retype(Keys.BACKSPACE + Keys.ENTER)
        self.no_editor()
        self.assertNotIn("height", self.stored("p2"))
        # What does not fit into a line is edited beside the grid, at its field.
        self.grid().send_keys(Keys.HOME, *[Keys.ARROW_LEFT] * 12, *[Keys.ARROW_RIGHT] * (self.head().index("tags") + 1), Keys.F2)
        self.part("tags")
        self.wait(lambda browser: browser.switch_to.active_element.get_attribute("aria-label") == "Set a value for tags")
        self.push("Close")
        self.no_dialog()
        self.assert_clean_console()

    def test_a_conflict_is_shown_in_the_cell(self):
        self.edit(0, "name")
        self.retype("Mine")
        self.save_plants(plant(1, name={"value": MARKUP}, notes={"value": "theirs"}))
        self.press(Keys.ENTER)
        self.see(f"Somebody has changed this record. name is now “{MARKUP}”.", ".cell-editor")
        self.assertFalse(self.browser.find_elements(By.CSS_SELECTOR, ".cell-editor img"))
        self.assert_good_everywhere("records-cell-conflict")
        self.assertEqual(self.stored("p1")["name"], MARKUP)
        self.push("Keep theirs", ".cell-editor ")
        self.no_editor()
        self.see(MARKUP)
        self.edit(0, "name")
        self.retype("Mine again")
        self.save_plants(plant(1, name={"value": "Theirs again"}, notes={"value": "kept"}))
        self.press(Keys.ENTER)
        self.push("Save mine", ".cell-editor ")
        self.no_editor()
        # What is left while it is saved is not lost silently.
        self.edit(1, "name")
        self.retype("Mine")
        self.save_plants(plant(2, name={"value": "Theirs"}))
        self.push("Run")
        self.see("name was not saved. Somebody has changed this record.", "#toasts")
        # Only the field itself is saved over what they have.
        self.assertEqual(self.stored("p1"), {"name": "Mine again", "height": "1", "notes": "kept"})
        self.assert_clean_console()

    def select(self, *rows):
        for row in rows:
            self.grid().send_keys(Keys.HOME, *[Keys.ARROW_DOWN] * row, Keys.SPACE)

    def test_what_is_selected_is_edited_and_deleted(self):
        self.select(0, 2, 3)
        self.see("3 selected")
        self.push("Edit", ".grid-foot ")
        self.choose("field", "notes")
        self.give("notes").find_element(By.TAG_NAME, "textarea").send_keys("watered")
        self.assert_good_everywhere("records-edit-selected")
        # Meanwhile somebody changes one of them: it stays as they have it.
        self.save_plants(plant(3, notes={"value": "theirs"}))
        self.push("Change 3 records")
        self.see("2 records changed.", "dialog")
        self.see("p3 Somebody has changed this record since you saw it.", "dialog .refusals")
        self.assert_good_everywhere("records-edit-refused")
        self.push("Close", "dialog .dialog-foot ")
        self.no_dialog()
        self.assertEqual([self.stored(f"p{number}").get("notes") for number in range(1, 5)], ["watered", None, "theirs", "watered"])
        self.wait(lambda browser: self.rows() == ["p1", "p2", "p3", "p4"])
        # Everything is selected by the box in the head.
        self.until(By.CSS_SELECTOR, "input[aria-label='Select all']").click()
        self.see("4 selected")
        self.push("Delete", ".grid-foot ")
        self.confirm("delete 4", "Delete")
        self.see("No Plant records yet")
        self.assert_clean_console()

    def exported(self, format, suffix):
        self.push("Export", ".grid-foot ")
        self.choose("format", format)
        self.push("Export")
        self.no_dialog()
        return self.wait(lambda browser: next((file for file in self.downloads.iterdir() if file.suffix == suffix), None))

    def test_what_is_selected_is_exported(self):
        self.save_plants(plant(1, name={"value": 'Rose, "red"\nor white'}, height={"value": 2**53 + 1}, tags={"value": ["a", "b,c"]},
                               bed={"value": {"recordName": "north", "action": "NONE"}},
                               planted={"value": 1_767_225_600_123, "type": "TIMESTAMP"},
                               spot={"value": {"latitude": 38.5, "longitude": -9.25}}))
        self.push("Run")
        self.wait(lambda browser: self.rows() == ["p2", "p3", "p4", "p1"])
        self.select(3, 0)
        with self.exported("CSV", ".csv").open(encoding="utf-8", newline="") as file:
            rows = {row["recordName"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), {"p1", "p2"})
        self.assertEqual(rows["p1"] | {"recordName": ""}, {
            "recordName": "", "name": 'Rose, "red"\nor white', "height": str(2**53 + 1), "weight": "", "notes": "", "bed": "north",
            "planted": "2026-01-01T00:00:00.123Z", "tags": '["a","b,c"]', "spot": "38.5,-9.25"})
        lines = self.exported("JSON lines", ".jsonl").read_text(encoding="utf-8").splitlines()
        records = {record["recordName"]: record for record in map(json.loads, lines)}
        self.assertEqual(records["p2"]["fields"]["height"], {"value": 2, "type": "INT64"})
        self.assertEqual(records["p1"]["fields"]["height"]["value"], str(2**53 + 1))
        self.assertEqual(records["p1"]["fields"]["planted"], {"value": 1_767_225_600_123, "type": "TIMESTAMP"})
        self.assert_clean_console()

    def test_a_record_is_shown_as_json(self):
        self.save_plants(plant(1, name={"value": "</pre><script>alert(1)</script>"}))
        self.grid().send_keys(Keys.HOME, Keys.ENTER)
        self.part("name")
        self.push("JSON")
        shown = json.loads(self.until(By.CSS_SELECTOR, "dialog pre").text)
        self.assertEqual(shown["fields"]["name"], {"value": "</pre><script>alert(1)</script>", "type": "STRING"})
        self.assertEqual(shown["fields"]["height"], {"value": 1, "type": "INT64"})
        self.assert_good_everywhere("record-json")
        origin = {"origin": self.cloud, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        self.browser.execute_cdp_cmd("Browser.grantPermissions", origin)
        self.push("Copy")
        self.see("Copied", "#toasts")
        copied = self.browser.execute_async_script("const [done] = arguments; navigator.clipboard.readText().then(done)")
        self.assertEqual(json.loads(copied), shown)
        self.assert_clean_console()

    def test_queries_are_saved_and_opened_again(self):
        self.choose("sort", "height, descending")
        self.wait(lambda browser: self.rows() == ["p4", "p3", "p2", "p1"])
        self.push("Saved queries")
        self.see("No saved queries", "dialog")
        self.press("Tallest <b>first</b>", Keys.ENTER)
        self.see("Tallest <b>first</b>", "dialog .saved-list")
        self.assert_good_everywhere("records-saved-queries")
        self.push("Close")
        self.no_dialog()
        self.choose("type", "Users")
        self.wait(lambda browser: "p4" not in self.rows())
        self.browser.refresh()
        self.wait_ready()
        self.push("Saved queries")
        self.push("Tallest <b>first</b>")
        self.no_dialog()
        self.wait(lambda browser: self.rows() == ["p4", "p3", "p2", "p1"])
        self.push("Saved queries")
        self.push("Delete Tallest <b>first</b>")
        self.see("No saved queries", "dialog")
        self.push("Close")
        self.no_dialog()
        self.assert_clean_console()

    def test_only_so_many_queries_are_saved(self):
        self.browser.execute_script("""
            const [{ id }] = [arguments[0]];
            const queries = [...Array(99).keys()].map((number) => ({ name: `q${number}`, parameters: { type: "Plant" } }));
            localStorage.setItem(`stratus:${id}:${arguments[1]}:queries`, JSON.stringify(queries));""",
            self.api("GET", "session")["developer"], CONTAINER)
        self.push("Saved queries")
        self.press("The last one", Keys.ENTER)
        self.see("The last one", "dialog .saved-list")
        self.press("One more", Keys.ENTER)
        self.see("At most 100 queries can be saved.", "dialog")
        self.assertNotIn("One more", self.until(By.CSS_SELECTOR, "dialog .saved-list").text)
        # One of the same name takes its place.
        self.press(Keys.END, Keys.HOME, Keys.DELETE * 20, "q7", Keys.ENTER)
        self.wait(lambda browser: self.field("queryName").get_attribute("value") == "")

    def test_only_so_many_records_are_selected(self):
        # The server has few; these are more.
        self.browser.execute_script("""
            const send = window.fetch;
            window.fetch = async (...parts) => {
              if (!String(parts[0]).includes("records/query")) return send(...parts);
              const first = Number(JSON.parse(parts[1].body).continuationMarker ?? 0);
              const records = [...Array(200).keys()].map((place) => ({ recordName: `r${first + place}`, recordChangeTag: "1" }));
              return new Response(JSON.stringify({ records, continuationMarker: first < 20000 ? String(first + 200) : undefined }));
            };""")
        self.until(By.CSS_SELECTOR, "input[aria-label='Select all']").click()
        self.see("10,000 selected")
        self.see("Only the first 10,000 records are selected", "#toasts")


if __name__ == "__main__":
    unittest.main()
