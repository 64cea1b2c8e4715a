# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/fiji/Open_OCT.ijm opens a recording in ImageJ, whatever is in its path: all
grey levels are those that octvolumesink writes as NumPy.  Exit status 77: ImageJ or Xvfb
is not there (Debian: imagej, xvfb)."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

MACRO = pathlib.Path(sys.argv[1])
JAR = "/usr/share/java/ij.jar"
LINES, DEPTHS, BSCANS = 24, 64, 3
LIMIT = 120  # seconds, for a program
SHOW = """
grey = "";
for (b = 1; b <= nSlices; b++) {
  setSlice(b);
  for (y = 0; y < getHeight(); y++)
    for (x = 0; x < getWidth(); x++)
      grey = grey + getPixel(x, y) + " ";
}
print(nImages, nSlices, getHeight(), getWidth());
print(grey);
"""

if not os.path.isfile(JAR) or shutil.which("xvfb-run") is None \
        or shutil.which("java") is None:
    print("ImageJ or Xvfb is not there: skipped (Debian: imagej, xvfb)")
    sys.exit(77)


def run(*command):
    """What it prints."""
    return subprocess.run(command, check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=LIMIT).stdout


with tempfile.TemporaryDirectory(prefix="it's a ") as folder:
    folder = pathlib.Path(folder)
    source = f"samples={2 * DEPTHS} lines={LINES} bscans={BSCANS} num-buffers={BSCANS}"
    run("gst-launch-1.0", "-q", "octsrc", *source.split(), "!", "octrawsink",
        f"location={folder / 'scan'}")
    path = folder / "scan.oct"
    settings = ["wavelength-min=790", "wavelength-max=900"]
    run("gst-launch-1.0", "-q", "octsrc", f"location={path}", *settings, "!",
        "octreconstruct", "window=gaussian", "!", "octvolumesink",
        f"location={folder / 'volume.npy'}")
    file = (folder / "volume.npy").read_bytes()
    values = file[10 + struct.unpack_from("<H", file, 8)[0]:]
    assert f"({BSCANS}, {DEPTHS}, {LINES})".encode() in file[:200], file[:200]
    assert max(values) > 100 and len(set(values)) > 20  # a picture
    macro = folder / "test.ijm"
    macro.write_text(MACRO.read_text(encoding="utf-8") + SHOW, encoding="utf-8")
    sizes, grey, *rest = run(
        "xvfb-run", "-a", "java", "-jar", JAR, "-batch", str(macro),
        "|".join([str(path), *settings]) + ";window=gaussian").splitlines()
    assert sizes.split() == ["1", str(BSCANS), str(DEPTHS), str(LINES)], sizes
    found = [int(word) for word in grey.split()]
    assert found == list(values)
    assert not rest, rest
