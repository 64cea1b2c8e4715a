// SPDX-License-Identifier: LGPL-2.1-or-later
// Opens a file of any format of gst-oct, or a recording, in Fiji or ImageJ: each volume
// becomes a stack of B-scans in mm.  Spectra become images by octreconstruct.  TIFF is
// opened as it is, as octvolumesink writes it, unless settings follow.
//
//   Plugins > Macros > Run...                asks for the file
//   ij -batch Open_OCT.ijm scan.oct          opens this one
//
// Settings may follow: those of octsrc with | before each, then ; and those of
// octreconstruct:   scan.raw|samples=1024|lines=100;method=nufft|window=gaussian
argument = getArgument();
if (argument == "")
  argument = File.openDialog("Spectra of optical coherence tomography");
parts = split(argument, ";");
words = split(parts[0], "|");
path = words[0];
if (!File.exists(path))
  exit("There is no file " + path + "; choose one that octsrc or ImageJ reads.");
if (words.length == 1 && (endsWith(path, ".tif") || endsWith(path, ".tiff"))) {
  open(path);
} else {
  // a folder that nobody else uses
  folder = replace(exec("mktemp", "-d"), "\n", "");
  name = folder + "/images";
  line = "gst-launch-1.0 -q octsrc location=" + quote(path);
  for (i = 1; i < words.length; i++)
    line = line + " " + quote(words[i]);
  line = line + " ! octreconstruct";
  if (parts.length > 1) {
    words = split(parts[1], "|");
    for (i = 0; i < words.length; i++)
      line = line + " " + quote(words[i]);
  }
  line = line + " ! octvolumesink location=" + quote(name + ".tif") + " 2>&1";
  said = exec("sh", "-c", line);
  if (!File.exists(name + ".tif"))
    exit("The images of " + path + " cannot be made: " + said);
  stack = name + ".tif";
  for (volume = 1; File.exists(stack); volume++) {
    open(stack);
    rename(File.getName(path) + ", volume " + volume);
    done = File.delete(stack);
    stack = name + "-" + volume + ".tif";
  }
  done = File.delete(folder);
}

// as one word of the shell, whatever is in it
function quote(text) {
  return "'" + replace(text, "'", "'\"'\"'") + "'";
}
