"""The vectors in the documentation, which the SDK's own tests use, are what another implementation comes to.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
"""

import json
import pathlib
import unittest

import encryption_vectors

FILE = pathlib.Path(__file__).parents[2] / "Documentation" / "sdk" / "encryption-vectors.json"


class EncryptionVectorsTest(unittest.TestCase):
    def test_vectors(self):
        self.assertEqual(json.loads(FILE.read_text()), encryption_vectors.vectors())


if __name__ == "__main__":
    unittest.main()
