# SPDX-License-Identifier: LGPL-2.1-or-later
"""Handling of missing packages: a mirror that fails is distinguished from
packages that do not exist, and counts as a skip of the other Debian and of our
own packages.  apt-get, Meson, tests/debian.sh and tests/packages.sh are
stand-ins.  Output is TAP."""
import os
import pathlib
import shutil
import subprocess

import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_NOW = 75

# $FAILS names the steps that fail
APT = """#!/bin/bash
echo "apt-get $*" >>"$CALLS"
case "$*" in
  *Error-Mode=any*) step=update ;;
  *--simulate*) step=simulate ;;
  *--download-only*) step=download ;;
  *) step=install ;;
esac
[[ " $FAILS " != *" $step "* ]] || { echo "E: $step failed"; exit 100; }
"""


def stand_in(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def environment(folder, **more):
    return os.environ | {
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "CALLS": str(folder / "calls")} | more


def bash(folder, *arguments, **more):
    """Returns (exit status, what was printed)."""
    result = subprocess.run(
        ["bash", *map(str, arguments)], cwd=folder, text=True, timeout=120,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=environment(folder, **more))
    return result.returncode, result.stdout


def test_what_fails(folder):
    stand_in(folder / "bin" / "apt-get", APT)
    stand_in(folder / "bin" / "sudo", '#!/bin/bash\n"$@"\n')
    stand_in(folder / "bin" / "dpkg-query", "#!/bin/bash\nexit 1\n")
    for fails, status, steps in (
            ("", 0, 4), ("update", 0, 4),  # another repository of the computer
            ("download", NOT_NOW, 3), ("update download", NOT_NOW, 3),
            ("update simulate", NOT_NOW, 2), ("simulate", 1, 2),
            ("install", 1, 4)):
        (folder / "calls").write_text("")
        found, text = bash(
            folder, "-c", '. "$0/pipelines/packages.sh"; oct_install a b', ROOT,
            FAILS=fails)
        calls = (folder / "calls").read_text().splitlines()
        assert found == status, (fails, found, text)
        assert len(calls) == steps, (fails, calls)
        assert all(call.endswith(" a b") for call in calls[1:]), calls
        assert status == 0 or "could not install" in text, (fails, text)
        assert status == 0 or f"E: {fails.split()[-1]} failed" in text, text


def test_nothing_is_missing(folder):
    stand_in(folder / "bin" / "apt-get", APT)
    stand_in(folder / "bin" / "dpkg-query", 
             '#!/bin/bash\nshift 2; printf "%s installed\\n" "$@"\n')
    assert bash(folder, "-c", '. "$0/pipelines/packages.sh"; oct_install a b',
                ROOT) == (0, "")
    assert not (folder / "calls").exists()


def test_tests_need_packages(folder):
    """They say so by their exit status, and run nothing."""
    stand_in(folder / "bin" / "apt-get", APT)
    stand_in(folder / "bin" / "sudo", '#!/bin/bash\n"$@"\n')
    stand_in(folder / "bin" / "dpkg-query", "#!/bin/bash\nexit 1\n")
    for name in ("meson", "ninja"):
        stand_in(folder / "bin" / name, f'#!/bin/bash\necho {name} >>"$CALLS"\n')
    for fails, status in (("download", NOT_NOW), ("simulate", 1)):
        found, text = bash(folder, ROOT / "tests" / "run.sh", "--plain",
                           FAILS=fails)
        assert found == status, (fails, found, text)
        assert "passed" not in text, text
    calls = (folder / "calls").read_text().splitlines()
    assert all(call.startswith("apt-get") for call in calls), calls


def run_tests(folder, *options, **scripts):
    """tests/run.sh --plain with the options, whose own tests are one that passes;
    `scripts` are the texts of others in tests/."""
    for name in ("tests/run.sh", "tests/count.py", "pipelines/build.sh",
                 "pipelines/packages.sh"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in ("ninja", "clang"):
        stand_in(folder / "bin" / name, "#!/bin/bash\n")
    stand_in(folder / "bin" / "meson", """#!/bin/bash
echo "$*" >>meson-calls
if [ "$1" = test ]; then folder=$3; else folder=$2; fi
mkdir -p $folder/meson-logs
echo '{"name": "a", "result": "OK"}' >$folder/meson-logs/testlog.json
""")
    for name, text in scripts.items():
        stand_in(folder / "tests" / f"{name}.sh", f"#!/bin/bash\n{text}\n")
    return bash(folder, folder / "tests" / "run.sh", "--no-install", *options,
                OCT_TEST_DEVICES=str(folder))


def test_parts(folder):
    """Without options the tests that matter most, without kernels for a GPU that is
    not there; --all runs everything with kernels."""
    def calls(*options):
        (folder / "meson-calls").unlink(missing_ok=True)
        status, text = run_tests(folder, *options)
        assert status == 0, text
        lines = (folder / "meson-calls").read_text().splitlines()
        return ([line for line in lines if not line.startswith("test")],
                [line for line in lines if line.startswith("test")])

    setups, tests = calls()
    assert len(setups) == len(tests) == 1, (setups, tests)
    assert "build-test" in setups[0] and "-Dcuda=disabled" in setups[0], setups
    assert "build-test" in tests[0] and "--no-suite slow" in tests[0], tests
    setups, tests = calls("--all")
    assert "-Dcuda=auto -Dgpu_architectures=75,90" in setups[0], setups
    assert [line.split()[2] for line in tests] == [
        "build-test", "build-sanitize", "build-fuzz"], tests
    assert "slow" not in " ".join(tests), tests


def run_both(folder, debian):
    return run_tests(folder, "--plain", "--debian", "trixie", debian=debian)


def test_other_debian(folder):
    for debian, status, last in (
            ("echo '3 passed, 0 failed, 1 skipped'", 0,
             "4 passed, 0 failed, 1 skipped"),
            ("echo '3 passed, 2 failed, 0 skipped'; exit 1", 1,
             "4 passed, 2 failed, 0 skipped"),
            # no such system, or no mirror for its packages
            (f"exit {NOT_NOW}", 0, "1 passed, 0 failed, 1 skipped"),
            # it does not build, or no such package
            ("exit 1", 1, "1 passed, 1 failed, 0 skipped")):
        found, text = run_both(folder, debian)
        assert found == status, (debian, found, text)
        assert text.splitlines()[-1] == last, (debian, text)
        if "75" in debian:
            assert "skipped in Debian trixie: all of it: " in text, text


def test_other_debian_runs_everything(folder):
    """The tests of the programs too."""
    _, text = run_both(folder, 'echo "$*, ${OCT_TEST_WITHOUT:-nothing} left out"')
    assert "trixie bash tests/run.sh --system, nothing left out" in text, text


def test_packages(folder):
    """They count as one test."""
    for packages, status, last in (
            ("[ $2 = --quick ] || exit 1", 0, "2 passed, 0 failed, 0 skipped"),
            # no such system, or no mirror for its packages
            (f"exit {NOT_NOW}", 0, "1 passed, 0 failed, 1 skipped"),
            ("echo E: lintian; exit 2", 1, "1 passed, 1 failed, 0 skipped")):
        found, text = run_tests(folder, "--packages", packages=packages)
        if "does not run a Debian that has a name" in text:
            raise tap.Skip("this is not Debian")
        assert found == status, (packages, found, text)
        lines = text.splitlines()
        assert lines[-1] == last, (packages, text)
        # also at the end of the log
        assert status == 0 or "failed in Packages: E: lintian" in lines[-4:], text


def test_no_time_is_left(folder):
    for option in (["--debian", "trixie"], ["--packages"]):
        found, text = run_tests(folder, *option, "--minutes", "19",
                                debian="exit 1", packages="exit 1")
        assert found == 0, text
        assert "of 19 minutes are over" in text or "no Debian" in text, text
        assert text.splitlines()[-1] == "1 passed, 0 failed, 1 skipped", text


tap.main(globals())
