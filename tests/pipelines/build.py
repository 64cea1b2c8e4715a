# SPDX-License-Identifier: LGPL-2.1-or-later
"""The builds of the scripts of pipelines/: nothing for GPUs if there is none,
DICOM if it is asked for.  Meson, ninja and nvcc are stand-ins that write down
how they were called, except in the last test, which asks the real ones what
they would do."""
import os
import pathlib
import re
import select
import shutil
import subprocess

import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAND_INS = {
    # as the real one, it makes the folder
    "meson": 'folder=$2; [ "$2" != --reconfigure ] || folder=$3\n'
             'if [ "$1" = setup ]; then mkdir -p "$folder" && '
             'cat "$CALLS.dcmtk" >"$folder/build.ninja" 2>/dev/null; '
             'fi\ngrep -q fail "$CALLS.fail" 2>/dev/null && exit 1',
    "ninja": '[ -d "$2/pipelines" ] || '
             '{ echo "[ 50%] cc a.c"; echo "[100%] cc b.c"; }\n'
             '[ ! -s "$CALLS.broken" ] || exit 1\nprogram=$2/${!#}\n'
             'mkdir -p "$2/pipelines" && printf "#!/bin/sh\\necho ran" '
             '>"$program" && chmod +x "$program"',
    "nvcc": "",
    # a computer that has GPUs without it, as Jetsons were
    "nvidia-smi": '[ -s "$CALLS.gpus" ] || exit 9\ncat "$CALLS.gpus"',
    # everything is installed
    "dpkg-query": 'shift 2; printf "%s installed\\n" "$@"',
}


def stand_in(folder, name, text):
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n{text}\nexit 0\n')
    path.chmod(0o755)


class Computer:
    """One without a GPU and with the CUDA toolkit, `devices` is what is in its
    /dev and /proc."""

    def __init__(self, folder, *real):
        self.folder = folder
        self.devices = self.folder / "devices"
        self.devices.mkdir()
        self.build = self.folder / "build"
        self.calls = self.folder / "calls"
        for name, text in STAND_INS.items():
            if name not in real:
                stand_in(self.folder, name, text)

    def add(self, device):
        path = self.devices / device
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def demo(self, status=0, terminal=None, **environment):
        return self.run("demo.sh", status=status, terminal=terminal,
                        **environment)

    def run(self, *line, status=0, terminal=None, **environment):
        """Runs a script of pipelines/.  Returns (what was printed, how meson
        was called)."""
        self.calls.write_text("")
        result = subprocess.run(
            ["bash", ROOT / "pipelines" / line[0], *line[1:]],
            cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, timeout=120, stderr=subprocess.PIPE,
            stdout=subprocess.PIPE if terminal is None else terminal,
            env={key: value for key, value in os.environ.items()
                 if key != "OCT_CUDA"} | {
                "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                "OCT_BUILD_DIR": str(self.build), "CALLS": str(self.calls),
                "OCT_TEST_DEVICES": str(self.devices)} | environment)
        text = (result.stdout or "") + result.stderr
        assert result.returncode == status, text
        assert status or terminal or text.endswith("ran\n"), text
        calls = self.calls.read_text().splitlines()
        assert not [call for call in calls if call.startswith("nvcc")], calls
        self.architectures = [
            found for call in calls for found in
            re.findall(r"^meson.* -Dgpu_architectures=(\S+)$", call)]
        calls = [re.sub(r" -Dgpu_architectures=\S+$", "", call)
                 for call in calls]
        return text, [call for call in calls if call.startswith("meson")]


def test_no_gpu(folder):
    here = Computer(folder)
    text, calls = here.demo()
    assert calls == [f"meson setup {here.build} {ROOT} -Dtests=disabled -Dcuda=disabled"], calls
    assert len(text.splitlines()) == 5, text
    assert "no NVIDIA GPU" in text and "OCT_CUDA=auto" in text, text
    # and nothing is said or set up the second time
    assert here.demo() == ("ran\n", [])


def test_help(folder):
    """Nothing is set up or built for it.  The options are those of the program, if
    it is there."""
    here = Computer(folder)
    for script, program in (("demo", "oct-demo"), ("record", "oct-record"),
                            ("live", "live/oct-live"), ("convert", "oct-convert"),
                            ("calibrate", "oct-calibrate")):
        def ask(option):
            here.calls.write_text("")
            text = subprocess.run(
                ["bash", ROOT / "pipelines" / f"{script}.sh", "--other", option],
                cwd=folder, text=True, check=True, stdout=subprocess.PIPE, timeout=120,
                env=os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}",
                                  "OCT_BUILD_DIR": str(here.build),
                                  "CALLS": str(here.calls)}).stdout
            assert here.calls.read_text() == "", here.calls.read_text()
            assert f"Usage: pipelines/{script}.sh" in text and "Example" in text, text
            return text

        text = ask("--help")
        assert text.endswith("after the first start, which builds the program.\n"), text
        built = here.build / "pipelines" / program
        built.parent.mkdir(parents=True, exist_ok=True)
        built.write_text("#!/bin/sh\n[ \"$*\" = --help ] && printf 'Usage:\\n  it\\n\\n"
                         "It does.\\n\\nSource:\\n  --new=N   Something\\n\\n"
                         "Help:\\n  -h, --help\\n'\n")
        built.chmod(0o755)
        text = ask("-h")
        assert text.endswith("\n\nSource:\n  --new=N   Something\n\nHelp:\n"
                             "  -h, --help\n"), text
        assert "Usage:\n  it" not in text and "It does." not in text, text


def test_gpus(folder):
    for number, device in enumerate((
            "dev/nvidia0", "dev/nvidia3", "dev/dxg", "dev/nvhost-gpu",
            "dev/nvgpu", "proc/driver/nvidia/gpus/0000:01:00.0")):
        home = folder / str(number)
        home.mkdir()
        here = Computer(home)
        here.add(device)
        text, calls = here.demo()
        assert calls == [f"meson setup {here.build} {ROOT} -Dtests=disabled -Dcuda=auto"], calls
        assert "GPU" not in text, text


def test_architectures(folder):
    """Compiled for the GPUs that are here, and again when another one is."""
    here = Computer(folder)
    here.add("dev/nvidia0")
    here.demo()
    assert here.architectures == ["native"], here.architectures
    gpus = pathlib.Path(f"{here.calls}.gpus")
    gpus.write_text("9.0\n8.6\n9.0\n12.0\n")
    assert here.demo()[1] == [f"meson configure {here.build} -Dcuda=auto"]
    assert here.architectures == ["86,90,120"], here.architectures
    assert here.demo() == ("ran\n", [])
    # too old for this: nvcc says what it thinks of it
    gpus.write_text("6.1\n8.6\n")
    here.demo()
    assert here.architectures == ["native"], here.architectures
    # for another computer
    here.demo(OCT_CUDA="auto")
    assert here.architectures == ["all-major"], here.architectures
    here.demo(OCT_CUDA="disabled")
    assert here.architectures == [], here.architectures


def test_driver_without_gpu(folder):
    here = Computer(folder)
    here.add("dev/nvidiactl")
    here.add("dev/nvidia-uvm")
    assert "-Dcuda=disabled" in here.demo()[1][0]


def test_gpu_comes_later(folder):
    here = Computer(folder)
    here.demo()
    here.add("dev/nvidia0")
    text, calls = here.demo()
    assert calls == [f"meson configure {here.build} -Dcuda=auto"], calls
    assert "again" in text, text
    assert here.demo() == ("ran\n", [])
    # built for it, it stays so
    (here.devices / "dev" / "nvidia0").unlink()
    assert here.demo() == ("ran\n", [])


def test_folder_of_somebody_else(folder):
    here = Computer(folder)
    (here.build / "pipelines").mkdir(parents=True)  # and nothing is to be built
    (here.build / "build.ninja").touch()
    assert here.demo() == ("ran\n", [])
    here.add("dev/nvidia0")
    assert here.demo() == ("ran\n", [])


def test_asked_for(folder):
    here = Computer(folder)
    for wanted, action in (("enabled", "setup"), ("disabled", "configure"),
                           ("auto", "configure")):
        text, (call,) = here.demo(OCT_CUDA=wanted)
        assert call.startswith(f"meson {action}"), call
        assert call.endswith(f"-Dcuda={wanted}"), call
        assert "no NVIDIA GPU" not in text, text
        assert here.demo(OCT_CUDA=wanted) == ("ran\n", [])
    assert here.demo() == ("ran\n", [])


def test_wrong_word(folder):
    here = Computer(folder)
    text, calls = here.demo(OCT_CUDA="yes", status=2)
    assert not calls and not here.build.exists()
    assert "'yes'" in text and "enabled" in text, text


def test_set_up_fails(folder):
    here = Computer(folder)
    here.demo()
    pathlib.Path(f"{here.calls}.fail").write_text("fail")
    here.add("dev/nvidia0")
    text, _ = here.demo(status=1)
    assert "could not be set up" in text, text
    # tried again, not taken for done
    pathlib.Path(f"{here.calls}.fail").unlink()
    assert "-Dcuda=auto" in here.demo()[1][0]


def test_progress(folder):
    """In one place on a terminal, else in lines; and what failed is seen."""
    here = Computer(folder)
    text, _ = here.demo()
    assert "  50% of the build is done\n" in text and "\r" not in text, text
    for broken, status in (("", 0), ("yes", 1)):
        pathlib.Path(f"{here.calls}.broken").write_text(broken)
        shutil.rmtree(here.build / "pipelines")
        master, slave = os.openpty()
        text, _ = here.demo(status, terminal=slave)
        os.close(slave)
        shown = b""
        while select.select([master], [], [], 1)[0]:
            try:
                shown += os.read(master, 4096)
            except OSError:  # nobody can write to it any more
                break
        os.close(master)
        assert b"\r  50% \r  100% " in shown, shown
        assert ("[ 50%] cc a.c" in text) == bool(broken), text
        assert ("The build failed" in text) == bool(broken), text


def test_dicom(folder):
    """Its packages come, and a build is set up again, only where it is asked
    for; one that does not find it says so."""
    here = Computer(folder)
    dcmtk = pathlib.Path(f"{here.calls}.dcmtk")
    again = [f"meson setup --reconfigure {here.build} {ROOT}"]

    def convert(*options, status=0):
        text, calls = here.run("convert.sh", "x.npy", "--output", "o", *options,
                               status=status)
        asked = here.calls.read_text()
        assert ("libdcmtk-dev" in asked) == ("g++" in asked)
        return text, calls, "libdcmtk-dev" in asked

    for other in ((), ("--format", "nii"), ("--dicom-tags", "dcm"),
                  ("--format=dcmx",)):
        _, calls, asked = convert(*other)
        assert not asked and again[0] not in calls, (other, calls)
    text, calls, asked = convert("--format", "dcm", status=1)
    assert asked and calls == again, calls
    assert "cannot write DICOM" in text and "libdcmtk-dev" in text, text
    dcmtk.write_text("-DHAVE_DCMTK")
    text, calls, asked = convert("--format=dcm")
    assert asked and calls == again and "with DICOM" in text, (calls, text)
    # it is there now
    assert convert("--format", "dcm") == ("ran\n", [], True)
    # and from the first
    shutil.rmtree(here.build)
    _, calls, asked = convert("--format", "dcm")
    assert asked and len(calls) == 1 and calls[0].startswith(
        f"meson setup {here.build}"), calls


def test_what_would_be_compiled(folder):
    """Tells something where the CUDA toolkit is."""
    here = Computer(folder, "meson", "nvcc")
    ninja = shutil.which("ninja")
    here.demo(NINJA=ninja)
    commands = subprocess.run(
        [ninja, "-C", here.build, "-t", "commands", "gst/libgstoct.so",
         "pipelines/oct-demo"], capture_output=True, text=True, check=True).stdout
    assert "gstoctfft" in commands
    assert not re.findall(r"\S*(?:nvcc|octcuda\.so|cudart)\S*", commands)


tap.main(globals())
