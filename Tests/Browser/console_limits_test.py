"""What the console says where somebody may not, or where there is no room: members of roles, quotas.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import pathlib
import tempfile
import unittest

from browser import EMAIL
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCHEMA = """
DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Rule (
        "___recordID" REFERENCE QUERYABLE, text STRING,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO editor
    );
    RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING, cover ASSET);
"""


class ConsoleLimitsTest(ConsoleBrowserTest):
    options = ["--public-record-quota", "20000", "--public-asset-quota", "1000"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)

    def setUp(self):
        super().setUp()
        self.enter()

    def save_rule(self, name):
        """What comes of a save in the app: nothing, or the code of its refusal."""
        [record] = self.call(EMAIL, "public/records/modify", {"operations": [
            {"operationType": "create", "record": {"recordType": "Rule", "recordName": name}}]})["records"]
        return record.get("serverErrorCode")

    def test_members_of_a_role_may_what_it_grants(self):
        _, person = self.credentials(EMAIL)
        self.assertEqual(self.save_rule("before"), "ACCESS_DENIED")
        self.view("roles")
        self.see("Nobody has this role yet")
        self.push("Add member")
        self.fill("user", "nobody@example.org")
        self.push("Add")
        self.until(By.CSS_SELECTOR, "dialog [name=user][aria-invalid]")
        self.assert_good_everywhere("role-member-refused")
        self.fill("user", person)
        self.push("Add")
        self.no_dialog()
        self.see(person)
        self.assert_good_everywhere("role-members")
        self.assertEqual(self.save_rule("while"), None)
        self.push(f"Remove {person}")
        self.confirm(person, "Remove")
        self.see("Nobody has this role yet")
        self.assertEqual(self.save_rule("after"), "ACCESS_DENIED")
        self.view("records?type=Rule")
        self.wait(lambda browser: self.rows() == ["while"])
        self.assert_clean_console()

    def give(self, name):
        self.until(By.CSS_SELECTOR, f"dialog fieldset[aria-label='{name}']").find_element(
            By.XPATH, ".//button[text()='Set value']").click()
        return self.until(By.CSS_SELECTOR, f"dialog fieldset[aria-label='{name}']")

    def test_a_full_database_is_said_in_the_editor(self):
        self.view("records?type=Note")
        self.push("New record")
        self.fill("recordName", "large")
        title = self.give("title").find_element(By.TAG_NAME, "textarea")
        self.browser.execute_script(
            "arguments[0].value = 'long '.repeat(5000); arguments[0].dispatchEvent(new Event('input'))", title)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "cover.bin")
            file.write_bytes(bytes(2_000))
            self.give("cover").find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
            # Beside the file that has no room; the record has no cover then.
            self.see("the public database's quota leaves room for 1000", "dialog .asset")
        self.assert_good_everywhere("record-asset-quota")
        self.until(By.CSS_SELECTOR, "dialog fieldset[aria-label='cover']").find_element(
            By.XPATH, ".//button[text()='Remove value']").click()
        self.push("Create")
        self.see("more than its quota of 20000", "dialog .form-problem")
        self.assert_good_everywhere("record-quota")
        # Nothing is lost: what is made shorter is saved.
        title.send_keys(Keys.CONTROL, "a", Keys.NULL, "short")
        self.push("Create")
        self.no_dialog()
        self.wait(lambda browser: self.rows() == ["large"])
        self.view("settings")
        self.see("19.5 KB")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
