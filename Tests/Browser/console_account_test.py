"""A developer's own cloud account in the console: linked by its password, seen in the private database, and unlinked.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import EMAIL, PASSWORD
from console import OWNER, OWNER_PASSWORD, ConsoleBrowserTest
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Diary ("___recordID" REFERENCE QUERYABLE, text STRING);
"""


class ConsoleAccountTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)
        cls.call(EMAIL, "private/records/modify", {"operations": [
            {"operationType": "create", "record": {
                "recordType": "Diary", "recordName": "day-1", "fields": {"text": {"value": "kept in the app"}}}}]})

    def test_an_account_is_linked_and_unlinked(self):
        self.enter()
        self.view("records?type=Diary&database=private")
        self.see("No Diary records yet")
        self.view("settings")
        self.push("Link account")
        self.assertEqual(self.field("email").get_attribute("value"), OWNER)
        self.fill("email", EMAIL)
        self.fill("password", "not the right one")
        self.push("Link account")
        self.see("E-mail address or password is wrong", "dialog")
        self.assert_good_everywhere("account-refused")
        self.fill("password", PASSWORD)
        self.push("Link account")
        self.no_dialog()
        self.see(f"are those of {EMAIL}")
        self.assert_good_everywhere("account-linked")
        self.view("records?type=Diary&database=private")
        self.see("kept in the app")
        self.view("settings")
        self.push(f"Unlink {EMAIL}")
        self.confirm(EMAIL, "Unlink")
        self.see("Link your cloud account to see your own app data")
        self.view("records?type=Diary&database=private")
        self.see("No Diary records yet")
        self.assert_clean_console()

    def test_the_consoles_own_password_is_changed(self):
        self.enter()
        self.push("Change password", ".side ")
        self.fill("current", PASSWORD)
        self.fill("new", OWNER_PASSWORD)
        self.push("Change password")
        # It is that of an account, which opens nothing here.
        self.until(By.CSS_SELECTOR, "dialog [name=current][aria-invalid]")
        self.assert_good_everywhere("password-refused")
        self.fill("current", OWNER_PASSWORD)
        self.push("Change password")
        self.no_dialog()
        self.view("settings")
        self.see("Your own data")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
