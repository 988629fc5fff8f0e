"""What a schema loses is said by its name before it is saved, by the designer and by the text.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import unittest

from browser import CONTAINER
from console import ConsoleBrowserTest
from selenium.webdriver.common.by import By

SCHEMA = """
DEFINE SCHEMA
    RECORD TYPE Note (title STRING, extra STRING);
    RECORD TYPE Folder (name STRING);
"""


class ConsoleLossesTest(ConsoleBrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.import_schema(SCHEMA)

    def setUp(self):
        super().setUp()
        self.enter()

    def lose(self, name):
        """Another name does not do."""
        self.fill("confirm", name[:-1])
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "dialog .danger").is_enabled())
        self.confirm(name, "Delete and save")

    def test_the_designer_asks_for_the_name_of_a_field(self):
        self.view("schema?type=Note")
        self.push("Delete extra")
        self.push("Review and save")
        self.see("Field Note.extra", "dialog")
        self.push("Save to development")
        self.see("Delete Note.extra?", "dialog")
        self.assert_good_everywhere("schema-loss")
        self.lose("Note.extra")
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, ".save-bar"))
        self.view("schema/text")
        self.see("Folder")
        self.assertNotIn("extra", self.text())
        self.assert_clean_console()

    def test_the_text_asks_for_the_name_of_a_type(self):
        self.view("schema/text")
        self.until(By.CSS_SELECTOR, ".CodeMirror")
        self.browser.execute_script("""
            const editor = document.querySelector(".CodeMirror").CodeMirror;
            editor.setValue(editor.getValue().replace(/RECORD TYPE Folder [^;]*;/, ""));""")
        self.see("Record type Folder")
        self.push("Save to development")
        self.lose("Folder")
        self.wait(lambda browser: "RECORD TYPE Folder" not in self.text())
        self.view("schema?type=Note")
        self.see("title")
        self.assertNotIn("Folder", self.text())
        self.assert_clean_console()

    def test_what_somebody_else_saved_meanwhile_is_shown_first(self):
        self.view("schema?type=Note")
        self.until(By.CSS_SELECTOR, "input[aria-label='title: Sortable']").click()
        self.push("Review and save")
        self.see("Index of Note.title", "dialog")
        text = self.api("GET", f"c/{CONTAINER}/development/schema")["text"]
        self.import_schema(text + "\nRECORD TYPE Theirs (text STRING);\n")
        self.push("Save to development")
        self.see("The schema has changed since the changes were shown", "dialog")
        self.assertIn("Theirs", self.api("GET", f"c/{CONTAINER}/development/schema")["text"])
        self.push("Cancel")
        self.no_dialog()
        self.push("Review and save")
        self.see("Record type Theirs", "dialog")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
