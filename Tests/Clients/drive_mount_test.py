"""`stratus drive mount` through the kernel, with ordinary programs.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import contextlib
import ctypes
import errno
import hashlib
import http.server
import json
import mmap
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import types
import unicodedata
import unittest

import requests

from cloud import CONTAINER, Cloud
from files import FilesTest, WebDAV, environment

MEBIBYTE = 1 << 20
FOLDER_DEPTH = 256


class Mount:
    """A running `stratus drive mount` with a home of its own."""

    def __init__(self, cloud, token, directory, *options):
        self.directory = directory
        self.point = directory / "mount"
        self.point.mkdir(parents=True, exist_ok=True)
        self.environment = environment(cloud, token, directory)
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

    def kill_process(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def kill(self):
        self.kill_process()
        subprocess.run(["fusermount3", "-u", "-z", str(self.point)], check=True, capture_output=True)

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop()
        subprocess.run(["fusermount3", "-u", "-z", str(self.point)], capture_output=True)
        if self.process:
            self.process.stdout.close()
        self.log.close()

    def memory(self):
        """The most memory that the process has had, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))

    @property
    def contents(self):
        """The files of the cache."""
        return [path for path in (self.directory / ".cache" / "stratus" / "mount").glob("*/*/contents/*")]


def can_mount():
    return os.access("/dev/fuse", os.R_OK | os.W_OK) and shutil.which("fusermount3")


@unittest.skipUnless(can_mount(), "there is no usable /dev/fuse, or no fusermount3")
class DriveMountTest(FilesTest):
    def mount(self, *options, name="device", cloud=None, token=None):
        mount = Mount(cloud or self.cloud, token or self.token, self.home / name, *options)
        self.addCleanup(mount.close)
        mount.start()
        return mount

    def mount_elsewhere(self):
        """A second device of the same person."""
        return self.mount(name="elsewhere")

    def until(self, condition):
        """Waits for something that another process does and tells nobody."""
        while not condition():
            threading.Event().wait(0.02)

    def assert_fails(self, number, body, *arguments):
        with self.assertRaises(OSError) as caught:
            body(*arguments)
        self.assertEqual(errno.errorcode[caught.exception.errno], errno.errorcode[number])

    def run_program(self, *words, **options):
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, **options)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def make_tree(self, root, count):
        source = random.Random(11)
        for number in range(count):
            folder = root / f"folder {number % 17}" / f"Übung {number % 5}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"file {number}.bin").write_bytes(source.randbytes(source.choice([0, 1, 100, 5000])))
        (root / "program").write_text("#!/bin/sh\n")
        (root / "program").chmod(0o755)
        (root / "link").symlink_to("folder 1/nowhere")

    def assert_same(self, one, other):
        self.assertEqual(self.run_program("diff", "-r", "--no-dereference", one, other), "")

    # MARK: Programs

    def test_programs_write_read_rename_and_delete(self):
        mount, here = self.mount().point, self.home / "here"
        here.mkdir()
        self.make_tree(here, 60)
        self.run_program("cp", "-r", here, mount / "copied")
        self.run_program("mv", mount / "copied", mount / "moved")
        self.assert_same(here, mount / "moved")
        self.run_program("rsync", "-a", "--no-owner", "--no-group", f"{here}/", mount / "synchronized/")
        again = self.run_program("rsync", "-ai", "--no-owner", "--no-group", f"{here}/", mount / "synchronized/")
        self.assertEqual([line for line in again.splitlines() if line.startswith(">f")], [])
        other = self.mount_elsewhere().point
        self.assert_same(here, other / "moved")
        self.assert_same(here, other / "synchronized")
        self.assertTrue(os.access(other / "moved" / "program", os.X_OK))
        self.assertFalse(os.access(other / "moved" / "folder 1" / "Übung 1" / "file 1.bin", os.X_OK))
        self.assertEqual(os.readlink(other / "moved" / "link"), "folder 1/nowhere")
        self.run_program("rm", "-r", mount / "moved", mount / "synchronized")
        self.assertEqual(os.listdir(mount), [])
        self.until(lambda: os.listdir(other) == [])

    def test_git_keeps_a_repository(self):
        mount = self.mount().point
        git = ["git", "-C", mount, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c",
               "safe.directory=*", "-c", "gc.auto=0"]
        self.run_program(*git, "init", "--quiet")
        for number in range(3):
            (mount / "a.txt").write_text(f"version {number}\n")
            self.run_program(*git, "add", ".")
            self.run_program(*git, "commit", "--quiet", "-m", f"commit {number}")
        other = self.mount_elsewhere().point
        for point in (mount, other):
            git[2] = point
            self.run_program(*git, "fsck", "--strict")
            self.assertEqual(self.run_program(*git, "status", "--porcelain"), "")
            self.assertEqual(len(self.run_program(*git, "log", "--oneline").splitlines()), 3)

    def test_a_thousand_files(self):
        mount = self.mount().point
        folder = mount / "many"
        folder.mkdir()
        for number in range(1000):
            (folder / f"{number}.txt").write_bytes(b"%d" % number)
        self.assertEqual(sorted(os.listdir(folder)), sorted(f"{number}.txt" for number in range(1000)))
        other = self.mount_elsewhere().point / "many"
        self.assertEqual({path.name: path.read_bytes() for path in other.iterdir()},
                         {f"{number}.txt": b"%d" % number for number in range(1000)})
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        self.assertIsNone(self.dav.get("many/1.txt"))

    def test_a_large_file_needs_little_memory(self):
        size = 200 * MEBIBYTE
        one = self.mount()
        piece = random.Random(3).randbytes(MEBIBYTE)
        digest = hashlib.sha256()
        before = one.memory()
        with open(one.point / "large.bin", "wb") as file:
            for number in range(size // MEBIBYTE):
                block = number.to_bytes(8, "big") + piece[8:]
                digest.update(block)
                file.write(block)
        self.assertLess(one.memory() - before, 64 * MEBIBYTE)
        two = self.mount_elsewhere()
        before = two.memory()
        with open(two.point / "large.bin", "rb") as file:
            self.assertEqual(hashlib.file_digest(file, "sha256").digest(), digest.digest())
        self.assertLess(two.memory() - before, 64 * MEBIBYTE)

    def test_a_file_has_its_old_content_or_its_new_one(self):
        mount = self.mount().point
        (mount / "a.txt").write_bytes(b"old")
        with open(mount / "a.txt", "rb") as reader, open(mount / "a.txt", "r+b") as writer:
            writer.write(b"new content")
            writer.flush()
            self.assertEqual(self.dav.get("a.txt"), b"old")
        self.assertEqual(self.dav.get("a.txt"), b"new content")
        with open(mount / "a.txt", "r+b") as file, mmap.mmap(file.fileno(), 3) as memory:
            memory[:3] = b"NEW"
        self.until(lambda: self.dav.get("a.txt") == b"NEW content")
        os.truncate(mount / "a.txt", 3)
        self.assertEqual(self.dav.get("a.txt"), b"NEW")
        with open(mount / "a.txt", "ab") as file:
            file.write(b"er")
        self.assertEqual(self.dav.get("a.txt"), b"NEWer")

    def test_a_file_that_is_saved_by_a_rename_stays_the_same_item(self):
        mount = self.mount().point
        (mount / "report.txt").write_bytes(b"first")
        record = self.records()["report.txt"]["recordName"]
        for text in (b"second", b""):
            (mount / "report.tmp").write_bytes(text)
            os.rename(mount / "report.tmp", mount / "report.txt")
            self.assertEqual(self.dav.get("report.txt"), text)
            self.assertEqual((mount / "report.txt").read_bytes(), text)
        self.assertEqual(os.listdir(mount), ["report.txt"])
        self.until(lambda: list(self.records()) == ["report.txt"])
        self.assertEqual(self.records()["report.txt"]["recordName"], record)

    def records(self):
        """The records of all items, those of Recently Deleted, too, by their names."""
        done = subprocess.run(
            [self.cloud.binary, "query", "--type", "StratusFile", "--database", "private", "--email", self.email,
             "--zone", "_files", "--container", CONTAINER, "--environment", "development", "--data", self.cloud.data],
            text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return {record["fields"]["name"]["value"]: record for record in records}

    def test_calls_and_their_errors(self):
        mount = self.mount().point
        (mount / "folder").mkdir()
        (mount / "folder" / "a").write_bytes(b"a")
        (mount / "b").write_bytes(b"b")
        self.assert_fails(errno.ENOTEMPTY, os.rmdir, mount / "folder")
        self.assert_fails(errno.EEXIST, os.mkdir, mount / "folder")
        self.assert_fails(errno.EEXIST, os.symlink, "x", mount / "b")
        self.assert_fails(errno.ENOTDIR, os.rmdir, mount / "b")
        self.assert_fails(errno.EISDIR, os.unlink, mount / "folder")
        self.assert_fails(errno.EISDIR, os.rename, mount / "b", mount / "folder")
        self.assert_fails(errno.ENOTDIR, os.rename, mount / "folder", mount / "b")
        self.assert_fails(errno.EINVAL, os.rename, mount / "folder", mount / "folder" / "x")
        self.assert_fails(errno.ENAMETOOLONG, os.mkdir, mount / ("x" * 256))
        os.mkdir(mount / ("x" * 255))
        self.assert_fails(errno.EINVAL, os.mkdir, mount / "bell\a")
        self.assert_fails(errno.EILSEQ, os.mkdir, os.fsencode(mount) + b"/\xff")
        self.assert_fails(errno.EPERM, os.link, mount / "b", mount / "c")
        self.assert_fails(errno.EPERM, os.mkfifo, mount / "c")
        self.assert_fails(errno.EPERM, os.chown, mount / "b", os.getuid() + 1, -1)
        self.assert_fails(errno.EOPNOTSUPP, os.setxattr, mount / "b", "user.x", b"1")
        self.assert_fails(errno.EEXIST, self.rename, mount / "b", mount / "folder" / "a", 1)
        self.assert_fails(errno.EINVAL, self.rename, mount / "b", mount / "folder" / "a", 2)
        os.utime(mount / "b", ns=(0, 1_234_567_891_000_000))
        self.assertEqual(os.stat(mount / "b").st_mtime_ns, 1_234_567_891_000_000)
        os.rename(mount / "b", mount / "folder" / "a")
        self.assertEqual((mount / "folder" / "a").read_bytes(), b"b")
        with open(mount / "folder" / "a", "rb") as file:
            os.unlink(mount / "folder" / "a")
            self.assertEqual(file.read(), b"b")

    def rename(self, old, new, flags):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags) != 0:
            raise OSError(ctypes.get_errno(), "renameat2")

    def test_names_differ_in_more_than_case_and_form(self):
        mount = self.mount().point
        (mount / "Résumé.txt").write_bytes(b"1")
        for name in ("RÉSUMÉ.TXT", unicodedata.normalize("NFD", "résumé.txt")):
            self.assertEqual((mount / name).read_bytes(), b"1")
            self.assert_fails(errno.EEXIST, os.mkdir, mount / name)
        os.rename(mount / "Résumé.txt", mount / "résumé.TXT")
        self.assertEqual(os.listdir(mount), ["résumé.TXT"])
        self.assertEqual(self.dav.get("résumé.TXT"), b"1")

    # MARK: Other devices

    def test_changes_of_others_appear(self):
        mount = self.mount().point
        self.dav.put("a.txt", b"theirs")
        self.until(lambda: (mount / "a.txt").exists())
        self.assertEqual((mount / "a.txt").read_bytes(), b"theirs")
        with open(mount / "a.txt", "rb", buffering=0) as file:
            self.assertEqual(file.read(1), b"t")
            self.dav.put("a.txt", b"changed")
            self.until(lambda: (mount / "a.txt").read_bytes() == b"changed")
            # Whoever had it open reads on what they opened.
            self.assertEqual(file.read(), b"heirs")
        self.dav.do("MKCOL", "folder")
        self.dav.do("MOVE", "a.txt", Destination=self.dav.url + "folder/b.txt")
        self.until(lambda: (mount / "folder" / "b.txt").exists())
        # The kernel forgets the former name only after that.
        self.until(lambda: not (mount / "a.txt").exists())
        self.dav.do("DELETE", "folder")
        self.until(lambda: os.listdir(mount) == [])

    def test_what_is_written_outlives_a_deletion_elsewhere(self):
        mount = self.mount().point
        (mount / "a.txt").write_bytes(b"first")
        with open(mount / "a.txt", "r+b") as file:
            file.write(b"second")
            file.flush()
            self.dav.do("DELETE", "a.txt")
            self.until(lambda: not (mount / "a.txt").exists())
        self.assertEqual((mount / "a.txt").read_bytes(), b"second")
        self.assertEqual(self.dav.get("a.txt"), b"second")

    # MARK: The cache

    def test_the_cache_keeps_to_its_bound(self):
        for number in range(6):
            self.dav.put(f"{number}.bin", bytes([number]) * MEBIBYTE)
        mount = self.mount("--cache", "2M")
        for number in [0, 1, 2, 3, 4, 5, 0]:
            self.assertEqual((mount.point / f"{number}.bin").read_bytes(), bytes([number]) * MEBIBYTE)
            # Which is closed after the program has gone on.
            self.until(lambda: sum(path.stat().st_size for path in mount.contents) <= 2 * MEBIBYTE)
        self.assertEqual({path.read_bytes()[0] for path in mount.contents}, {5, 0})

    def test_offline_it_reads_what_is_cached_and_sends_changes_later(self):
        cloud, token, dav = self.own_cloud()
        for name in ("read.txt", "unread.txt", "moved.txt", "deleted.txt"):
            dav.put(name, name.encode())
        mount = self.mount(cloud=cloud, token=token)
        self.assertEqual((mount.point / "read.txt").read_bytes(), b"read.txt")
        cloud.stop()
        self.assertEqual((mount.point / "read.txt").read_bytes(), b"read.txt")
        self.assert_fails(errno.EIO, (mount.point / "unread.txt").read_bytes)
        self.assertEqual(len(os.listdir(mount.point)), 4)
        (mount.point / "folder").mkdir()
        (mount.point / "folder" / "new.txt").write_bytes(b"new")
        (mount.point / "read.txt").write_bytes(b"changed")
        os.rename(mount.point / "moved.txt", mount.point / "folder" / "moved.txt")
        os.unlink(mount.point / "deleted.txt")
        self.assertEqual((mount.point / "folder" / "new.txt").read_bytes(), b"new")
        # Without the server it also starts, with all that was written.
        self.assertEqual(mount.stop(), 0)
        mount.start()
        self.assertEqual((mount.point / "folder" / "new.txt").read_bytes(), b"new")
        cloud.start()
        self.until(lambda: dav.get("folder/new.txt") == b"new")
        self.until(lambda: dav.get("read.txt") == b"changed")
        self.until(lambda: dav.get("folder/moved.txt") == b"moved.txt")
        self.until(lambda: dav.get("deleted.txt") is None)
        self.assertEqual((mount.point / "unread.txt").read_bytes(), b"unread.txt")

    def test_what_was_not_sent_outlives_a_killed_mount(self):
        cloud, token, dav = self.own_cloud()
        mount = self.mount(cloud=cloud, token=token)
        (mount.point / "a.txt").write_bytes(b"sent")
        cloud.stop()
        (mount.point / "a.txt").write_bytes(b"closed")
        synchronized = open(mount.point / "b.txt", "wb")
        synchronized.write(b"on disk")
        synchronized.flush()
        os.fsync(synchronized.fileno())
        mount.kill()
        with self.assertRaises(OSError):
            synchronized.close()
        cloud.start()
        mount.start()
        self.until(lambda: dav.get("a.txt") == b"closed")
        self.until(lambda: dav.get("b.txt") == b"on disk")
        self.assertEqual((mount.point / "a.txt").read_bytes(), b"closed")

    def own_cloud(self, *options):
        """A server that the test may stop, with a person."""
        cloud = Cloud(*options, tls=False)
        self.addCleanup(cloud.close)
        token, _ = cloud.session("ada@example.org")
        return cloud, token, WebDAV(cloud, "ada@example.org")

    def test_a_program_that_only_reads_does_not_publish_what_another_is_writing(self):
        mount = self.mount()
        (mount.point / "a.bin").write_bytes(b"old")
        with open(mount.point / "a.bin", "rb") as reader:
            with open(mount.point / "a.bin", "wb", buffering=0) as writer:
                writer.write(b"one half")
                reader.close()
                self.assertEqual(self.dav.get("a.bin"), b"old")
                writer.write(b" and the other")
        self.assertEqual(self.dav.get("a.bin"), b"one half and the other")

    def test_without_room_programs_are_told_and_nothing_is_lost(self):
        cloud, token, dav = self.own_cloud("--private-asset-quota", "1M")
        mount = self.mount(cloud=cloud, token=token)
        (mount.point / "a.bin").write_bytes(b"small")
        self.assert_fails(errno.ENOSPC, (mount.point / "a.bin").write_bytes, bytes(2 * MEBIBYTE))
        self.assertEqual(dav.get("a.bin"), b"small")
        self.assertEqual((mount.point / "a.bin").read_bytes(), bytes(2 * MEBIBYTE))
        (mount.point / "a.bin").write_bytes(b"smaller")
        self.assertEqual(dav.get("a.bin"), b"smaller")

    def test_the_size_of_the_file_system_is_the_quota(self):
        cloud, token, _ = self.own_cloud("--private-asset-quota", "8M")
        mount = self.mount(cloud=cloud, token=token)
        room = os.statvfs(mount.point)
        self.assertEqual((room.f_blocks * room.f_frsize, room.f_bavail * room.f_frsize), (8 * MEBIBYTE, 8 * MEBIBYTE))
        (mount.point / "a.bin").write_bytes(bytes(2 * MEBIBYTE))
        room = os.statvfs(mount.point)
        self.assertEqual((room.f_blocks * room.f_frsize, room.f_bavail * room.f_frsize), (8 * MEBIBYTE, 6 * MEBIBYTE))
        answer = cloud.http().get(f"{cloud.base('public')}/users/fileRoom", params={"ckAPIToken": cloud.token})
        self.assertEqual((answer.status_code, answer.json()["serverErrorCode"]), (421, "AUTHENTICATION_REQUIRED"))

    # MARK: Starting and stopping

    def test_it_refuses_directories_that_are_in_use(self):
        mount = self.mount()
        (mount.point / "a").mkdir()
        self.assert_refused(mount, "is mounted already")
        full = Mount(self.cloud, self.token, self.home / "full")
        self.addCleanup(full.close)
        (full.point / "a").mkdir()
        self.assert_refused(full, "is not empty")
        shutil.rmtree(full.point)
        self.assert_refused(full, "No such file or directory")
        full.point.write_text("")
        self.assert_refused(full, "is not a directory")
        second = Mount(self.cloud, self.token, self.home / "second")
        self.addCleanup(second.close)
        second.environment["HOME"] = mount.environment["HOME"]
        self.assert_refused(second, "are mounted already, by another process")
        second.environment.pop("STRATUS_WEB_AUTH_TOKEN")
        self.assert_refused(second, "nobody is signed in")
        mount.kill_process()
        self.assert_refused(mount, "whose process has ended")

    def assert_refused(self, mount, words):
        done = subprocess.run(mount.command, env=mount.environment, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn(words, done.stderr)

    def test_it_unmounts_when_it_is_told_to_end(self):
        mount = self.mount()
        with open(mount.point / "a.txt", "wb") as file:
            file.write(b"not closed")
            file.flush()
            self.assertEqual(mount.stop(), 0)
            self.assertEqual(os.listdir(mount.point), [])
            self.assertEqual(self.dav.get("a.txt"), b"not closed")
            with contextlib.suppress(OSError):
                file.close()
        mount.start()
        self.assertEqual((mount.point / "a.txt").read_bytes(), b"not closed")
        self.run_program("fusermount3", "-u", mount.point)
        self.assertEqual(mount.process.wait(), 0)

    # MARK: Folders

    def test_a_folder_that_is_made_while_the_list_is_fetched_stays(self):
        with Proxy(self.cloud.url) as proxy:
            fetched, made, applied = threading.Event(), threading.Event(), threading.Event()
            fetches = []

            def before_answer(path):
                if path.endswith("/changes/zone"):
                    fetches.append(path)
                    # The first is fetched before the mount is ready.
                    if len(fetches) == 2:
                        fetched.set()
                        made.wait()
                elif path.endswith("/users/fileRoom") and made.is_set():
                    applied.set()

            proxy.before_answer = before_answer
            mount = self.mount(cloud=proxy.cloud(self.cloud))
            fetched.wait()
            (mount.point / "folder").mkdir()
            made.set()
            applied.wait()
            self.assertEqual(os.listdir(mount.point), ["folder"])
            mount.stop()

    def test_folders_that_two_devices_move_into_each_other_are_not_lost(self):
        cloud, token, dav = self.own_cloud()
        for name in ("a", "b"):
            dav.do("MKCOL", name)
            dav.put(f"{name}/file", name.encode())
        mount = self.mount(cloud=cloud, token=token)
        self.assertEqual(sorted(os.listdir(mount.point)), ["a", "b"])
        cloud.stop()
        os.rename(mount.point / "a", mount.point / "b" / "a")
        mount.stop()
        cloud.start()
        dav.do("MOVE", "b", Destination=f"/dav/{CONTAINER}/a/b")
        mount.start()
        self.until((mount.point / "a" / "b" / "file").exists)
        self.assertEqual((mount.point / "a" / "file").read_bytes(), b"a")
        self.assertEqual(dav.get("a/b/file"), b"b")

    def test_folders_are_as_deep_as_the_server_takes_them(self):
        mount = self.mount()
        descriptor = os.open(mount.point, os.O_RDONLY)
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: os.close(descriptor))
            depth = 0
            while True:
                try:
                    os.mkdir("d", dir_fd=descriptor)
                except OSError as error:
                    self.assertEqual(errno.errorcode[error.errno], "ENAMETOOLONG")
                    break
                inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
                depth += 1
            # The last has as many around it as anything may have.
            self.assertEqual(depth, FOLDER_DEPTH + 1)
            with self.assertRaises(OSError):
                os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
            file = os.open("../f", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
            os.write(file, b"deepest")
            os.close(file)
        self.until(lambda: self.dav.get("d/" * FOLDER_DEPTH + "f") == b"deepest")

    # MARK: A slow server

    def test_a_program_that_waits_for_a_content_can_be_interrupted(self):
        self.dav.put("slow", b"content")
        with Proxy(self.cloud.url) as proxy:
            asked, released = threading.Event(), threading.Event()

            def before_answer(path):
                if "/assets/download/" in path:
                    asked.set()
                    released.wait()

            proxy.before_answer = before_answer
            mount = self.mount(cloud=proxy.cloud(self.cloud))
            # A shell lets programs in the background ignore the signal, and these tests with them.
            reader = subprocess.Popen(
                ["cat", mount.point / "slow"], stdout=subprocess.PIPE,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            asked.wait()
            reader.send_signal(signal.SIGINT)
            self.assertEqual(reader.wait(), -signal.SIGINT)
            reader.stdout.close()
            # Others are served meanwhile, and afterwards.
            self.assertEqual(os.listdir(mount.point), ["slow"])
            released.set()
            self.assertEqual((mount.point / "slow").read_bytes(), b"content")
            self.assertEqual(mount.stop(), 0)

    # MARK: A hostile server

    def test_answers_of_a_hostile_server_are_ignored(self):
        for name in ("slash-name", "dotdot-name", "fine", "forged"):
            self.dav.put(name, b"content of " + name.encode())
        with Proxy(self.cloud.url) as proxy:
            proxy.replacements = [
                (b'"slash-name"', b'"../../slash"'), (b'"dotdot-name"', b'".."'),
                (b"content of forged", b"CONTENT OF FORGED"),
            ]
            mount = self.mount(cloud=proxy.cloud(self.cloud))
            self.assertEqual(sorted(os.listdir(mount.point)), ["fine", "forged"])
            self.assertEqual((mount.point / "fine").read_bytes(), b"content of fine")
            self.assert_fails(errno.EIO, (mount.point / "forged").read_bytes)
            proxy.replacements = []
            self.assertEqual((mount.point / "forged").read_bytes(), b"content of forged")
            mount.stop()


class Proxy:
    """Stands between the mount and the server, and changes what the server answers."""

    def __init__(self, url):
        self.replacements = []
        # Called with the path of each request before its answer is passed on.
        self.before_answer = lambda path: None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: value for name, value in self.headers.items()
                           if name.lower() not in ("host", "accept-encoding", "content-length")}
                session = requests.Session()
                session.trust_env = False
                answer = session.request(self.command, url + self.path, headers=headers, data=body)
                content = answer.content.replace(url.encode(), proxy.url.encode())
                proxy.before_answer(self.path.split("?")[0])
                for old, new in proxy.replacements:
                    content = content.replace(old, new)
                self.send_response(answer.status_code)
                for name, value in answer.headers.items():
                    if name.lower() not in ("content-length", "content-encoding", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                # Whoever asks for notifications may be gone when the answer comes.
                with contextlib.suppress(BrokenPipeError):
                    self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def cloud(self, cloud):
        """The same server at the proxy's address."""
        return types.SimpleNamespace(url=self.url, token=cloud.token, binary=cloud.binary)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    unittest.main()
