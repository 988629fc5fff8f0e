"""The page of a person's files in a real browser, against the real server.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Browser -p '*_test.py'
"""

import base64
import io
import pathlib
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
import zipfile

from browser import PASSWORD
from files import FilesPageTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==")
HOSTILE = "<img src=x onerror=window.isHit=1>.html"

# Drags a row onto another element.
DRAG = """
const [row, target] = arguments;
const data = new DataTransfer();
const send = (element, type) =>
  element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
send(row, "dragstart"); send(target, "dragover"); send(target, "drop");
"""


class FilesTest(FilesPageTest):
    def test_upload_browse_and_go_back(self):
        self.assert_good_everywhere("files-empty")
        self.make_folder("Zürich & Bern")
        self.wait_for_names(["Zürich & Bern"])
        self.browser.find_element(By.LINK_TEXT, "Zürich & Bern").click()
        self.wait_for_names([])
        self.assertEqual(
            urllib.parse.unquote(self.browser.current_url), self.home + "/Zürich & Bern")
        self.choose(("b 10.txt", b"12345"), ("b 9.txt", b"1"), ("a.png", base64.b64decode(PIXEL)))
        self.wait_for_names(["a.png", "b 9.txt", "b 10.txt"])
        self.do("sort-size")
        self.wait_for_names(["b 9.txt", "b 10.txt", "a.png"])
        self.do("sort-size")
        self.wait_for_names(["a.png", "b 10.txt", "b 9.txt"])
        self.browser.get(self.browser.current_url)
        self.wait_for_names(["a.png", "b 10.txt", "b 9.txt"])
        self.select("b 10.txt")
        self.assert_good_everywhere("files-folder")
        for width, name in [(390, "phone"), (820, "tablet"), (1440, "desk")]:
            for dark in [False, True]:
                self.emulate(width, dark)
                self.picture(f"files-{name}-{'dark' if dark else 'light'}.png")
        self.emulate()
        self.browser.find_element(By.LINK_TEXT, "Your files").click()
        self.wait(lambda browser: "Zürich & Bern" in (self.names() or []))
        self.browser.back()
        self.wait_for_names(["a.png", "b 10.txt", "b 9.txt"])

    def test_drop_shows_progress_and_asks_about_names(self):
        self.drop("note.txt", "one")
        self.wait_for_names(["note.txt"])
        self.drop("NOTE.txt", "two")
        self.do("collision-number")
        self.wait_for_names(["NOTE 2.txt", "note.txt"])
        self.drop("note.txt", "three")
        self.element("#collision-replace")
        self.assert_good_everywhere("files-collision")
        self.do("collision-replace")
        self.wait_for_text("tbody", "5 bytes")
        self.select("note.txt")
        self.do("versions")
        self.element("dialog .drive-version button")
        self.assert_good_everywhere("files-versions")
        self.click("dialog .drive-version button")
        self.toast("The version was restored")
        self.row("note.txt").find_element(By.CSS_SELECTOR, ".drive-name").click()
        self.wait_for_text("dialog pre", "one")
        self.close_dialog()

    def test_an_upload_can_be_cancelled(self):
        self.limit_uploads(20_000)
        self.drop("large.bin", "x" * 5_000_000)
        self.element(".drive-upload progress")
        self.click(".drive-upload button")
        self.toast("large.bin was not uploaded")
        self.assertEqual(self.names(), [])

    def test_what_is_hostile_is_text(self):
        self.drop(HOSTILE, "<script>window.isHit = 1</script>")
        self.wait_for_names([HOSTILE])
        self.row(HOSTILE).find_element(By.CSS_SELECTOR, ".drive-name").click()
        self.wait_for_text("dialog pre", "<script>window.isHit = 1</script>")
        self.assert_good_everywhere("files-hostile")
        self.close_dialog()
        self.assertIsNone(self.browser.execute_script("return window.isHit ?? null"))
        # The content is no page and no script of this server.
        loaded = self.browser.execute_async_script("""
            const [done] = arguments;
            const id = document.querySelector("tbody tr").dataset.id;
            const script = Object.assign(document.createElement("script"), {
              src: location.pathname.replace("/files/", "/files/api/") + `/items/${id}/content`,
              onload: () => done("ran"), onerror: () => done("refused") });
            document.head.append(script);""")
        self.assertEqual(loaded, "refused")
        self.assertIsNone(self.browser.execute_script("return window.isHit ?? null"))

    def test_hostile_names_stay_text_and_in_their_place(self):
        # Each with its look: characters that turn the text around, or show nothing, appear as their codes.
        names = {
            HOSTILE: HOSTILE, "n" * 251 + ".txt": "n" * 251 + ".txt", "photo\u202egnp.exe": "photo‹U+202E›gnp.exe",
            "a\u2066b\u200b.txt": "a‹U+2066›b‹U+200B›.txt", "\u05d0\u05d1.txt": "\u05d0\u05d1.txt",
        }
        for name, shown in names.items():
            self.drop(name, "x")
            self.wait(lambda browser: shown in (self.names() or []))
        directions = self.browser.execute_script(
            "return [...document.querySelectorAll('.drive-name')].map((name) => getComputedStyle(name).unicodeBidi)")
        self.assertEqual(directions, ["isolate"] * len(names))
        for name in names.values():
            row = self.browser.execute_script(
                "return [...document.querySelectorAll('tbody tr')]"
                ".find((row) => row.textContent.includes(arguments[0]))", name)
            row.find_element(By.CSS_SELECTOR, "td.size").click()
            self.do("share")
            self.wait_for_text("dialog h2", name)
            self.element("dialog input[name=email]")
            self.assert_good_everywhere("files-hostile-share")
            self.close_dialog()
            self.do("publish")
            self.do("publish-now")
            self.wait_for_text("dialog h2", name)
            self.element("dialog .secret-value")
            self.close_dialog()
        self.do("to-published")
        self.wait_for_text("tbody", HOSTILE)
        self.assert_good_everywhere("files-hostile-published")
        for width in [360, None]:
            self.emulate(width)
            self.assertTrue(self.browser.execute_script(
                "const frame = document.querySelector('.table-frame'); return frame.scrollWidth <= frame.clientWidth"))
        self.assertIsNone(self.browser.execute_script("return window.isHit ?? null"))

    def test_pictures_are_shown(self):
        self.choose(("a.png", base64.b64decode(PIXEL)), ("broken.png", b"<html>"))
        self.wait_for_names(["a.png", "broken.png"])
        self.row("a.png").find_element(By.CSS_SELECTOR, ".drive-name").click()
        self.wait(lambda browser: browser.execute_script(
            "return document.querySelector('dialog img')?.naturalWidth === 1"))
        self.close_dialog()
        self.row("broken.png").find_element(By.CSS_SELECTOR, ".drive-name").click()
        self.wait_for_text("dialog", "cannot be shown")

    def test_by_keyboard(self):
        for name in ["a", "b", "c"]:
            self.drop(name)
            self.wait(lambda browser: name in (self.names() or []))
        self.browser.execute_script("document.querySelector('tbody tr').focus()")
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.F2)
        self.element("dialog input")
        self.press("renamed", Keys.ENTER)
        self.wait_for_names(["a", "c", "renamed"])
        self.wait(lambda browser: not browser.find_elements(By.TAG_NAME, "dialog"))
        self.browser.execute_script("document.querySelector('tbody tr').focus()")
        self.press(Keys.HOME)
        ActionChains(self.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
        self.press(Keys.DELETE)
        self.wait_for_names(["renamed"])
        self.do("to-deleted")
        self.wait(lambda browser: sorted(self.names() or []) == ["a", "c"])
        self.assert_good_everywhere("files-deleted")
        self.select("a")
        self.do("restore")
        self.wait_for_names(["c"])
        self.select("c")
        self.do("erase")
        self.click("dialog .primary")
        self.wait_for_names([])
        self.do("to-files")
        self.wait_for_names(["a", "renamed"])

    def test_move_by_drag_and_by_dialog(self):
        self.make_folder("inside")
        self.drop("a")
        self.wait_for_names(["a", "inside"])
        self.browser.execute_script(DRAG, self.row("a"), self.row("inside"))
        self.wait_for_names(["inside"])
        self.browser.find_element(By.LINK_TEXT, "inside").click()
        self.wait_for_names(["a"])
        self.select("a")
        self.do("relocate")
        self.element("#picked")
        self.assert_good_everywhere("files-move")
        self.click("dialog .drive-picker button")
        self.wait_for_text("#picked", "Your files")
        self.do("move-here")
        self.wait_for_names([])
        self.browser.find_element(By.LINK_TEXT, "Your files").click()
        self.wait_for_names(["a", "inside"])

    def sign_in(self, email, address):
        self.browser.delete_all_cookies()
        self.browser.get(address)
        self.wait_for_focus("email")
        self.press_for_next_page(email, Keys.TAB, PASSWORD, Keys.ENTER)

    def test_a_folder_is_shared_with_another_account(self):
        guest = "guest@example.org"
        self.name_guest(guest)
        self.assert_good_everywhere("files-share")
        self.invite_guest(guest)
        self.assert_good_everywhere("files-shared")
        self.emulate(360)
        self.assertTrue(self.browser.execute_script(
            "const body = document.querySelector('.dialog-body'); return body.scrollWidth <= body.clientWidth"))
        self.emulate()
        link = self.element("#share-link").text
        self.close_dialog()
        self.wait_for_text("tbody", "shared")
        self.sign_in(guest, link)
        self.wait_for_next_page(self.element("#accept").click)
        self.browser.get(self.home + "?view=shared")
        self.wait_for_names(["trip"])
        self.assert_good_everywhere("files-shared-with-me")
        self.browser.find_element(By.LINK_TEXT, "trip").click()
        self.wait_for_text("h1", "trip")
        self.wait_for_names([])
        self.drop("from-guest.txt", "hello")
        self.wait_for_names(["from-guest.txt"])
        self.do("to-shared")
        self.wait_for_names(["trip"])
        self.select("trip")
        self.do("share")
        self.do("leave-share")
        self.click("dialog:last-of-type .primary")
        self.toast("You left the share")
        self.wait_for_names([])
        self.sign_in(self.email, self.home + "/trip")
        self.wait_for_names(["from-guest.txt"])
        self.browser.get(self.home)
        self.wait_for_names(["trip"])
        self.select("trip")
        self.do("share")
        self.do("end-share")
        self.click("dialog:last-of-type .primary")
        self.toast("Sharing has stopped")
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, "tbody .badge"))

    def test_uploads_in_progress_go_to_the_folder_that_they_were_dropped_on(self):
        guest = "uploader@example.org"
        self.name_guest(guest)
        self.invite_guest(guest)
        link = self.element("#share-link").text
        self.close_dialog()
        self.sign_in(guest, link)
        self.wait_for_next_page(self.element("#accept").click)
        self.browser.get(self.home + "?view=shared")
        self.wait_for_names(["trip"])
        self.browser.find_element(By.LINK_TEXT, "trip").click()
        self.wait_for_text("h1", "trip")
        self.wait_for_names([])
        shared = self.browser.current_url
        self.limit_uploads(20_000)
        self.choose(("a.bin", b"x" * 500_000), ("b.txt", b"hello"))
        self.element(".drive-upload progress")
        self.do("to-files")
        self.wait_for_text("h1", "Your files")
        self.limit_uploads(-1)
        self.wait(lambda browser: not browser.find_elements(By.CSS_SELECTOR, ".drive-upload"))
        self.wait_for_names([])
        self.browser.get(shared)
        self.wait_for_names(["a.bin", "b.txt"])

    def test_a_file_is_published_and_the_link_ended(self):
        self.drop("note.txt", "public words")
        self.wait_for_names(["note.txt"])
        self.select("note.txt")
        self.do("publish")
        self.element("dialog select")
        self.assert_good_everywhere("files-publish")
        self.do("publish-now")
        url = self.element("dialog .secret-value").text
        with urllib.request.urlopen(url) as answer:
            self.assertEqual(answer.read(), b"public words")
        self.close_dialog()
        self.do("to-published")
        self.wait_for_text("tbody", "note.txt")
        self.assert_good_everywhere("files-published")
        self.click("tbody button")
        self.click("dialog .primary")
        self.wait_for_text("#content", "No file is published")
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(url)

    def test_a_folder_is_saved_as_zip(self):
        folder = tempfile.mkdtemp()
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        self.make_folder("photos")
        self.browser.find_element(By.LINK_TEXT, "photos").click()
        self.wait_for_names([])
        self.drop("a.txt", "inside")
        self.wait_for_names(["a.txt"])
        self.browser.find_element(By.LINK_TEXT, "Your files").click()
        self.wait_for_names(["photos"])
        self.select("photos")
        self.do("download")
        path = pathlib.Path(folder) / "photos.zip"
        self.wait(lambda browser: path.exists())
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            self.assertEqual(archive.namelist(), ["photos/", "photos/a.txt"])
            self.assertEqual(archive.read("photos/a.txt"), b"inside")
        self.assert_clean_console()


if __name__ == "__main__":
    unittest.main()
