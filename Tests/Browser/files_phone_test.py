"""The page of a person's files on a phone: everything is in sight or can be scrolled to, and large enough for a finger."""

import unittest

from files import FilesPageTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

LONG = "n" * 251 + ".txt"

# Scrolls to the buttons, links and inputs of the topmost dialog, or of the page; tells those that a finger cannot reach.
UNREACHABLE = """
const top = [...document.querySelectorAll("dialog")].at(-1) ?? document.querySelector("main");
return [...top.querySelectorAll("button, a, input, select")].filter((element) => {
  if (!element.checkVisibility()) return false;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return !hit || !(element.contains(hit) || hit.contains(element));
}).map((element) => element.outerHTML);
"""
# Elements that are smaller than WCAG 2.2 wants. The cell around a box takes its clicks.
SMALL = """
return [...document.querySelectorAll("main a, main button, header a")].filter((element) => {
  const box = element.getBoundingClientRect();
  return element.checkVisibility() && (box.width < 24 || box.height < 24);
}).map((element) => element.outerHTML);
"""
CUT = """
return [...document.querySelectorAll("tbody td")].filter((cell) => cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent);
"""
BOXES = """
return arguments[0].map((selector) => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return { left, top, right, bottom };
});
"""


class FilesPhoneTest(FilesPageTest):
    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def add(self, name, content="text"):
        self.drop(name, content)
        self.wait(lambda browser: name in (self.names() or []), name)

    def test_actions_stay_in_sight_below_a_long_list(self):
        for number in range(20):
            self.add(f"{number:02}.txt")
        for width, height in [(360, 640), (640, 320)]:
            self.emulate(width, dark=True, height=height)
            self.run_script("document.querySelector('tbody tr:last-child').scrollIntoView({ behavior: 'instant' })")
            for row in ["last-child", "nth-last-child(2)"]:
                self.click(f"tbody tr:{row} td.select")
            self.wait_for_text(".drive-selection", "2 selected")
            (bar,) = self.run_script(BOXES, ["#remove"])
            self.assertGreaterEqual(bar["top"], 0)
            self.assertLessEqual(bar["bottom"], height)
            for row in ["last-child", "nth-last-child(2)"]:
                self.click(f"tbody tr:{row} td.select")
            self.wait_for_text(".drive-selection", "Nothing selected")

    def test_everything_is_large_enough_and_nothing_is_cut(self):
        self.make_folder("t")
        self.add("a.txt", "x" * 1000)
        self.emulate(360, dark=True)
        self.select("a.txt")
        self.assertEqual(self.run_script(SMALL), [])
        self.assertEqual(self.run_script(CUT), [])
        self.assertEqual(self.run_script(UNREACHABLE), [])

    def test_long_names_leave_room_in_dialogs(self):
        self.add(LONG)
        self.drop(LONG, "another text")
        for width, height in [(640, 320), (360, 640)]:
            self.emulate(width, dark=True, height=height)
            self.assert_room(height, "#collision-number")
        self.do("collision-replace")
        self.wait(lambda browser: not browser.find_elements(By.TAG_NAME, "dialog"))
        self.wait_for_text("tbody", "12 bytes")
        for width, height in [(640, 320), (360, 640)]:
            self.emulate(width, dark=True, height=height)
            self.click("tbody td.select")
            for action, part in [
                    ("versions", "dialog .drive-version button"), ("relocate", "#picked"), ("rename", "dialog input"),
                    ("share", "dialog input[name=email]"), ("publish", "dialog select")]:
                self.do(action)
                self.assert_room(height, part)
                if action == "publish":
                    self.do("publish-now")
                    self.assert_room(height, "dialog .secret-value")
                self.close_dialog()
            self.click("tbody .drive-name")
            self.assert_room(height, "dialog pre")
            self.close_dialog()
            self.click("tbody td.select")
        self.assert_clean_console()

    def assert_room(self, height, part):
        self.element(part)
        shown, whole = self.run_script(
            "const body = document.querySelector('dialog .dialog-body'); return [body.clientHeight, body.scrollHeight]")
        self.assertGreaterEqual(shown, min(whole, height / 4), part)
        self.assertEqual(self.run_script(UNREACHABLE), [])
        self.assertEqual(self.run_script(
            "return document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth"), 0)

    def test_a_deleted_item_is_selected_by_its_name(self):
        self.add("a.txt")
        self.select("a.txt")
        self.do("remove")
        self.wait_for_names([])
        self.do("to-deleted")
        self.wait_for_names(["a.txt"])
        self.emulate(360)
        self.click("tbody .drive-name")
        self.wait_for_text(".drive-selection", "1 selected")

    def test_messages_cover_no_button_of_uploads_and_no_dialog(self):
        self.add("a.txt")
        self.limit_uploads(20_000)
        self.choose(("large.bin", b"x" * 2_000_000))
        self.element(".drive-upload progress")
        self.emulate(360)
        self.select("a.txt")
        self.do("remove")
        self.toast("Recently Deleted")
        cancel, message = self.run_script(BOXES, [".drive-upload button", "#toasts"])
        self.assertLess(message["bottom"], cancel["top"])
        self.click(".drive-upload button")
        self.toast("large.bin was not uploaded")
        self.do("new-folder")
        self.element("dialog input")
        self.assertTrue(self.run_script("return document.getElementById('toasts').matches(':popover-open')"))

    def test_a_preview_that_cannot_be_loaded_says_so(self):
        self.add("a.txt")
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.click("tbody .drive-name")
        self.wait_for_text("dialog", "This file cannot be shown: The server cannot be reached")

    def test_the_tools_of_a_person_stay_together(self):
        guest = "somebody-with-a-rather-long-address@mail.example.org"
        self.name_guest(guest)
        self.invite_guest(guest)
        for width in [360, None]:
            self.emulate(width)
            chooser, remove = self.run_script(BOXES, [".drive-people select", ".drive-people button"])
            self.assertLess(remove["top"], chooser["bottom"])
            self.assertGreaterEqual(remove["left"], chooser["right"])
        self.press(Keys.ESCAPE)


if __name__ == "__main__":
    unittest.main()
