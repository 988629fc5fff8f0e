"""Measures `stratus drive mount` with a folder of many items: time and memory of what programs do there.

Run with the tests' virtual environment, with a release build: .venv/bin/python Tests/Clients/mount_figures.py
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

from cloud import Cloud
from drive_mount_test import Mount
from files import WebDAV

EMAIL = "ada@example.org"
BATCH = 200
MEBIBYTE = 1 << 20


def make_items(cloud, token, count):
    """Makes a folder `many` of empty files on the server."""
    session = cloud.http()
    query = {"ckAPIToken": cloud.token, "ckWebAuthToken": token}

    def create(fields, name):
        return {"operationType": "create",
                "record": {"recordName": f"id-{name}", "recordType": "StratusFile", "fields": fields}}

    def save(operations):
        answer = session.post(cloud.base("private") + "/records/modify", params=query,
                              json={"zoneID": {"zoneName": "_files"}, "operations": operations})
        answer.raise_for_status()
        for record in answer.json()["records"]:
            if "serverErrorCode" in record:
                raise RuntimeError(record)

    save([create({"name": {"value": "many"}, "kind": {"value": "folder"}}, "many")])
    folder = {"value": {"recordName": "id-many", "action": "DELETE_SELF"}}
    for start in range(0, count, BATCH):
        names = [f"file number {number}.txt" for number in range(start, min(count, start + BATCH))]
        save([create({"name": {"value": name}, "kind": {"value": "file"}, "folder": folder}, name) for name in names])


class Measure:
    def __init__(self, mount):
        self.mount = mount

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.mount.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith(name + ":"))

    def processor_time(self):
        fields = pathlib.Path(f"/proc/{self.mount.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __call__(self, title, body, times=1):
        before, start = self.processor_time(), time.monotonic()
        for number in range(times):
            body(number)
        took, used = time.monotonic() - start, self.processor_time() - before
        print(f"{title}: {1000 * took / times:.2f} ms, processor {1000 * used / times:.2f} ms, "
              f"memory {self.status('VmRSS') / MEBIBYTE:.0f} MiB", flush=True)

    def show(self, title, start):
        print(f"{title}: {time.monotonic() - start:.1f} s, processor {self.processor_time():.1f} s, "
              f"memory {self.status('VmRSS') / MEBIBYTE:.0f} MiB, at most {self.status('VmHWM') / MEBIBYTE:.0f} MiB",
              flush=True)


def measure(cloud, count, idle):
    token, _ = cloud.session(EMAIL)
    dav = WebDAV(cloud, EMAIL)
    make_items(cloud, token, count)
    with tempfile.TemporaryDirectory(prefix="stratus-mount-") as directory:
        mount = Mount(cloud, token, pathlib.Path(directory))
        try:
            start = time.monotonic()
            mount.start()
            one = Measure(mount)
            one.show("the first mount, with the list from the server", start)
            programs(one, mount.point, dav)
            before = one.processor_time()
            time.sleep(idle)
            print(f"idle: {100 * (one.processor_time() - before) / idle:.3f} % of a core", flush=True)
            mount.stop()
            start = time.monotonic()
            mount.start()
            one.show("the next mount, with the list from the disk", start)
        finally:
            mount.close()


def programs(one, point, dav):
    folder = point / "many"

    def save(number):
        (point / "save.tmp").write_bytes(b"%d" % number)
        os.rename(point / "save.tmp", point / "saved.txt")

    def see(number):
        dav.put(f"theirs {number}.txt", b"x")
        while not (point / f"theirs {number}.txt").exists():
            time.sleep(0.001)

    one("list the names", lambda _: os.listdir(folder), 3)
    one("list names and attributes (ls -l)", lambda _: subprocess.run(
        ["ls", "-l", folder], check=True, stdout=subprocess.DEVNULL), 3)
    one("open and close the folder", lambda _: os.close(os.open(folder, os.O_DIRECTORY)), 100)
    one("stat of one item", lambda number: os.stat(folder / f"file number {number}.txt"), 100)
    one("open and read one item", lambda number: (folder / f"file number {number}.txt").read_bytes(), 100)
    one("write a new file", lambda number: (point / f"new {number}.txt").write_bytes(b"x"), 20)
    one("save a file by a rename", save, 20)
    one("see a file of another device", see, 5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--idle", type=float, default=60, help="seconds in which nothing happens")
    options = parser.parse_args()
    cloud = Cloud(tls=False)
    try:
        measure(cloud, options.items, options.idle)
    finally:
        cloud.close()


if __name__ == "__main__":
    main()
