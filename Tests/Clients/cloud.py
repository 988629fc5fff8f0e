"""A running server for tests of clients: served over TLS, with a container, two people and a key."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTAINER = "iCloud.org.example.clients"
CONTEXT = ["--container", CONTAINER, "--environment", "development"]


class Cloud:
    """Starts `stratus serve` on a data directory of its own; `close` ends it."""

    def __init__(self, *options, log=subprocess.DEVNULL, tls=True):
        self.directory = tempfile.mkdtemp(prefix="stratus-clients-")
        self.binary = os.environ.get("STRATUS_BINARY", str(ROOT / ".build" / "debug" / "stratus"))
        self.certificate = os.path.join(self.directory, "certificate.pem") if tls else None
        security = self.make_certificate() if tls else []
        self.data = os.path.join(self.directory, "data")
        self.options = [*security, *options]
        # The log is worth nothing to most tests, and would stand between the results.
        self.log = log
        self.url = self.start("0")
        self.tool("container", "create", CONTAINER)
        self.token = self.tool("token", "create", *CONTEXT)["token"]

    def start(self, port=None):
        """Starts the server, again at the same address if it was stopped, and gives its address."""
        port = port or self.url.rsplit(":", 1)[1]
        self.server = subprocess.Popen(
            [self.binary, "serve", "--data", self.data, "--port", port, *self.options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.server.stdout.readline()
        if not line.startswith("listening on "):
            self.close()
            raise RuntimeError(f"the server did not start: {line!r}")
        return line.split()[-1]

    def stop(self):
        """Stops the server; its data stays."""
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()

    def make_certificate(self):
        """Makes a certificate for this machine, and gives the options that serve with it."""
        key = os.path.join(self.directory, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
             "-out", self.certificate], check=True, capture_output=True)
        return ["--tls-cert", self.certificate, "--tls-key", key]

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()
        if self.server.stderr:
            self.server.stderr.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def tool(self, *arguments, input=None):
        """Runs the tool and gives the object that it prints."""
        command = [self.binary, *arguments, "--data", self.data, "--json"]
        done = subprocess.run(command, input=input, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return json.loads(done.stdout)

    def session(self, email):
        """A new account, signed in: its web auth token and its user record name."""
        self.tool("account", "create", "--email", email, "--password-stdin", input="correct horse battery\n")
        made = self.tool("session", "create", "--email", email, *CONTEXT)
        return made["webAuthToken"], made["userRecordName"]

    def http(self):
        """A session that trusts this server, whatever the environment says of certificates and proxies."""
        session = requests.Session()
        session.trust_env = False
        session.verify = self.certificate
        return session

    def key(self):
        """A new server-to-server key: its identifier and the file that it lies in."""
        made = self.tool("key", "create", *CONTEXT, "--output", os.path.join(self.directory, "server.pem"))
        return made["keyID"], made["privateKeyFile"]

    def base(self, scope):
        """What clients take for the address of a database."""
        return f"{self.url}/database/1/{CONTAINER}/development/{scope}"
