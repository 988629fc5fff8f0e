"""LevelDB itself, by PyPI's plyvel, on the tables that the server's own code writes, and the other way round.

Run as the other tests of this folder.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import plyvel

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTAINER = ["--container", "iCloud.org.example.tables", "--environment", "development"]
COUNT = 3000


class LevelDBTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="stratus-leveldb-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.data = os.path.join(self.directory, "data")
        self.database = os.path.join(self.data, "stratus.leveldb")
        rows = os.path.join(self.directory, "rows.jsonl")
        with open(rows, "w") as file:
            for number in range(COUNT):
                fields = {"title": {"value": f"Title {number * 7919 % COUNT}"},
                          "body": {"value": "text " * (number % 200)}}
                record = {"recordName": f"row-{number}", "recordType": "Row", "fields": fields}
                file.write(json.dumps(record) + "\n")
        self.tool("container", "create", CONTAINER[1], "--create-data")
        self.tool("account", "create", "--email", "a@example.org", "--password-stdin", input="correct horse battery\n")
        self.tool("import", rows, "--type", "Row", "--email", "a@example.org", "--database", "public", *CONTAINER)

    def run_tool(self, *arguments, input=None):
        binary = os.environ.get("STRATUS_BINARY", str(ROOT / ".build" / "debug" / "stratus"))
        return subprocess.run(
            [binary, *arguments, "--data", self.data], input=input, text=True, capture_output=True)

    def tool(self, *arguments, input=None):
        done = self.run_tool(*arguments, input=input)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def export(self):
        return self.tool("export", "--type", "Row", "--database", "public", *CONTAINER).splitlines()

    def test_leveldb_reads_what_is_written(self):
        copy = os.path.join(self.directory, "copy")
        shutil.copytree(self.database, copy)
        self.assertTrue([name for name in os.listdir(copy) if name.endswith(".ldb")])
        opened = plyvel.DB(copy, paranoid_checks=True)
        self.addCleanup(opened.close)
        rows = list(opened.iterator(verify_checksums=True))
        self.assertGreater(len(rows), 3 * COUNT)
        self.assertEqual(list(opened.iterator(reverse=True, verify_checksums=True)), rows[::-1])
        for key, value in rows:
            self.assertEqual(opened.get(key, verify_checksums=True), value)
            self.assertIsNone(opened.get(key + b"\0", verify_checksums=True))

    def let_leveldb_write_it(self, compression):
        """The same rows, in tables and a manifest that LevelDB writes, with its filter of all rows."""
        theirs = os.path.join(self.directory, "theirs")
        copy = plyvel.DB(
            theirs, create_if_missing=True, bloom_filter_bits=10, compression=compression, write_buffer_size=65536,
            max_file_size=1048576)
        ours = plyvel.DB(self.database, paranoid_checks=True)
        for key, value in ours:
            copy.put(key, value)
        copy.compact_range()
        copy.close()
        ours.close()
        for name in os.listdir(self.database):
            if name != "FORMAT":
                os.remove(os.path.join(self.database, name))
        for name in os.listdir(theirs):
            shutil.move(os.path.join(theirs, name), self.database)

    def test_what_leveldb_writes_is_read(self):
        before = self.export()
        self.assertEqual(len(before), COUNT)
        self.let_leveldb_write_it(compression=None)
        self.assertEqual(self.export(), before)

    def test_compressed_tables_are_told_as_such(self):
        self.let_leveldb_write_it(compression="snappy")
        done = self.run_tool("export", "--type", "Row", "--database", "public", *CONTAINER)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("compressed", done.stderr)


if __name__ == "__main__":
    unittest.main()
