"""A real browser against the real server, for the tests of its pages.

STRATUS_BINARY names the server; .build/debug/stratus if it is not set. Pages are pictured in the directory that
STRATUS_SCREENSHOTS names; .build/screenshots if it is not set.
"""

import base64
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import axe_core_python
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTAINER = "iCloud.org.example.browser"
EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"
SCREENSHOTS = pathlib.Path(os.environ.get("STRATUS_SCREENSHOTS", str(ROOT / ".build" / "screenshots")))
AXE = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


class BrowserTest(unittest.TestCase):
    """A server with a container and a person for each class, a browser for each test."""

    # Of `serve`.
    options = []

    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.mkdtemp(prefix="stratus-browser-")
        cls.addClassCleanup(shutil.rmtree, cls.data, ignore_errors=True)
        cls.binary = os.environ.get("STRATUS_BINARY", str(ROOT / ".build" / "debug" / "stratus"))
        # The log is worth nothing here, and would stand between the results.
        cls.server = subprocess.Popen(
            [cls.binary, "serve", "--data", cls.data, "--port", "0", *cls.options], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(cls.stop_server)
        line = cls.server.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"the server did not start: {line!r}")
        cls.cloud = line.split()[-1]
        cls.run_tool("container", "create", CONTAINER)
        cls.make_account(EMAIL)

    @classmethod
    def stop_server(cls):
        cls.server.terminate()
        cls.server.wait()
        cls.server.stdout.close()

    @classmethod
    def run_tool(cls, *arguments, input=None):
        command = [cls.binary, "--data", cls.data, *arguments]
        done = subprocess.run(command, input=input, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    @classmethod
    def make_account(cls, email):
        cls.run_tool("account", "create", "--email", email, "--password-stdin", input=PASSWORD + "\n")

    @classmethod
    def make_token(cls, *arguments):
        output = cls.run_tool(
            "token", "create", "--container", CONTAINER, "--environment", "development", *arguments)
        return next(word for word in output.split() if len(word) == 64)

    def setUp(self):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1000,800"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        self.browser = webdriver.Chrome(options=options, service=service)
        self.addCleanup(self.browser.quit)

    # What apps do.

    @classmethod
    @functools.cache
    def credentials(cls, email):
        """The query that names an app and a person who is signed in to it, and their name there."""
        output = cls.run_tool(
            "session", "create", "--container", CONTAINER, "--environment", "development", "--email", email, "--json")
        session = json.loads(output)
        return f"ckAPIToken={cls.app_token()}&ckWebAuthToken={session['webAuthToken']}", session["userRecordName"]

    @classmethod
    @functools.cache
    def app_token(cls):
        return cls.make_token()

    @classmethod
    def call(cls, email, path, body):
        query, _ = cls.credentials(email)
        address = f"{cls.cloud}/database/1/{CONTAINER}/development/{path}?{query}"
        request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    # What people do.

    def wait(self, condition, message=""):
        return WebDriverWait(self.browser, 60, poll_frequency=0.1).until(condition, message)

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def wait_for_next_page(self, leave):
        """Waits until what `leave` does has led to another page. Elements of the former one are not asked, because the
        browser may answer with errors of many kinds while it goes."""
        self.browser.execute_script("window.isFormerPage = true")
        leave()
        arrived = "return !window.isFormerPage && document.readyState === 'complete'"
        self.wait(lambda browser: browser.execute_script(arrived))

    def press_for_next_page(self, *keys):
        self.wait_for_next_page(lambda: self.press(*keys))

    def wait_for_focus(self, element_id):
        """A page gives a field the focus when it is drawn, which may be after it is loaded."""
        self.wait(lambda browser: self.focused() == element_id)

    def focused(self):
        return self.browser.switch_to.active_element.get_attribute("id")

    def emulate(self, width=None, dark=False, height=740):
        """A phone of a size, or a desktop; in the light or in the dark."""
        if width is None:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        # Without motion, colors change at once.
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def emulate_dark_phone(self):
        metrics = {"width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": True}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)

    # What must hold on every page.

    def assert_fits_dark_phone(self, picture):
        width = self.browser.execute_script("return document.documentElement.scrollWidth")
        self.assertLessEqual(width, 320)
        color = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
        self.assertEqual(self.browser.execute_script(color, "main"), "rgb(28, 28, 30)")
        for label in self.browser.find_elements(By.CSS_SELECTOR, "label[for]"):
            self.assertTrue(self.browser.find_elements(By.ID, label.get_attribute("for")))
        self.picture(picture)

    def assert_accessible(self, besides=()):
        """Asks axe, which knows the rules of WCAG 2.1 and good practice; `besides` are rules that do not apply."""
        self.browser.execute_script(AXE)
        result = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run().then(done, (error) => done({ error: `${error}` }));")
        self.assertNotIn("error", result)
        faults = [
            (fault["id"], [(node["html"], node["failureSummary"]) for node in fault["nodes"]])
            for fault in result["violations"] if fault["id"] not in besides]
        self.assertEqual(faults, [])
        self.assertGreater(len(result["passes"]), 10)

    def assert_good_everywhere(self, name, besides=()):
        """The page as it is, at the widths of a desktop and of a phone, in the light and in the dark."""
        for device, width in [("desktop", None), ("phone", 360)]:
            for dark in [False, True]:
                self.emulate(width, dark)
                fits = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                self.assertTrue(self.browser.execute_script(fits), f"{name} is too wide on a {device}")
                self.assert_accessible(besides)
                self.picture(f"{name}-{device}-{'dark' if dark else 'light'}.png")
        self.emulate()
        self.assert_clean_console()

    def picture(self, name):
        """Keeps a picture of the whole page."""
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / name).write_bytes(base64.b64decode(shot["data"]))

    def assert_clean_console(self):
        # The browser itself reports refused requests as coming from the network; they are expected here.
        errors = [
            entry for entry in self.browser.get_log("browser")
            if entry["level"] == "SEVERE" and entry.get("source") != "network"
        ]
        self.assertEqual(errors, [])
