"""WebDAV with programs of others: litmus, rclone and davfs2.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from cloud import CONTAINER, Cloud

EMAIL = "ada@example.org"


class WebDAVTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # No certificate: neither litmus nor davfs2 can be told of one that is made for a test.
        cls.cloud = Cloud(tls=False)
        cls.addClassCleanup(cls.cloud.close)
        cls.password = cls.app_password(EMAIL)
        cls.url = f"{cls.cloud.url}/dav/{CONTAINER}/"

    @classmethod
    def app_password(cls, email):
        cls.cloud.session(email)
        made = cls.cloud.tool("account", "app-password", "create", "--email", email, "--name", "files",
                              "--environment", "development")
        return made["password"]

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="stratus-webdav-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def test_litmus_passes_all_its_tests(self):
        done = subprocess.run(["litmus", self.url, EMAIL, self.password], cwd=self.directory, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        suites = re.findall(r"summary for `(\w+)': of (\d+) tests run: (\d+) passed, (\d+) failed", done.stdout)
        self.assertEqual([suite[0] for suite in suites], ["basic", "copymove", "props", "locks", "http"], done.stdout)
        for name, run, passed, failed in suites:
            self.assertEqual((run, "0"), (passed, failed), f"{name}: {done.stdout}")
        self.assertNotIn("SKIPPED", done.stdout)

    def rclone(self, *arguments, email=EMAIL, password=None):
        obscured = subprocess.run(["rclone", "obscure", password or self.password], text=True, capture_output=True, check=True)
        environment = os.environ | {
            "RCLONE_CONFIG": str(self.directory / "rclone.conf"), "RCLONE_CONFIG_DAV_TYPE": "webdav",
            "RCLONE_CONFIG_DAV_URL": self.url, "RCLONE_CONFIG_DAV_VENDOR": "other",
            "RCLONE_CONFIG_DAV_USER": email, "RCLONE_CONFIG_DAV_PASS": obscured.stdout.strip(),
        }
        done = subprocess.run(["rclone", *arguments], env=environment, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make_tree(self, root, count):
        """Files of many sizes with names of all kinds, in folders of which some are empty."""
        source = random.Random(7)
        folders = [root]
        for number in range(40):
            folder = source.choice(folders) / source.choice([f"folder {number}", f"Übung-{number}", f"目录{number}"])
            folder.mkdir(parents=True)
            folders.append(folder)
        for number in range(count):
            name = source.choice([f"file {number}.txt", f"naïve+{number}&.bin", f"#%{number}?", f".{number}"])
            size = source.choice([0, 1, 100, 5000])
            (source.choice(folders) / name).write_bytes(source.randbytes(size))
        (root / "large.bin").write_bytes(source.randbytes(20_000_000))

    def assert_same(self, one, other):
        files = sorted(path.relative_to(one) for path in one.rglob("*"))
        self.assertEqual(files, sorted(path.relative_to(other) for path in other.rglob("*")))
        for path in files:
            if (one / path).is_file():
                self.assertTrue(filecmp.cmp(one / path, other / path, shallow=False), path)

    def test_rclone_copies_a_tree_there_and_back(self):
        here, back = self.directory / "here", self.directory / "back"
        here.mkdir()
        self.make_tree(here, 2000)
        self.rclone("copy", str(here), "dav:tree", "--create-empty-src-dirs", "--transfers", "8")
        self.rclone("check", "--download", str(here), "dav:tree")
        self.rclone("moveto", "dav:tree", "dav:moved")
        self.rclone("copy", "dav:moved", str(back), "--create-empty-src-dirs", "--transfers", "8")
        self.assert_same(here, back)
        self.rclone("purge", "dav:moved")
        self.assertNotIn("moved", self.rclone("lsf", "dav:"))

    def test_the_tool_restores_what_was_deleted(self):
        # A person of its own: others have thousands of deleted files.
        email = "grace@example.org"
        person = {"email": email, "password": self.app_password(email)}
        (self.directory / "a.txt").write_bytes(b"not lost")
        self.rclone("copy", str(self.directory / "a.txt"), "dav:", **person)
        self.rclone("deletefile", "dav:a.txt", **person)
        target = ["--database", "private", "--email", email, "--zone", "_files",
                  "--container", CONTAINER, "--environment", "development"]
        found = subprocess.run(
            [self.cloud.binary, "query", "--type", "StratusFile", *target, "--data", self.cloud.data], text=True,
            capture_output=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        records = [json.loads(line) for line in found.stdout.splitlines()]
        names = [record["recordName"] for record in records
                 if record["fields"]["name"]["value"] == "a.txt" and "deleted" in record["fields"]]
        self.assertEqual(len(names), 1, found.stdout)
        self.cloud.tool("record", "save", *names, *target, "--remove", "deleted")
        self.assertEqual(self.rclone("cat", "dav:a.txt", **person), "not lost")

    @unittest.skipUnless(os.path.exists("/dev/fuse") and os.geteuid() == 0 and shutil.which("mount.davfs"),
                         "davfs2 mounts only as root, and where /dev/fuse is")
    def test_davfs2_mounts_it(self):
        mount = self.directory / "mount"
        mount.mkdir()
        secrets = self.directory / "secrets"
        secrets.write_text(f'{self.url} "{EMAIL}" "{self.password}"\n')
        secrets.chmod(0o600)
        configuration = self.directory / "davfs2.conf"
        configuration.write_text(
            f"secrets {secrets}\ndelay_upload 0\nuse_locks 1\nask_auth 0\n")
        done = subprocess.run(["mount.davfs", "-o", f"conf={configuration}", self.url, str(mount)], text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0 and re.search("fuse|permitted|device", done.stderr, re.IGNORECASE):
            self.skipTest(f"the system lets nobody mount: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        mounted = True
        try:
            (mount / "mounted folder").mkdir()
            (mount / "mounted folder" / "a.txt").write_bytes(b"through the mount")
            (mount / "mounted folder" / "a.txt").rename(mount / "mounted folder" / "b.txt")
            # What was written is uploaded when the file system is unmounted at the latest.
            subprocess.run(["umount", str(mount)], check=True, capture_output=True)
            mounted = False
            self.assertEqual(self.rclone("cat", "dav:mounted folder/b.txt"), "through the mount")
        finally:
            if mounted:
                subprocess.run(["umount", "-l", str(mount)], capture_output=True)


if __name__ == "__main__":
    unittest.main()
