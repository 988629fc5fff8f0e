"""Each view of the console in a real browser: the editor of every type of field, the grid, teams, and what all must keep to.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import json
import pathlib
import tempfile
import time
import unittest

from browser import EMAIL
from console import ADDRESS, ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from share_test import png

SCHEMA = """
DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Folder ("___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE);
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE,
        title STRING QUERYABLE SORTABLE SEARCHABLE, pages INT64 QUERYABLE SORTABLE, rating DOUBLE QUERYABLE SORTABLE,
        written TIMESTAMP QUERYABLE SORTABLE, place LOCATION QUERYABLE, folder REFERENCE QUERYABLE, cover ASSET, seal BYTES,
        tags LIST<STRING> QUERYABLE, diary ENCRYPTED STRING
    );
"""
VIEWS = [
    "records?type=Note", "zones", "changes", "subscriptions", "schema?type=Note", "schema/text", "schema/deploy", "schema/indexes", "schema/history", "roles",
    "tokens", "team", "test-accounts", "pushes", "users", "telemetry", "log", "webhooks", "settings",
]


class ConsoleViewsTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.call(EMAIL, "public/records/modify", {"operations": [
            {"operationType": "create", "record": {"recordType": "Folder", "recordName": f"folder-{name}", "fields": {"name": {"value": name}}}}
            for name in ["travel", "work"]]})

    def setUp(self):
        super().setUp()
        self.enter()

    def test_every_type_of_field_is_edited(self):
        self.view("records?type=Note")
        self.push("New record")
        self.fill("recordName", "all")
        self.give("title").find_element(By.TAG_NAME, "textarea").send_keys("Über den Wolken")
        self.give("pages").find_element(By.TAG_NAME, "input").send_keys("9223372036854775807")
        self.give("rating").find_element(By.TAG_NAME, "input").send_keys("four")
        written = self.give("written").find_element(By.TAG_NAME, "input")
        self.browser.execute_script("arguments[0].value = '2026-11-22T10:11:12.345'; arguments[0].dispatchEvent(new Event('input'))", written)
        moment = self.browser.execute_script("return new Date('2026-11-22T10:11:12.345').getTime()")
        place = self.give("place")
        globe = place.find_element(By.CSS_SELECTOR, ".globe")
        place.find_elements(By.TAG_NAME, "input")[0].send_keys("38.5")
        place.find_elements(By.TAG_NAME, "input")[1].send_keys("-9")
        # The outlines of the continents are behind the point, drawn from a package of the server's.
        outlines = globe.find_element(By.CSS_SELECTOR, ".outlines")
        self.wait(lambda browser: (outlines.get_attribute("d") or "").startswith("M"))
        self.browser.execute_script("arguments[0].focus()", globe)
        self.press(Keys.ARROW_UP)
        seal = self.give("seal")
        seal.find_element(By.XPATH, ".//button[text()='Hex']").click()
        seal.find_element(By.TAG_NAME, "textarea").send_keys("00 ff 10")
        tags = self.give("tags")
        for tag in ["one", "two"]:
            tags.find_element(By.XPATH, ".//button[contains(., 'Add item')]").click()
            self.press(tag)
        tags.find_elements(By.XPATH, ".//button[@aria-label='Move up']")[1].click()
        self.give("folder").find_element(By.XPATH, ".//button[contains(., 'Pick')]").click()
        self.choose_type("Folder")
        self.until(By.XPATH, "//div[@class='picker']/button[contains(., 'folder-work')]").click()
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder, "cover.png")
            picture.write_bytes(png(64, (40, 110, 150)))
            self.give("cover").find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(picture))
            self.until(By.CSS_SELECTOR, "dialog .asset img")
        self.push("Create")
        # What is wrong is said beside the field, and nothing is lost.
        self.wait(lambda browser: "Enter a number" in self.part("rating").text)
        self.assert_good_everywhere("record-refused")
        rating = self.part("rating").find_element(By.TAG_NAME, "input")
        rating.send_keys(Keys.CONTROL, "a", Keys.NULL, "4.25")
        self.push("Create")
        self.no_dialog()
        self.wait(lambda browser: "all" in self.rows())
        [record] = self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "all"}], "numbersAsStrings": True})["records"]
        fields = record["fields"]
        self.assertEqual(fields["title"]["value"], "Über den Wolken")
        self.assertEqual(fields["pages"]["value"], "9223372036854775807")
        self.assertEqual(float(fields["rating"]["value"]), 4.25)
        self.assertEqual(int(fields["written"]["value"]), moment)
        self.assertEqual(float(fields["place"]["value"]["latitude"]), 39.5)
        self.assertEqual(fields["seal"]["value"], "AP8Q")
        self.assertEqual(fields["tags"]["value"], ["two", "one"])
        self.assertEqual(fields["folder"]["value"]["recordName"], "folder-work")
        self.assertEqual(fields["cover"]["value"]["size"], len(png(64, (40, 110, 150))))
        self.change_and_delete()

    def choose_type(self, name):
        # The types come after the dialog.
        self.until(By.XPATH, f"//dialog//select[@aria-label='Record type']/option[text()='{name}']")
        Select(self.until(By.CSS_SELECTOR, "dialog select[aria-label='Record type']")).select_by_visible_text(name)

    def change_and_delete(self):
        self.until(By.CSS_SELECTOR, ".grid").send_keys(Keys.HOME, Keys.ENTER)
        # The picture is fetched and shown.
        self.until(By.CSS_SELECTOR, "dialog .asset img")
        self.assert_good_everywhere("record")
        self.part("tags").find_element(By.XPATH, ".//button[text()='Remove value']").click()
        title = self.part("title").find_element(By.TAG_NAME, "textarea")
        title.send_keys(" 2")
        # In another window the developer is quicker.
        saved = self.browser.execute_async_script("""
            const [address, done] = arguments;
            const record = { recordType: "Note", recordName: "all", fields: { rating: { value: 5 } } };
            fetch(`/console/api${address.slice("/console".length)}/development/ck/public/records/modify`, {
              method: "POST", headers: { "X-Stratus-Console": "1" }, body: JSON.stringify({ operations: [{ operationType: "forceUpdate", record }] }),
            }).then((answer) => done(answer.status));""", ADDRESS)
        self.assertEqual(saved, 200)
        self.push("Save")
        self.see("Somebody has changed this record", "dialog")
        self.assert_good_everywhere("record-conflict")
        self.push("Overwrite")
        self.no_dialog()
        self.see("Über den Wolken 2")
        [record] = self.call(EMAIL, "public/records/lookup", {"records": [{"recordName": "all"}]})["records"]
        self.assertNotIn("tags", record["fields"])
        self.assertEqual(record["fields"]["rating"]["value"], 5)
        self.until(By.CSS_SELECTOR, ".grid").send_keys(Keys.HOME, Keys.ENTER)
        self.part("title")
        self.push("Delete")
        self.confirm("all", "Delete")
        self.see("No Note records yet")
        self.assert_clean_console()

    def test_every_view_keeps_to_the_rules(self):
        for view in VIEWS:
            with self.subTest(view):
                self.view(view)
                # Charts and streams come after the page.
                self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, "#content .waiting, #content .notice.problem"))
                self.assert_good_everywhere("view-" + view.split("?")[0].replace("/", "-"))
        self.open("/console/containers")
        self.assert_good_everywhere("view-containers")

    def test_the_menu_of_a_phone(self):
        self.emulate(390)
        self.view("records?type=Folder")
        side = self.browser.find_element(By.CSS_SELECTOR, ".side")
        self.assertFalse(side.is_displayed())
        self.push("Menu")
        self.wait(lambda browser: side.is_displayed())
        self.assertTrue(self.browser.execute_script("return document.querySelector('.side').contains(document.activeElement)"))
        self.press(Keys.ESCAPE)
        self.wait(lambda browser: not side.is_displayed())
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("aria-label"), "Menu")
        self.push("Menu")
        self.wait(lambda browser: side.is_displayed())
        self.assert_good_everywhere("menu", devices=["phone"])
        self.emulate(390)
        self.push("Production", ".side ")
        # What it leads to is shown, and the menu is gone.
        self.see("No record types yet")
        self.wait(lambda browser: not side.is_displayed())
        self.assertIn("/production/", self.browser.current_url)

    def test_the_first_page_is_small(self):
        self.browser.delete_all_cookies()
        self.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        self.open("/console/")
        self.until(By.CSS_SELECTOR, "[name=password]")
        script = "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((one) => [one.name, one.transferSize])"
        loaded = dict(self.browser.execute_script(script))
        self.assertGreater(len(loaded), 10)
        self.assertLess(sum(loaded.values()), 300_000, loaded)
        # What few views need is not loaded with the first page.
        self.assertEqual([name for name in loaded if "codemirror" in name or "chart" in name], [])

    def test_the_text_of_a_schema_says_where_it_is_wrong(self):
        self.view("schema/text")
        self.until(By.CSS_SELECTOR, ".CodeMirror")
        self.browser.execute_script("""
            const editor = document.querySelector(".CodeMirror").CodeMirror;
            editor.setValue(editor.getValue().replace("pages", "pages STRIG"));""")
        self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, ".wrong-line"))
        line = self.browser.find_element(By.CSS_SELECTOR, ".wrong-line").text
        self.assertIn("STRIG", line)
        self.assertIn("Line ", self.text())
        self.assert_good_everywhere("schema-text-wrong")
        self.browser.execute_script("""
            const editor = document.querySelector(".CodeMirror").CodeMirror;
            editor.setValue(editor.getValue().replace("pages STRIG", "pages"));""")
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, ".wrong-line"))

    def test_a_team_grows_by_invitation(self):
        self.view("team")
        self.push("Invite")
        self.fill("email", "viewer@example.org")
        self.choose("role", "Viewer – reads only")
        self.push("Invite")
        link = self.until(By.CSS_SELECTOR, "dialog .secret-value").text
        self.push("Done")
        self.see("viewer@example.org")
        self.push("Sign out", ".side ")
        self.until(By.CSS_SELECTOR, "[name=email]")
        self.open(link[link.index("/console/"):])
        self.see("Join the team")
        self.assert_good_everywhere("invitation")
        self.fill("name", "Vera Viewer")
        self.fill("password", "nothing but looking on")
        self.push("Accept")
        self.until(By.CSS_SELECTOR, ".shell")
        self.view("records?type=Folder")
        self.wait(lambda browser: len(self.rows()) == 2)
        # Who reads is offered nothing else.
        self.assertNotIn("New record", self.text())
        self.view("schema?type=Note")
        self.assertNotIn("Add field", self.text())

    def test_another_owner_comes_by_a_code(self):
        self.push("Sign out", ".side ")
        self.until(By.CSS_SELECTOR, "[name=email]")
        path = json.loads(self.run_tool("developer", "invite", "--owner", "--json"))["path"]
        self.open(path)
        self.see("to become an owner of this server")
        self.fill("name", "Otto Other")
        self.fill("email", "otto@example.org")
        self.fill("password", "yet another long one")
        self.push("Accept")
        self.until(By.CSS_SELECTOR, ".shell")
        self.open("/console/containers")
        self.see("New container")
        # Such a code is good once.
        self.push("Sign out", ".side ")
        self.until(By.CSS_SELECTOR, "[name=email]")
        self.open(path)
        self.see("This invitation is not valid")

    def test_what_is_not_saved_is_not_left_by_accident(self):
        self.view("schema?type=Note")
        self.until(By.CSS_SELECTOR, "input[aria-label='title: Searchable']").click()
        self.see("Unsaved changes")
        self.push("Roles", ".side ")
        self.see("Leave without saving?", "dialog")
        self.push("Cancel")
        self.no_dialog()
        self.see("Unsaved changes")
        self.push("Roles", ".side ")
        self.push("Leave")
        self.see("_world is everybody")

    def test_acting_as_a_test_account(self):
        self.view("test-accounts")
        self.push("New test account", "#content ")
        self.fill("email", "tess@example.test")
        self.push("Create account")
        self.see("Its password is shown only once", "dialog")
        self.push("Done")
        self.see("tess@example.test")
        self.push("Act as tess@example.test")
        self.see("You act as tess@example.test", ".stage")
        self.push("Zones", ".side ")
        self.push("New zone")
        self.fill("name", "Of Tess")
        self.push("Create zone")
        self.see("Of Tess")
        self.assert_good_everywhere("acting")
        self.push("Stop", ".banner ")
        self.wait(lambda browser: "Of Tess" not in self.text())

    def test_wrong_passwords_and_lost_sessions(self):
        self.browser.delete_all_cookies()
        self.view("records?type=Folder")
        self.see("Sign in")
        self.assert_good_everywhere("sign-in")
        self.fill("email", "owner@example.org")
        self.fill("password", "wrong password")
        self.push("Sign in")
        self.see("wrong")
        self.assert_good_everywhere("sign-in-refused")
        self.fill("password", "a cloud over the river")
        self.push("Sign in")
        # Back to where one wanted to be.
        self.wait(lambda browser: len(self.rows()) == 2)
        self.browser.delete_all_cookies()
        self.push("Run")
        self.until(By.CSS_SELECTOR, "[name=password]")


class ConsoleGridTest(ConsoleBrowserTest):
    """Many records: what is in memory does not grow with them."""

    COUNT = 6_000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for start in range(0, cls.COUNT, 200):
            cls.call(EMAIL, "public/records/modify", {"operations": [
                {"operationType": "forceReplace", "record": {"recordType": "Step", "recordName": f"step-{number:05}", "fields": {"number": {"value": number}}}}
                for number in range(start, start + 200)]})

    def test_scrolling_to_the_end_and_back(self):
        self.enter()
        self.view("records?type=Step")
        self.wait(lambda browser: self.rows())
        first = self.rows()[0]
        end = time.monotonic() + 60
        script = """
            const grid = document.querySelector(".grid");
            grid.scrollTop = grid.scrollHeight;
            return [document.querySelector(".grid-foot").textContent, document.querySelectorAll(".grid-row").length];
        """
        most = 0
        while time.monotonic() < end:
            foot, rows = self.browser.execute_script(script)
            most = max(most, rows)
            if foot.startswith(f"{self.COUNT:,} records"):
                break
        self.assertTrue(foot.startswith(f"{self.COUNT:,} records"), foot)
        # As many rows as fit into the window, and some beside.
        self.assertLess(most, 60)
        self.wait(lambda browser: len(self.rows()) > 5)
        self.browser.execute_script("document.querySelector('.grid').scrollTop = 0")
        self.wait(lambda browser: self.rows()[:1] == [first])
        # In the middle, where the pages were forgotten.
        self.browser.execute_script("const grid = document.querySelector('.grid'); grid.scrollTop = grid.scrollHeight / 2")
        self.wait(lambda browser: len(self.rows()) > 10)
        names = self.rows()
        self.assertEqual(len(names), len(set(names)))
        grid = self.until(By.CSS_SELECTOR, ".grid")
        grid.send_keys(Keys.END, Keys.ENTER)
        self.until(By.CSS_SELECTOR, "dialog .value-field")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
