# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of oct-dicom: Orthanc and other programs that are real."""
import contextlib
import json
import shutil
import subprocess
import urllib.request

import tap
from dicom_peer import free_port, make_object, run
from tap import Skip


def need_program(name):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed")


@contextlib.contextmanager
def program(folder, *arguments):
    with open(folder / (arguments[0] + ".log"), "w") as log, subprocess.Popen(
            [str(each) for each in arguments], cwd=folder, stdout=log,
            stderr=log) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(folder, peer, *more):
    def answers():
        return "answers" in run("echo", "--peer", peer, *more, cwd=folder,
                                status=None)[0]
    tap.until(f"{peer} answers", answers)


@contextlib.contextmanager
def orthanc(folder, report_port):
    need_program("Orthanc")
    web, port = free_port(), free_port()
    (folder / "orthanc.json").write_text(json.dumps({
        "StorageDirectory": str(folder / "store"), "HttpPort": web,
        "IndexDirectory": str(folder / "store"), "DicomPort": port,
        "DicomAet": "ORTHANC", "DicomCheckCalledAet": True,
        "RemoteAccessAllowed": False, "AuthenticationEnabled": False,
        "DicomAlwaysAllowStore": True, "SynchronousCMove": False, "Plugins": [],
        "DicomModalities": {"oct": ["OCT", "127.0.0.1", report_port]}}))
    with program(folder, "Orthanc", "orthanc.json"):
        peer = f"ORTHANC@127.0.0.1:{port}"
        wait_for(folder, peer)
        yield peer, f"http://127.0.0.1:{web}"


def instances(address):
    """SOP instance UIDs that it has, each as often as it has it."""
    with urllib.request.urlopen(f"{address}/instances?expand") as answer:
        return sorted(each["MainDicomTags"]["SOPInstanceUID"]
                      for each in json.load(answer))


def make_objects(folder, count):
    uids = [f"2.25.{10000 + i}" for i in range(count)]
    for uid in uids:
        make_object(folder / f"{uid}.dcm", uid)
    return uids


def names(uids):
    return [f"{uid}.dcm" for uid in uids]
