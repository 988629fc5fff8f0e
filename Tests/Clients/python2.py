"""What a module written for Python 2 takes for granted, for one that is to run as it is.

In Python 2 a string is bytes. `borrow_strings` gives a module its own `hashlib`, `base64` and `tempfile`, which take
and give strings where those of Python 3 insist on bytes. Nothing of the module is changed, and nothing outside of it.
"""

import base64
import hashlib
import tempfile
import types


def as_bytes(value):
    return value.encode("utf-8") if isinstance(value, str) else value


def temporary_file():
    file = tempfile.NamedTemporaryFile()
    write = file.write
    file.write = lambda value: write(as_bytes(value))
    return file


def borrow_strings(module):
    """Lets `module` use strings for bytes."""
    module.hashlib = types.SimpleNamespace(sha256=lambda value=b"": hashlib.sha256(as_bytes(value)))
    module.base64 = types.SimpleNamespace(
        b64encode=lambda value: base64.b64encode(as_bytes(value)).decode("ascii"))
    module.tempfile = types.SimpleNamespace(NamedTemporaryFile=temporary_file)
