"""What the tests of a person's files on a machine share."""

import os
import pathlib
import shutil
import tempfile
import unittest

from cloud import CONTAINER, Cloud


def environment(cloud, token, home):
    """The variables of a program on a machine on which a person is signed in."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "STRATUS_URL": cloud.url, "STRATUS_CONTAINER": CONTAINER,
        "STRATUS_ENVIRONMENT": "development", "STRATUS_API_TOKEN": cloud.token, "STRATUS_WEB_AUTH_TOKEN": token,
    }


class WebDAV:
    """The same files through the server."""

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


class FilesTest(unittest.TestCase):
    """Each test has a person of its own, and a directory for their machines."""

    people = 0

    @classmethod
    def setUpClass(cls):
        cls.cloud = Cloud(tls=False)
        cls.addClassCleanup(cls.cloud.close)

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="stratus-files-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        type(self).people += 1
        self.email = f"person{self.people}@example.org"
        self.token, _ = self.cloud.session(self.email)
        self.dav = WebDAV(self.cloud, self.email)
