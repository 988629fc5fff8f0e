"""What tests of the console do in it."""

import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.request

from browser import CONTAINER, ROOT, BrowserTest
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

OWNER = "owner@example.org"
OWNER_PASSWORD = "a cloud over the river"
ADDRESS = "/console/c/" + CONTAINER

# The main dialog's frame of the console, and the whole page, fit their widths.
PARTS = """[document.documentElement, ...document.querySelectorAll("#content, dialog[open] .dialog-body")]"""
FITS = f"return {PARTS}.every((part) => part.scrollWidth <= part.clientWidth)"
# How much of the page has to be scrolled for.
HIDDEN = f"return Math.max(...{PARTS}.map((part) => part.scrollHeight - part.clientHeight))"
DEVICES = {
    "desktop": {"width": 1280, "height": 860, "deviceScaleFactor": 1, "mobile": False},
    "tablet": {"width": 820, "height": 1180, "deviceScaleFactor": 1, "mobile": True},
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
}
# Pixels of a picture's height at most, before the device's scale.
TALLEST = 4_000


class ConsoleBrowserTest(BrowserTest):
    """The printed address of the set-up, and an owner who is signed in where a test wants one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        while not (line := cls.server.stdout.readline()).startswith("console "):
            if not line:
                raise RuntimeError("the server printed no address of the console")
        cls.set_up_address = line.split()[1]
        cls.is_set_up = False

    def setUp(self):
        super().setUp()
        self.show_on("desktop")

    @classmethod
    def import_schema(cls, text):
        with tempfile.NamedTemporaryFile("w", suffix=".ckdb") as file:
            file.write(text)
            file.flush()
            cls.run_tool("schema", "import", file.name, "--container", CONTAINER)

    # What developers do.

    def enter(self):
        """Comes in as the owner, as whom the first test sets the server up."""
        cls = type(self)
        if cls.is_set_up:
            self.open("/console/sign-in")
            self.fill("email", OWNER)
            self.fill("password", OWNER_PASSWORD)
            self.submit("Sign in")
        else:
            self.browser.get(cls.set_up_address)
            self.wait_ready()
            self.fill("name", "Olga Owner")
            self.fill("email", OWNER)
            self.fill("password", OWNER_PASSWORD)
            self.submit("Set up")
            cls.is_set_up = True
        self.until(By.CSS_SELECTOR, ".shell")

    def open(self, path):
        self.browser.get(self.cloud + path)
        self.wait_ready()

    def view(self, name, environment="development"):
        self.open(f"{ADDRESS}/{environment}/{name}")

    def wait_ready(self):
        """The page is there, and nothing of it is still to come."""
        self.wait(lambda browser: browser.execute_script(
            "return document.documentElement.dataset.ready && !document.querySelector('.waiting')"))

    def until(self, by, value):
        """The first of these that is shown."""
        return self.wait(lambda browser: next(
            (element for element in browser.find_elements(by, value) if element.is_displayed()), None))

    def button(self, words, within=""):
        """A button or link by its words or its name for who listens, in the topmost dialog if there is one."""
        place = within or ("dialog[open]:last-of-type " if self.browser.find_elements(By.CSS_SELECTOR, "dialog[open]") else "")
        script = """
            const [place, words] = arguments;
            const all = [...document.querySelectorAll(`${place}button, ${place}a`)].reverse();
            const name = (element) => element.getAttribute("aria-label") ?? element.textContent.trim();
            return all.find((element) => name(element) === words && !element.disabled && element.getClientRects().length > 0);
        """
        return self.wait(lambda browser: browser.execute_script(script, place, words))

    def push(self, words, within=""):
        self.button(words, within).click()

    submit = push

    def field(self, name):
        dialog = "dialog[open]:last-of-type " if self.browser.find_elements(By.CSS_SELECTOR, "dialog[open]") else ""
        return self.until(By.CSS_SELECTOR, f"{dialog}[name={name}]")

    def fill(self, name, text):
        element = self.field(name)
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(text)

    def choose(self, name, words):
        Select(self.field(name)).select_by_visible_text(words)

    def text(self):
        return self.browser.find_element(By.CSS_SELECTOR, "#content").text

    def see(self, words, within="#content"):
        """Waits for words."""
        script = "return [...document.querySelectorAll(arguments[0])].map((part) => part.innerText)"
        try:
            self.wait(lambda browser: any(words in text for text in browser.execute_script(script, within)))
        except TimeoutException:
            self.fail(f"{words!r} is not in {self.browser.execute_script(script, within)}")

    def choose_labelled(self, label, words, within=None):
        """Chooses of a list by its name for who listens."""
        place = within or self.browser
        Select(place.find_element(By.CSS_SELECTOR, f"select[aria-label='{label}']")).select_by_visible_text(words)

    def part(self, name):
        """A field of the open record."""
        return self.until(By.CSS_SELECTOR, f"dialog fieldset[aria-label='{name}']")

    def give(self, name):
        """Gives a field of the open record a value, and its editor."""
        self.part(name).find_element(By.XPATH, ".//button[text()='Set value']").click()
        return self.part(name)

    def no_dialog(self):
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, "dialog[open]"))

    def confirm(self, name, action):
        """Types the name of what is to be destroyed."""
        self.fill("confirm", name)
        self.push(action)
        self.no_dialog()

    def rows(self):
        """The record names in sight."""
        script = """
            return [...document.querySelectorAll(".grid-row:not([hidden])")]
              .sort((one, other) => one.ariaRowIndex - other.ariaRowIndex).map((row) => row.querySelector(".name").textContent)"""
        return [name for name in self.browser.execute_script(script) if name != "…"]

    # What the page's own scripts may ask.

    def api(self, method, path, body=None, acting=None):
        """What the server answers whoever is signed in here."""
        script = """
            const [method, path, body, acting, done] = arguments;
            const headers = { "X-Stratus-Console": "1", ...(acting ? { "X-Stratus-Act-As": acting } : {}) };
            fetch(`/console/api/${path}`, { method, headers, body: body === null ? undefined : JSON.stringify(body) })
              .then(async (answer) => done([answer.status, await answer.json()]));
        """
        status, answer = self.browser.execute_async_script(script, method, path, body, acting)
        self.assertEqual(status, 200, answer)
        return answer

    def make_test_account(self, email):
        """Its user record name, and its password."""
        account = self.api("POST", f"c/{CONTAINER}/development/test-accounts", {"email": email})
        return account["userRecordName"], account["password"]

    def ask_as(self, user, database, operation, body):
        """An operation of the web services in a test account's name."""
        answer = self.api("POST", f"c/{CONTAINER}/development/ck/{database}/{operation}", body, user)
        for item in answer.get("records", []) + answer.get("zones", []) + answer.get("subscriptions", []):
            self.assertNotIn("serverErrorCode", item)
        return answer

    # What programs do.

    def save(self, environment, token, session, name, **fields):
        """Saves a note by the SDK, in a program of its own, and gives what it says."""
        client = os.environ.get("STRATUS_TEST_CLIENT", str(ROOT / ".build" / "debug" / "StratusTestClient"))
        settings = {
            "STRATUS_URL": self.cloud, "STRATUS_CONTAINER": CONTAINER, "STRATUS_ENVIRONMENT": environment,
            "STRATUS_API_TOKEN": token, "STRATUS_WEB_AUTH_TOKEN": session, "STRATUS_STATE_DIRECTORY": self.data + "/client",
        }
        words = [f"{field}={value}" for field, value in fields.items()]
        done = subprocess.run([client, "save", name, *words], env=os.environ | settings, text=True, capture_output=True, timeout=60)
        return done.stdout.strip()

    def session(self, environment, email):
        output = self.run_tool(
            "session", "create", "--container", CONTAINER, "--environment", environment, "--email", email, "--json")
        return json.loads(output)["webAuthToken"]

    def status(self, environment, path, body, token):
        """The status that the web services answer a request with."""
        address = f"{self.cloud}/database/1/{CONTAINER}/{environment}/{path}?ckAPIToken={token}"
        request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    # What must hold in every view.

    def assert_good_everywhere(self, name, besides=(), devices=("desktop", "phone")):
        for device in devices:
            for dark in [False, True]:
                # Without motion, colors change at once.
                features = [
                    {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce"}]
                self.show_on(device)
                self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
                # What is drawn is fitted a moment later.
                self.wait(lambda browser: browser.execute_script(FITS), f"{name} is too wide on a {device}")
                self.assert_accessible(besides)
                self.show_on(device, more=self.browser.execute_script(HIDDEN))
                self.picture(f"console-{name}-{device}-{'dark' if dark else 'light'}.png")
        self.show_on("desktop")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assert_clean_console()

    def show_on(self, device, more=0):
        """A device's screen, or one that is so much taller."""
        metrics = DEVICES[device] | {"height": min(DEVICES[device]["height"] + more, TALLEST)}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
