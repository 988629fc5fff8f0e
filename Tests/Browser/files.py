"""What the tests of the page of a person's files share."""

import pathlib
import tempfile

from browser import CONTAINER, PASSWORD, ROOT, BrowserTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Drops what a person would drag from their file manager.
DROP = """
const [element, name, content] = arguments;
const data = new DataTransfer();
data.items.add(new File([content], name));
for (const type of ["dragover", "drop"]) {
  element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
}
"""


class FilesPageTest(BrowserTest):
    """Each test has a person of its own, whose files the browser shows."""

    options = ["--console-files", str(ROOT / "Sources" / "Console" / "Files")]

    def setUp(self):
        super().setUp()
        self.email = f"{self._testMethodName.replace('_', '-')}@example.org"
        self.make_account(self.email)
        self.home = f"{self.cloud}/files/{CONTAINER}/production"
        self.browser.get(self.cloud + "/files")
        self.wait_for_focus("email")
        self.press_for_next_page(self.email, Keys.TAB, PASSWORD, Keys.ENTER)
        self.wait_for_names([])

    def element(self, selector):
        return self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, selector), selector)[0]

    def names(self):
        script = """return document.querySelector("#content[aria-busy]") ? null
            : [...document.querySelectorAll("tbody td.name :is(a, .drive-name)")].map((name) => name.textContent)"""
        return self.browser.execute_script(script)

    def wait_for_names(self, names):
        self.wait(lambda browser: self.names() == names, f"{names}")

    def row(self, name):
        return next(row for row in self.browser.find_elements(By.CSS_SELECTOR, "tbody tr") if name in row.text)

    def select(self, name):
        self.row(name).find_element(By.CSS_SELECTOR, "td.size").click()

    def do(self, action):
        self.click(f"#{action}")

    def click(self, selector):
        """Finds and clicks in one step, because the page draws its parts anew when something has changed."""
        script = "const element = document.querySelector(arguments[0]); element?.click(); return Boolean(element)"
        self.wait(lambda browser: browser.execute_script(script, selector), selector)

    def wait_for_text(self, selector, text):
        script = "return document.querySelector(arguments[0])?.textContent.includes(arguments[1])"
        self.wait(lambda browser: browser.execute_script(script, selector, text), text)

    def toast(self, text):
        self.wait(lambda browser: text in browser.find_element(By.ID, "toasts").text, text)

    def drop(self, name, content="text"):
        self.browser.execute_script(DROP, self.element("#content"), name, content)

    def choose(self, *files):
        """Chooses files with the button's chooser, which is the browser's own."""
        folder = tempfile.mkdtemp()
        paths = []
        for name, content in files:
            path = pathlib.Path(folder) / name
            path.write_bytes(content)
            paths.append(str(path))
        self.browser.find_element(By.ID, "chooser").send_keys("\n".join(paths))

    def close_dialog(self):
        self.press(Keys.ESCAPE)
        self.wait(lambda browser: not browser.find_elements(By.TAG_NAME, "dialog"))

    def make_folder(self, name):
        self.do("new-folder")
        self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, "dialog input"))
        self.press(name, Keys.ENTER)
        self.wait(lambda browser: not browser.find_elements(By.TAG_NAME, "dialog"))

    def name_guest(self, email):
        """Makes an account and a folder "trip", and types the account's address where the folder is shared."""
        self.make_account(email)
        self.make_folder("trip")
        self.wait_for_names(["trip"])
        self.select("trip")
        self.do("share")
        self.element("dialog input[name=email]").send_keys(email)

    def invite_guest(self, email):
        """Invites the account that was named."""
        self.do("invite")
        self.wait_for_text("dialog .drive-people", email)

    def limit_uploads(self, bytes_per_second):
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second})
