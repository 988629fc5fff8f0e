"""The import of files in the console: what is inferred is shown before anything is saved, errors are told by line.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import pathlib
import tempfile
import unittest

from browser import CONTAINER, EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Place ("___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE, people INT64 QUERYABLE SORTABLE);
    RECORD TYPE Spot ("___recordID" REFERENCE QUERYABLE, name STRING, people INT64);
    RECORD TYPE Error ("___recordID" REFERENCE QUERYABLE, name STRING, people INT64);
"""
CITIES = """\ufeffrecordName,name,people,code,area,founded,spot,tags,First use
lisbon,"Lisbon, the ""white""
city",545923,00351,100.05,1147-10-25,"38.7,-9.1","[""hills"",""river""]",2026-01-31T12:00:00Z
porto,Porto,9007199254740993,00352,41.42,1123-01-01,"41.1,-8.6",,
"""


class ConsoleImportTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.run_tool("schema", "deploy", "--yes", "--name", "1.0", "--container", CONTAINER)

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.enter()
        self.view("records?type=Place")

    def choose_file(self, name, text, new_type=None):
        file = self.folder / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.push("Import", "#content ")
        if new_type:
            self.choose("importType", "New record type …")
            self.fill("importTypeName", new_type)
        self.field("importFile").send_keys(str(file))

    def types(self):
        """What is chosen for each column."""
        selects = self.browser.find_elements(By.CSS_SELECTOR, "dialog select[aria-label^='Type of ']")
        return {element.get_attribute("aria-label")[8:]: element.get_attribute("value") for element in selects}

    def choose_kind(self, column, kind):
        Select(self.until(By.CSS_SELECTOR, f"dialog select[aria-label='Type of {column}']")).select_by_value(kind)

    def start(self, words):
        self.push(words, "dialog .dialog-foot ")

    def finish(self):
        self.push("Close", "dialog .dialog-foot ")
        self.no_dialog()

    def count(self, kind):
        answer = self.call(EMAIL, "public/records/query", {"query": {"recordType": kind}})
        return len(answer["records"])

    def stored(self, name):
        body = {"records": [{"recordName": name}], "numbersAsStrings": True}
        [record] = self.call(EMAIL, "public/records/lookup", body)["records"]
        return record.get("fields", {"error": record.get("serverErrorCode")})

    def test_csv_is_shown_with_its_types_and_then_saved(self):
        self.choose_file("cities.csv", CITIES, new_type="City")
        self.see("cities.csv", "dialog")
        self.see("2 rows, 9 columns", "dialog")
        self.assertEqual(self.types(), {
            "recordName": "name", "name": "STRING", "people": "INT64", "code": "STRING", "area": "DOUBLE",
            "founded": "TIMESTAMP", "spot": "LOCATION", "tags": "LIST<STRING>", "First use": "TIMESTAMP"})
        self.assert_good_everywhere("import-plan")
        # Nothing is saved before it is said so.
        self.assertEqual(self.stored("lisbon"), {"error": "NOT_FOUND"})
        self.choose_kind("code", "skip")
        self.start("Import 2 rows")
        self.see("2 records saved.", "dialog")
        self.assert_good_everywhere("import-done")
        self.finish()
        self.wait(lambda browser: sorted(self.rows()) == ["lisbon", "porto"])
        fields = self.stored("lisbon")
        self.assertEqual(fields["name"], {"value": 'Lisbon, the "white"\ncity', "type": "STRING"})
        self.assertEqual(fields["tags"]["value"], ["hills", "river"])
        self.assertEqual(float(fields["spot"]["value"]["longitude"]), -9.1)
        self.assertEqual(float(fields["area"]["value"]), 100.05)
        self.assertEqual(int(fields["First_use"]["value"]), 1_769_860_800_000)
        self.assertNotIn("code", fields)
        self.assertEqual(self.stored("porto")["people"]["value"], "9007199254740993")
        self.assertNotIn("tags", self.stored("porto"))
        # A second time, rows whose records exist are refused by line, or replace them.
        self.view("records?type=City")
        self.choose_file("cities.csv", CITIES.replace("Porto", "Oporto"))
        self.start("Import 2 rows")
        self.see("0 records saved. 2 rows not saved.", "dialog")
        self.see("Line 2 Record to insert already exists.", "dialog .refusals")
        self.see("Line 4 ", "dialog .refusals")
        self.assert_good_everywhere("import-refused")
        self.finish()
        self.choose_file("cities.csv", CITIES.replace("Porto", "Oporto"))
        self.choose("replaces", "Replace the record")
        self.start("Import 2 rows")
        self.see("2 records saved.", "dialog")
        self.finish()
        self.assertEqual(self.stored("porto")["name"]["value"], "Oporto")
        self.assert_clean_console()

    def test_what_does_not_fit_is_told_by_line_before_anything_is_saved(self):
        self.view("records?type=Spot")
        rows = "name;people\nOne;1\nTwo;<img src=x onerror=alert(1)>\nThree;3;3\nFo\"ur;4\nFive;5\n"
        self.choose_file("places.csv", rows)
        self.see("2 rows cannot be read, and 1 value does not fit the types", "dialog")
        self.see("Line 4 The row has 3 cells, the first line has 2.", "dialog")
        self.see("Line 5 A cell contains a quotation mark", "dialog")
        self.see("the first on line 3: “<img src=x onerror=alert(1)>” is not a 64-bit integer", "dialog")
        self.assertFalse(self.browser.find_elements(By.CSS_SELECTOR, "dialog img"))
        self.assertEqual(self.types()["people"], "INT64")
        start = self.browser.find_element(By.CSS_SELECTOR, "dialog [name=startImport]")
        self.assertFalse(start.is_enabled())
        self.assert_good_everywhere("import-problems")
        self.until(By.CSS_SELECTOR, "dialog [name=leavesOut]").click()
        self.start("Import 3 rows")
        self.see("2 records saved. 3 rows not saved.", "dialog")
        self.finish()
        self.wait(lambda browser: len(self.rows()) == 2)
        self.assertEqual(self.count("Spot"), 2)

    def test_json_lines_of_plain_objects_and_of_exports(self):
        lines = [{"name": "a", "size": 1, "spot": {"latitude": 1.5, "longitude": 2}, "of": {"recordName": "b"}, "tags": ["x"]},
                 {"name": "b", "size": 2.5, "big": None}]
        text = "\n".join(map(json.dumps, lines)) + '\n{"name": "c", "exact": 9007199254740993}\n'
        self.choose_file("things.jsonl", text, new_type="Thing")
        self.see("3 rows, 6 columns", "dialog")
        self.assertEqual(self.types(), {
            "name": "STRING", "size": "DOUBLE", "spot": "LOCATION", "of": "REFERENCE", "tags": "LIST<STRING>", "exact": "INT64"})
        self.choose_kind("name", "name")
        self.start("Import 3 rows")
        self.see("3 records saved.", "dialog")
        self.finish()
        self.assertEqual(self.stored("c")["exact"]["value"], "9007199254740993")
        self.assertEqual(self.stored("a")["of"]["value"]["recordName"], "b")
        # Whole records, as an export has them, keep their names and types.
        records = [{"recordName": "whole", "recordType": "Thing", "fields": {"exact": {"value": "9007199254740993", "type": "INT64"}},
                    "created": {"timestamp": 1}, "recordChangeTag": "1"}]
        self.choose_file("export.jsonl", "\n".join(map(json.dumps, records)))
        self.see("1 row, 1 column", "dialog")
        self.assertEqual(self.types(), {"exact": "INT64"})
        self.start("Import 1 row")
        self.see("1 record saved.", "dialog")
        self.finish()
        self.assertEqual(self.stored("whole")["exact"]["value"], "9007199254740993")
        self.assert_clean_console()

    def test_many_errors_are_counted_and_saved_as_a_list(self):
        self.browser.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.folder)})
        self.view("records?type=Error")
        rows = "name,people\n" + "".join(f"n,{number},too many\n" for number in range(249)) + "good,1\n"
        self.choose_file("errors.csv", rows)
        self.see("249 rows cannot be read.", "dialog")
        self.see("… and 49 more.", "dialog")
        self.until(By.CSS_SELECTOR, "dialog [name=leavesOut]").click()
        self.start("Import 1 row")
        self.see("1 record saved. 249 rows not saved.", "dialog")
        self.see("… and 49 more.", "dialog")
        self.push("Save the list of errors")
        file = self.folder / "import-errors.csv"
        self.wait(lambda browser: file.exists())
        lines = file.read_text(encoding="utf-8").splitlines()
        self.assertEqual((lines[0], len(lines)), ("line,reason", 250))
        self.assertEqual(lines[-1], '250,"The row has 3 cells, the first line has 2."')

    def test_production_takes_only_what_its_schema_has(self):
        self.view("records?type=Spot", "production")
        self.push("Import", "#content ")
        self.assertNotIn("New record type …", self.field("importType").text)
        self.push("Cancel")
        self.no_dialog()
        self.choose_file("spots.csv", "name,people,mood\nOne,1,sunny\n")
        self.see("not in the schema", "dialog")
        self.assertEqual(self.types(), {"name": "STRING", "people": "INT64", "mood": "skip"})
        self.start("Import 1 row")
        self.see("1 record saved.", "dialog")
        self.finish()
        self.wait(lambda browser: len(self.rows()) == 1)
        self.assertNotIn("mood", self.text())

    def test_files_that_are_none_are_refused(self):
        for name, text, words in [
            ("a.csv", b"name\n\xff\xfe\n", "not UTF-8"), ("b.csv", "name,name\n1,2\n", "“name” twice"),
            ("c.csv", "name,\n1,2\n", "Column 2 has no name"), ("d.csv", "", "has no rows"),
        ]:
            with self.subTest(name):
                self.choose_file(name, text)
                self.see(words, "dialog [role=alert]")
                self.push("Cancel", "dialog .dialog-foot ")
                self.no_dialog()
        self.choose_file("e.jsonl", '[1]\n{"name": \n')
        self.see("Line 1 The line is not a JSON object.", "dialog")
        self.see("Line 2 The line is not JSON.", "dialog")
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "dialog [name=startImport]").is_enabled())

    def test_files_at_and_beyond_the_limits(self):
        for count in [500, 501]:
            names = [f"c{number}" for number in range(count)]
            self.choose_file("wide.csv", ",".join(names) + "\n" + ",".join("1" * count) + "\n")
            self.see("1 row, 500 columns" if count == 500 else "at most 500 columns", "dialog")
            self.push("Close")
            self.no_dialog()
        # A row may have 4,194,304 characters.
        for more, words in [(0, "1 row, 1 column"), (2, "The row is too long.")]:
            self.choose_file("long.csv", "c\n" + "x" * (4_194_304 + more))
            self.see(words, "dialog")
            self.push("Close")
            self.no_dialog()
        file = self.folder / "large.csv"
        with file.open("wb") as large:
            large.truncate(256 * 1_048_576 + 1)
        self.push("Import", "#content ")
        self.field("importFile").send_keys(str(file))
        self.see("The file is larger than 256 MB", "dialog [role=alert]")
        self.push("Close")

    def test_a_cancelled_or_broken_import_says_how_far_it_came(self):
        rows = "name,people\n" + "".join(f"n{number},{number}\n" for number in range(1, 1001))
        # The second request waits for the test; the server answers the first one.
        self.browser.execute_script("""
            const send = window.fetch;
            window.requests = 0;
            window.fetch = async (...parts) => {
              if (!String(parts[0]).includes("records/modify")) return send(...parts);
              window.requests += 1;
              if (window.requests > 1) await new Promise((done) => { window.answer = done; });
              if (window.breaks) throw new TypeError("network");
              return send(...parts);
            };""")
        self.choose_file("many.csv", rows)
        self.see("1,000 rows", "dialog")
        self.start("Import 1,000 rows")
        self.wait(lambda browser: browser.execute_script("return Boolean(window.answer)"))
        self.see("200 records saved up to line 201", "dialog")
        # It is not closed by accident.
        self.press("\ue00c")
        self.see("200 records saved", "dialog")
        self.push("Cancel", "dialog .dialog-foot ")
        self.browser.execute_script("window.answer()")
        self.see("400 records saved.", "dialog")
        self.see("Cancelled. Nothing after line 401 was saved.", "dialog")
        self.assert_good_everywhere("import-cancelled")
        self.finish()
        self.browser.execute_script("window.requests = 0; window.answer = null; window.breaks = false;")
        self.choose_file("many.csv", rows)
        self.start("Import 1,000 rows")
        self.wait(lambda browser: browser.execute_script("return Boolean(window.answer)"))
        self.browser.execute_script("window.breaks = true; window.answer()")
        self.see("200 records saved.", "dialog")
        self.see("Lines 202 to 401 may have been saved. Nothing after them was saved.", "dialog")
        self.finish()


if __name__ == "__main__":
    unittest.main()
