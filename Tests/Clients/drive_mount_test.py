"""`stratus drive mount` through the kernel, with ordinary programs.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import errno
import filecmp
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import requests

from cloud import CONTAINER, Cloud

MEBIBYTE = 1 << 20


class Mount:
    """A running `stratus drive mount` with a home of its own."""

    def __init__(self, cloud, token, directory, *options):
        self.directory = directory
        self.point = directory / "mount"
        self.point.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(directory), "STRATUS_URL": cloud.url, "STRATUS_CONTAINER": CONTAINER,
            "STRATUS_ENVIRONMENT": "development", "STRATUS_API_TOKEN": cloud.token, "STRATUS_WEB_AUTH_TOKEN": token,
        }
        self.command = [cloud.binary, "drive", "mount", str(self.point), *options]
        self.log = open(directory / "log", "a+b")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if line != f"mounted {self.point}\n":
            self.process.wait()
            raise RuntimeError(f"the mount did not start: {line!r} {self.errors()}")
        return self

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait()
        self.process.stdout.close()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        subprocess.run(["fusermount3", "-u", "-z", str(self.point)], check=True, capture_output=True)

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop()
        subprocess.run(["fusermount3", "-u", "-z", str(self.point)], capture_output=True)
        self.log.close()

    def memory(self):
        """The most memory that the process has had, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))

    @property
    def contents(self):
        """The files of the cache."""
        return [path for path in (self.directory / ".cache" / "stratus" / "mount").glob("*/*/contents/*")]


class WebDAV:
    """The same files without the mount."""

    def __init__(self, cloud, email):
        made = cloud.tool("account", "app-password", "create", "--email", email, "--name", "files",
                          "--environment", "development")
        self.session = cloud.http()
        self.session.auth = (email, made["password"])
        self.url = f"{cloud.url}/dav/{CONTAINER}/"

    def get(self, path):
        answer = self.session.get(self.url + path)
        return answer.content if answer.status_code == 200 else None

    def put(self, path, content):
        self.session.put(self.url + path, data=content).raise_for_status()

    def do(self, method, path, **headers):
        self.session.request(method, self.url + path, headers=headers).raise_for_status()


def can_mount():
    return os.access("/dev/fuse", os.R_OK | os.W_OK) and shutil.which("fusermount3")


@unittest.skipUnless(can_mount(), "there is no usable /dev/fuse, or no fusermount3")
class DriveMountTest(unittest.TestCase):
    people = 0

    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud(tls=False)
        cls.addClassCleanup(cls.cloud.close)

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="stratus-mount-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        DriveMountTest.people += 1
        email = f"person{self.people}@example.org"
        self.token, _ = self.cloud.session(email)
        self.dav = WebDAV(self.cloud, email)

    def mount(self, *options, name="device", cloud=None, token=None):
        mount = Mount(cloud or self.cloud, token or self.token, self.home / name, *options)
        self.addCleanup(mount.close)
        return mount.start()

    def test_write(self):
        m = self.mount()
        (m.point / "a.txt").write_bytes(b"hello")
        self.assertEqual(self.dav.get("a.txt"), b"hello")
        (m.point / "a.txt").write_bytes(b"more")
        self.assertEqual(self.dav.get("a.txt"), b"more")


if __name__ == "__main__":
    unittest.main()
