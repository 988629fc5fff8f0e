"""The console's whole story in a real browser, against the real server, with programs that save by the SDK.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import EMAIL
from console import OWNER, OWNER_PASSWORD, ConsoleBrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class ConsoleTest(ConsoleBrowserTest):
    def test_from_the_first_run_to_a_revoked_token(self):
        self.set_up_by_keyboard()
        self.design_a_schema()
        token = self.make_a_token()
        session = self.session("development", EMAIL)
        self.see_a_save_arrive(token, session)
        self.deploy()
        self.production_refuses_unknown_fields()
        self.revoke(token)

    def set_up_by_keyboard(self):
        self.browser.get(self.set_up_address)
        self.wait_ready()
        self.assertEqual(self.browser.find_element(By.TAG_NAME, "h1").text, "Welcome to Stratus")
        self.assertTrue(self.field("code").get_attribute("value"))
        self.assert_good_everywhere("set-up")
        self.press("Olga Owner", Keys.TAB, OWNER, Keys.TAB, "short", Keys.ENTER)
        # What is wrong stands beside the input.
        problem = self.until(By.CSS_SELECTOR, "[name=password][aria-invalid]").get_attribute("aria-describedby").split()[-1]
        self.wait(lambda browser: "password" in browser.find_element(By.ID, problem).text)
        self.assert_good_everywhere("set-up-refused")
        self.press(Keys.CONTROL, "a", Keys.NULL, OWNER_PASSWORD, Keys.ENTER)
        type(self).is_set_up = True
        self.until(By.CSS_SELECTOR, ".shell")
        self.see("No record types yet")
        self.assert_good_everywhere("records-nothing")

    def design_a_schema(self):
        self.push("Open the schema")
        self.push("New record type", "#content ")
        self.fill("name", "1 note")
        self.push("Add")
        self.see("Start with a letter", "dialog")
        self.fill("name", "Note\n")
        self.no_dialog()
        for name, kind, indexes in [("title", "STRING", ["Sortable", "Searchable"]), ("written", "TIMESTAMP", ["Sortable"]), ("cover", "ASSET", [])]:
            self.push("Add field", "#content ")
            self.fill("name", name)
            self.choose("type", kind)
            for index in indexes:
                self.until(By.XPATH, f"//dialog//label[contains(., '{index}')]").click()
            self.assert_accessible()
            self.push("Add field")
            self.no_dialog()
        self.assert_good_everywhere("schema-designed")
        self.push("Review and save")
        self.see("Record type Note", "dialog")
        self.see("Field Note.title", "dialog")
        self.assert_good_everywhere("schema-review")
        self.push("Save to development")
        self.no_dialog()
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, ".save-bar"))
        self.view("schema/history")
        self.see("Imported")

    def make_a_token(self, environment="development"):
        self.view("tokens", environment)
        self.push("New token")
        self.fill("name", "web client")
        self.push("Create token")
        self.see("It is shown only once", "dialog")
        token = self.until(By.CSS_SELECTOR, "dialog .secret-value").text
        self.assertEqual(len(token), 64)
        self.push("Done")
        self.no_dialog()
        self.see("web client")
        return token

    def see_a_save_arrive(self, token, session):
        self.view("records?type=Note")
        self.see("No Note records yet")
        self.assert_good_everywhere("records-empty")
        self.push("Watch live")
        self.assertEqual(self.save("development", token, session, "first", title="Hello, console"), "saved first")
        self.wait(lambda browser: self.rows() == ["first"])
        self.see("Hello, console")
        self.assertEqual(self.save("development", token, session, "second", title="And another"), "saved second")
        # The latest first, without being asked.
        self.wait(lambda browser: self.rows() == ["second", "first"])
        self.assert_good_everywhere("records-live")

    def deploy(self):
        self.view("schema/deploy")
        self.see("Record type Note")
        self.assert_good_everywhere("schema-deploy")
        self.push("Dry run")
        self.see("The deployment would succeed")
        self.fill("name", "1.0")
        self.push("Deploy to production")
        self.push("Deploy")
        self.see("Production is up to date")
        self.view("schema/history", "production")
        self.see("Deployed")
        self.see("1.0")

    def production_refuses_unknown_fields(self):
        token = self.make_a_token("production")
        session = self.session("production", EMAIL)
        refusal = self.save("production", token, session, "stray", mood="sunny")
        self.assertTrue(refusal.startswith("failed:"), refusal)
        self.assertIn("mood", refusal)
        self.assertEqual(self.save("production", token, session, "kept", title="Known"), "saved kept")
        self.view("records?type=Note", "production")
        self.wait(lambda browser: self.rows() == ["kept"])
        self.assert_good_everywhere("records-production")

    def revoke(self, token):
        query = {"query": {"recordType": "Note"}}
        self.assertEqual(self.status("development", "public/records/query", query, token), 200)
        self.view("tokens")
        self.see("web client")
        self.push("Revoke web client")
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "dialog .danger").is_enabled())
        self.assert_good_everywhere("tokens-revoke")
        self.confirm("web client", "Revoke")
        self.assertEqual(self.status("development", "public/records/query", query, token), 401)
        self.wait(lambda browser: "web client" not in self.text())
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
