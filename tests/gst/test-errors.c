/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The error that a user sees when something is wrong: one from the element that
 * found it, a sentence with the value found, the value expected and the setting
 * to change.  '@' stands for the folder of the files.  Elements in a wrong
 * order: test-order.c.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#define CHAIN                                                                  \
  " ! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale ! "       \
  "fakesink"
#define RAW64 "octsrc location=@/good.raw samples=64 lines=4"
#define NPY "octsrc location=@/bad.npy" CHAIN
#define CALIBRATED(file) RAW64 " calibration=@/" file CHAIN
#define VIRTUAL "octsrc samples=64 lines=4 num-buffers=2"

#define DESCR "{'descr': "
#define REST ", 'fortran_order': False, 'shape': (4, 64), }"

typedef struct {
  const char *launch;
  const char *element;    /* factory that posts it */
  const char *dictionary; /* of bad.npy */
  GQuark (*domain) (void);
  gint code;
  const char *sentence;
} BadInput;

#define RESOURCE(code) gst_resource_error_quark, GST_RESOURCE_ERROR_##code
#define STREAM(code) gst_stream_error_quark, GST_STREAM_ERROR_##code
#define CORE(code) gst_core_error_quark, GST_CORE_ERROR_##code

static const BadInput bad_inputs[] = {
  { "octsrc location=@/missing.raw samples=64 lines=4" CHAIN, "octsrc", NULL,
      RESOURCE (NOT_FOUND),
      "File '@/missing.raw' does not exist; check the path (`location` of "
      "octsrc)." },
  { "octsrc location=@ samples=64 lines=4" CHAIN, "octsrc", NULL,
      RESOURCE (READ),
      "File '@' is a folder; give the path of a file in it (`location` of "
      "octsrc)." },
  { "octsrc location=@/empty.raw samples=64 lines=4" CHAIN, "octsrc", NULL,
      STREAM (FORMAT),
      "File '@/empty.raw' is empty; give a file with spectra." },
  { "octsrc location=@/good.raw" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "File '@/good.raw' is read as a raw file, which does not tell its "
      "sizes; set `samples` (values per A-line, now 0) and `lines` (A-lines "
      "per B-scan, now 0)." },
  { "octsrc location=@/good.raw samples=64" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "File '@/good.raw' is read as a raw file, which does not tell its "
      "sizes; set `samples` (values per A-line, now 64) and `lines` (A-lines "
      "per B-scan, now 0)." },
  { "octsrc location=@/good.raw samples=64 lines=4000" CHAIN, "octsrc", NULL,
      STREAM (FORMAT),
      "File '@/good.raw' holds 1536 bytes of spectra, but one B-scan of 4000 "
      "lines of 64 samples needs 512000; set `samples`, `lines`, "
      "`sample-format` or `header-size` to what was recorded." },
  { "octsrc location=@/good.raw samples=64 lines=4 header-size=1537" CHAIN,
      "octsrc", NULL, RESOURCE (SETTINGS),
      "File '@/good.raw' has 1536 bytes, but `header-size` skips 1537; set "
      "`header-size` smaller." },
  { "octsrc location=@/good.raw samples=64 lines=4 header-size=1536" CHAIN,
      "octsrc", NULL, RESOURCE (SETTINGS),
      "File '@/good.raw' has 1536 bytes, but `header-size` skips 1536; set "
      "`header-size` smaller." },
  { "octsrc location=@/good.raw samples=64 lines=4 header-size=1500" CHAIN,
      "octsrc", NULL, STREAM (FORMAT),
      "File '@/good.raw' holds 36 bytes of spectra, but one B-scan of 4 "
      "lines of 64 samples needs 512; set `samples`, `lines`, "
      "`sample-format` or `header-size` to what was recorded." },
  { "octsrc location=@/good.raw samples=65536 lines=65536" CHAIN, "octsrc",
      NULL, RESOURCE (SETTINGS),
      "File '@/good.raw' would have B-scans of 65536 lines of 65536 samples, "
      "but at most 65536 lines of 65536 samples and 67108864 values in all "
      "are possible; set `lines` or `samples` smaller." },
  { "octsrc samples=65536 lines=65536" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "A B-scan of the phantom with 65536 A-lines of 65536 samples is too "
      "large; set `lines` and `samples` to at most 67108864 values together." },
  { "octsrc samples=8" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "The phantom cannot have 8 samples; set `samples` between 16 and "
      "65536." },
  { "octsrc phantom=mirror samples=64 depth=0.5" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "The mirror cannot lie at a depth of 0.5 m, the spectrometer with 64 "
      "samples sees from 0 to 0.000103 m; set `depth` within, or more "
      "`samples`." },
  { "octsrc location=@/huge.raw samples=64 lines=4 preload=true" CHAIN,
      "octsrc", NULL, RESOURCE (NO_SPACE_LEFT),
      "File '@/huge.raw' cannot be preloaded, its spectra take 4398046 MB "
      "and there is not as much memory; set `preload` to false." },
  { "octsrc bscans=10 repeats=4" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "`repeats` of octsrc is 4, but a volume has 10 B-scans, which are not a "
      "multiple of that; set `bscans` to the B-scans of a volume, all repeated "
      "ones counted, or `repeats` to a number that divides them." },
  { "octsrc is-live=true" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "octsrc is-live=true delivers at the rate of a camera, but no "
      "`line-rate` is given; set it in A-lines per second." },
  { "octsrc location=@/good.raw format=npy samples=64 lines=4" CHAIN, "octsrc",
      NULL, STREAM (FORMAT),
      "File '@/good.raw' is not a NumPy .npy file (it does not begin with "
      "\\x93NUMPY); set `format` to what it is, or save it with "
      "numpy.save(file, a)." },
  { "octsrc location=@/spectra.png samples=64 lines=4" CHAIN, "octsrc", NULL,
      STREAM (FORMAT),
      "File '@/spectra.png' is a PNG image, which cannot "
      "be read; save the spectra as .npy (numpy.save), or set `format` to "
      "raw and `header-size` to the bytes before the spectra." },
  { "octsrc location=@/good.npy samples=32" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "File '@/good.npy' has the shape (4, 64), thus samples 64, but "
      "`samples` is set to 32; leave `samples` 0 or set it to 64." },
  { "octsrc location=@/good.npy lines=5" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "File '@/good.npy' has the shape (4, 64), thus lines 4, but `lines` is "
      "set to 5; leave `lines` 0 or set it to 4." },
  { "octsrc location=@/good.npy header-size=128" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "File '@/good.npy' is a NumPy file, which tells the size of its "
      "header, but `header-size` is set to 128; leave it 0 or set `format` "
      "to raw." },
  { "octsrc location=@/cut.npy" CHAIN, "octsrc", NULL, STREAM (FORMAT),
      "File '@/cut.npy' holds 511 bytes of spectra, but one B-scan of 4 "
      "lines of 64 samples needs 512; it was cut off, copy or save it again." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': True, 'shape': (64, 2, 2), }",
      RESOURCE (SETTINGS),
      "File '@/bad.npy' has the shape (64, 2, 2), stored column by column "
      "(fortran_order), where the samples may be first or last; set "
      "`sample-dimension` to 1 if the 64 are the samples, or to 3 if it is "
      "right." },
  { NPY, "octsrc", DESCR "'<c8', 'fortran_order': False, 'shape': (4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds complex values (NumPy type '<c8'): these are "
      "A-scans already, but spectra are expected; give A-scans to octlogscale, "
      "as examples/ascans_from_numpy.py does, or, if they are spectra, save "
      "them with numpy.save(file, a.real.astype('<f4'))." },
  { NPY, "octsrc", DESCR "'|O', 'fortran_order': False, 'shape': (4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds values of NumPy type '|O', but whole "
      "numbers of 1 to 8 bytes or floats of 2 to 8 bytes are expected; save it "
      "with numpy.save(file, "
      "a.astype('<f4'))." },
  { NPY, "octsrc",
      DESCR "[('a', '<u2')], 'fortran_order': False, 'shape': (4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds records of several fields, but one array of "
      "numbers is expected; save a single field with numpy.save(file, "
      "a['name'])." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': False, 'shape': (), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds an array of 0 dimensions, but 1 to 5 are "
      "expected ([volumes][B-scans][lines][samples][channels]); save it with "
      "numpy.save(file, "
      "a.reshape(bscans, lines, samples))." },
  { NPY, "octsrc",
      DESCR "'<u2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds an array of 6 dimensions, but 1 to 5 are "
      "expected ([volumes][B-scans][lines][samples][channels]); save it with "
      "numpy.save(file, "
      "a.reshape(bscans, lines, samples))." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': False, 'shape': (0, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' holds an empty array of shape (0, 64); save an array "
      "with values." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': False, 'shape': (-4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header (bad 'shape' at byte 61); "
      "save the array again with numpy.save(file, a)." },
  { NPY, "octsrc",
      DESCR
      "'<u2', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
      STREAM (FORMAT),
      "File '@/bad.npy' claims the impossible shape (4294967296, "
      "4294967296); save the array again with numpy.save(file, a)." },
  { NPY, "octsrc",
      DESCR
      "'<u2', 'fortran_order': False, 'shape': (99999999999999999999, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header (bad 'shape' at byte 80); "
      "save the array again with numpy.save(file, a)." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': False, 'shape': (4, 64)",
      STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header (',' or '}' expected at "
      "byte 68); save the array again with numpy.save(file, a)." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': False, }", STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header ('descr', 'fortran_order' "
      "or 'shape' missing at byte 53); save the array again with "
      "numpy.save(file, a)." },
  { NPY, "octsrc",
      DESCR
      "'<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header (an unknown or repeated "
      "name at byte 35); save the array again with numpy.save(file, a)." },
  { NPY, "octsrc", DESCR "'<u2', 'fortran_order': 0, 'shape': (4, 64), }",
      STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header (bad 'fortran_order' at "
      "byte 44); save the array again with numpy.save(file, a)." },
  { NPY, "octsrc", "{}", STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header ('descr', 'fortran_order' "
      "or 'shape' missing at byte 13); save the array again with "
      "numpy.save(file, a)." },
  { NPY, "octsrc", "import os", STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header ('{' expected at byte "
      "10); save the array again with numpy.save(file, a)." },
  { NPY, "octsrc", "", STREAM (FORMAT),
      "File '@/bad.npy' has a damaged NumPy header ('{' expected at byte "
      "11); save the array again with numpy.save(file, a)." },
  { "octsrc location=@/short-header.npy" CHAIN, "octsrc", NULL, STREAM (FORMAT),
      "File '@/short-header.npy' has a damaged NumPy header (end of the file "
      "at byte 11); save the array again with numpy.save(file, a)." },
  { "octsrc location=@/long-header.npy" CHAIN, "octsrc", NULL, STREAM (FORMAT),
      "File '@/long-header.npy' has a NumPy header of 4294967307 bytes, but "
      "at most 65536 are expected; save a plain array with numpy.save(file, "
      "a)." },
  { "octsrc location=@/version-9.npy" CHAIN, "octsrc", NULL, STREAM (FORMAT),
      "File '@/version-9.npy' is a NumPy file of version 9.0, but 1.0 to 3.0 "
      "are known; save the array with numpy.lib.format.write_array(f, a, "
      "version=(1, 0))." },
  { CALIBRATED ("missing.csv"), "octsrc", NULL, RESOURCE (NOT_FOUND),
      "Calibration file '@/missing.csv' does not exist; check the path "
      "(`calibration` of octsrc)." },
  { CALIBRATED ("."), "octsrc", NULL, RESOURCE (READ),
      "Calibration file '@/.' is a folder; give the path of a file in it "
      "(`calibration` of octsrc)." },
  { CALIBRATED ("empty.raw"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/empty.raw' has no content; give a line of names "
      "out of wavelength_nm, k_index, k_position, dispersion_rad and "
      "background and one row per sample." },
  { CALIBRATED ("length.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/length.csv' has 63 rows, but the spectra have 64 "
      "samples; give a calibration with one row per sample (or set `samples` "
      "of octsrc)." },
  { CALIBRATED ("nan.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/nan.csv', line 12: 'nan' in column wavelength_nm "
      "is not a number; give a finite number with a decimal point." },
  { CALIBRATED ("not-monotone.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/not-monotone.csv', line 12: wavelength_nm is "
      "805.5 after 809, but the values have to rise from each sample to the "
      "next; correct this value." },
  { CALIBRATED ("unknown.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/unknown.csv', line 1: the column 'lambda' is not "
      "known; known are wavelength_nm, k_index, k_position, "
      "dispersion_rad and background." },
  { CALIBRATED ("no-header.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/no-header.csv', line 1: a number (800) stands "
      "where the names of the columns are expected; begin the file with a "
      "line of names out of wavelength_nm, k_index, k_position, "
      "dispersion_rad and background." },
  { CALIBRATED ("metres.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/metres.csv', line 2: wavelength_nm is 8e-07, but "
      "1 to 1000000 is expected; give wavelengths in nanometres." },
  { CALIBRATED ("semicolons.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/semicolons.csv', line 1: the columns are "
      "separated by semicolons or tabs, but commas are expected, and points "
      "in the numbers; export it as CSV with commas." },
  { CALIBRATED ("ragged.csv"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/ragged.csv', line 12 has 2 values, but the header "
      "names 1 columns; give one value per column, with a point and no comma "
      "in the numbers." },
  { CALIBRATED ("good.raw"), "octsrc", NULL, STREAM (FORMAT),
      "Calibration file '@/good.raw' is not plain text; save it as CSV "
      "(UTF-8)." },
  { RAW64 " wavelength-min=800" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "`wavelength-min` is 800 nm, but `wavelength-max` is not set; set "
      "both." },
  { RAW64 " wavelength-min=900 wavelength-max=800" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "`wavelength-min` is 900 nm and `wavelength-max` 800 nm, but 1 <= min "
      "< max <= 1000000 is expected; set both in nanometres (for wavelengths "
      "that fall along the pixels set `flip`)." },
  { RAW64 " wavelength-polynomial=800,zwei" CHAIN, "octsrc", NULL,
      RESOURCE (SETTINGS),
      "`wavelength-polynomial`: 'zwei' is not a number; give coefficients as "
      "in \"790.2,0.0538,-1e-6\"." },
  { RAW64 " flip=true" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "`flip` is set, but there are no wavelengths and no k_index that it "
      "could change; give them, or remove it." },
  { RAW64 " k-polynomial=abc" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "`k-polynomial`: 'abc' is not a number; give coefficients as in "
      "\"0,1023\"." },
  { RAW64 " k-polynomial=0,1" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "`k-polynomial`: k_index runs from 0 to 1, but at least 15.75 samples "
      "of 64 are expected; give positions in samples." },
  { RAW64 " calibration=@/wavelengths.csv wavelength-min=800 "
          "wavelength-max=900" CHAIN,
      "octsrc", NULL, RESOURCE (SETTINGS),
      "Calibration file '@/wavelengths.csv' has a column wavelength_nm, but "
      "`wavelength-min` and `wavelength-max` are set too; remove one of "
      "them." },
  { RAW64 " dispersion-a2=20" CHAIN, "octsrc", NULL, RESOURCE (SETTINGS),
      "The dispersion coefficients a2 and a3 need the wavelengths, but the "
      "calibration has none; set `wavelength-min` and `wavelength-max`, or "
      "add a wavelength_nm column to the calibration file." },
  { RAW64 " ! octdcsub calibration=@/length.csv ! octkresample ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "Calibration file '@/length.csv' has 63 rows, but the spectra have 64 "
      "samples; give a calibration with one row per sample (or set `samples` "
      "of octsrc)." },
  { RAW64 CHAIN, "octkresample", NULL, RESOURCE (SETTINGS),
      "octkresample needs a spectral calibration and found none; set "
      "`calibration`, `wavelength-min` and `wavelength-max`, or "
      "`k-polynomial` on octsrc or octdcsub (when the samples are uniform in "
      "wavenumber already, leave octkresample out and set axis=wavenumber on "
      "octdcsub)." },
  { VIRTUAL " ! octdcsub ! octkresample calibration=@/length.csv ! fakesink",
      "octkresample", NULL, STREAM (FORMAT),
      "Calibration file '@/length.csv' has 63 rows, but the spectra have 64 "
      "samples; give a calibration with one row per sample (or set `samples` "
      "of octsrc)." },
  { RAW64 " calibration=@/background.csv" CHAIN, "octkresample", NULL,
      RESOURCE (SETTINGS),
      "octkresample needs a spectral calibration and found one without "
      "wavelengths or k_index; set `calibration`, `wavelength-min` and "
      "`wavelength-max`, or `k-polynomial` on octsrc or octdcsub (when the "
      "samples are uniform in wavenumber already, leave octkresample out and "
      "set axis=wavenumber on octdcsub)." },
  { RAW64
      " ! octdcsub axis=wavenumber ! octdispersion a2=20 ! octfft ! fakesink",
      "octdispersion", NULL, RESOURCE (SETTINGS),
      "a2 and a3 of octdispersion need the wavelengths of the spectra and "
      "there is no calibration; set `calibration`, or `wavelength-min` and "
      "`wavelength-max`, on octsrc or octdcsub." },
  { RAW64
      " k-polynomial=0,63 ! octdcsub ! octkresample ! octdispersion a2=20 ! "
      "octfft ! fakesink",
      "octdispersion", NULL, RESOURCE (SETTINGS),
      "The dispersion coefficients a2 and a3 need the wavelengths, but the "
      "calibration has only k_index (or `k-polynomial`), which does not "
      "contain them; set `wavelength-min` and `wavelength-max` beside it, or "
      "give a "
      "calibration file with a k_index and a wavelength_nm column." },
  { RAW64 " wavelength-min=100 wavelength-max=900 ! octdcsub ! octkresample ! "
          "octdispersion a2=1e9 ! octfft ! fakesink",
      "octdispersion", NULL, RESOURCE (SETTINGS),
      "The dispersion coefficients a2 = 1000000000 um^2 and a3 = 0 um^3 give "
      "a phase of -7.798205947e+11 rad, but at most 1000000000 is expected; "
      "set them in um^2 and um^3." },
  { VIRTUAL " ! octdcsub background=@/missing.raw mode=background ! fakesink",
      "octdcsub", NULL, RESOURCE (NOT_FOUND),
      "File '@/missing.raw' does not exist; check the path (`background` of "
      "octdcsub)." },
  { VIRTUAL " ! octdcsub background=@/length.npy mode=background ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "Background file '@/length.npy' holds 63 samples per A-line, but "
      "spectra of 64 samples are expected; set `background` of octdcsub to a "
      "file that was recorded as the spectra are." },
  { VIRTUAL " ! octdcsub background=@/short.raw mode=background ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "Background file '@/short.raw' holds 0 whole spectra, but spectra of "
      "64 samples are expected; set `background` of octdcsub to a file that "
      "was recorded as the spectra are." },
  { VIRTUAL " ! octdcsub background=@/odd.raw mode=background ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "Background file '@/odd.raw' holds 3 bytes too many, but spectra of 64 "
      "samples are expected; set `background` of octdcsub to a file that was "
      "recorded as the spectra are." },
  { VIRTUAL " ! octdcsub background=@/empty.raw mode=background ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "File '@/empty.raw' is empty; give a file with spectra." },
  { VIRTUAL " ! octdcsub background=@/nan.npy mode=background ! fakesink",
      "octdcsub", NULL, STREAM (FORMAT),
      "Background file '@/nan.npy' has a value that is not a number at "
      "sample 7, but counts are expected; set `background` of octdcsub to "
      "another file." },
  { RAW64 " ! octdcsub mode=background ! fakesink", "octdcsub", NULL,
      RESOURCE (SETTINGS),
      "mode=background needs a stored spectrum and there is none; set "
      "`background` to a file of spectra, or use a calibration with a column "
      "background." },
  { VIRTUAL " ! octdcsub ! octcs mask-output=@/no/mask.txt ! fakesink", "octcs",
      NULL, RESOURCE (WRITE),
      "Mask file '@/no/mask.txt' cannot be written: * (`mask-output` of "
      "octcs)." },
  { VIRTUAL " ! octdispersion ! fakesink", "octsrc", NULL, CORE (NEGOTIATION),
      "The elements after octsrc do not go together for its stream "
      "(video/x-raw, format=(string)GRAY16_LE, width=(int)64, "
      "height=(int)4); check their order, caps filters and `axis` of "
      "octdcsub." },
  { VIRTUAL " ! octdcsub ! octnufft depth-start=32 ! octlogscale ! fakesink",
      "octnufft", NULL, RESOURCE (SETTINGS),
      "The depth bins asked of octnufft (depth-start=32, depth-bins=0) are not "
      "within the 32 that a transform of length 64 has; set smaller ones." },
  { VIRTUAL " ! octkresample ! fakesink", "octsrc", NULL, CORE (NEGOTIATION),
      "The elements after octsrc do not go together for its stream "
      "(video/x-raw, format=(string)GRAY16_LE, width=(int)64, "
      "height=(int)4); check their order, caps filters and `axis` of "
      "octdcsub." },
  { VIRTUAL " ! video/x-raw,format=GRAY8 ! fakesink", "octsrc", NULL,
      CORE (NEGOTIATION),
      "The elements after octsrc do not go together for its stream "
      "(video/x-raw, format=(string)GRAY16_LE, width=(int)64, "
      "height=(int)4); check their order, caps filters and `axis` of "
      "octdcsub." },
  { VIRTUAL
      " ! octdcsub ! octkresample ! octfft length=32 ! octlogscale ! fakesink",
      "octfft", NULL, RESOURCE (SETTINGS),
      "`length` of octfft is 32, but the spectra have 64 samples; set 0 or a "
      "value that is not smaller." },
  { VIRTUAL
      " ! octdcsub ! octkresample ! octfft depth-start=32 ! octlogscale ! "
      "fakesink",
      "octfft", NULL, RESOURCE (SETTINGS),
      "The depth bins asked of octfft (depth-start=32, depth-bins=0) are not "
      "within the 32 that a transform of length 64 has; set smaller ones." },
  { VIRTUAL " ! octdcsub ! octkresample ! octfft depth-start=8 depth-bins=25 ! "
            "octlogscale ! fakesink",
      "octfft", NULL, RESOURCE (SETTINGS),
      "The depth bins asked of octfft (depth-start=8, depth-bins=25) are not "
      "within the 32 that a transform of length 64 has; set smaller ones." },
  { VIRTUAL
      " ! octdcsub ! octkresample ! octfft ! octlogscale range=manual min=10 "
      "max=10 ! fakesink",
      "octlogscale", NULL, RESOURCE (SETTINGS),
      "range=manual of octlogscale needs min < max, found min=10, max=10; "
      "set both." },
  { VIRTUAL
      " ! octdcsub ! octkresample ! octfft ! octlogscale range=manual min=20 "
      "max=10 ! fakesink",
      "octlogscale", NULL, RESOURCE (SETTINGS),
      "range=manual of octlogscale needs min < max, found min=20, max=10; "
      "set both." },
  { "octsrc backend=cuda" CHAIN, "octsrc", NULL, RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL " ! octdcsub backend=cuda ! fakesink", "octdcsub", NULL,
      RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL " ! octdcsub ! octkresample backend=cuda ! fakesink",
      "octkresample", NULL, RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL
      " ! octdcsub ! octkresample ! octdispersion backend=cuda ! fakesink",
      "octdispersion", NULL, RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL " ! octdcsub ! octkresample ! octfft backend=cuda ! fakesink",
      "octfft", NULL, RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL " ! octdcsub ! octnufft backend=cuda ! fakesink", "octnufft", NULL,
      RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL " ! octdcsub ! octkresample ! octfft ! octlogscale backend=cuda ! "
            "fakesink",
      "octlogscale", NULL, RESOURCE (FAILED),
      "backend=cuda was asked for, but *; set backend=auto or backend=cpu." },
  { VIRTUAL, "octsrc", NULL, CORE (PAD),
      "The output of octsrc* is not connected; link it to the next element, "
      "in the end to a sink." },
  { VIRTUAL " ! octdcsub", "octsrc", NULL, CORE (PAD),
      "The output of octdcsub* is not connected; link it to the next "
      "element, in the end to a sink." },
  { VIRTUAL " ! octdcsub ! octkresample", "octsrc", NULL, CORE (PAD),
      "The output of octkresample* is not connected; link it to the next "
      "element, in the end to a sink." },
  { VIRTUAL " ! octdcsub ! octkresample ! octdispersion", "octsrc", NULL,
      CORE (PAD),
      "The output of octdispersion* is not connected; link it to the next "
      "element, in the end to a sink." },
  { VIRTUAL " ! octdcsub ! octkresample ! octfft", "octsrc", NULL, CORE (PAD),
      "The output of octfft* is not connected; link it to the next element, "
      "in the end to a sink." },
  { VIRTUAL " ! octdcsub ! octkresample ! octfft ! octlogscale", "octsrc", NULL,
      CORE (PAD),
      "The output of octlogscale* is not connected; link it to the next "
      "element, in the end to a sink." },
};

/* ------------------------------------------------------------------ the files
 */

static void
write_spectra (void)
{
  g_autoptr (GBytes) bytes = oct_test_pattern (3 * 512);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  static const char npy[] = DESCR "'<u2'" REST;
  float with_nan[64] = { [7] = NAN };

  g_free (oct_test_file ("good.raw", data, 3 * 512));
  g_free (oct_test_file ("leftover.raw", data, 3 * 512 - 1));
  g_free (oct_test_file ("empty.raw", data, 0));
  g_free (oct_test_file ("short.raw", data, 127));
  g_free (oct_test_file ("odd.raw", data, 131));
  g_free (oct_test_file ("spectra.png", "\x89PNG\r\n\x1a\n", 8));
  g_free (oct_test_sparse ("huge.raw", (guint64)1 << 42));
  g_free (oct_test_npy ("good.npy", npy, data, 512));
  g_free (oct_test_npy ("cut.npy", npy, data, 511));
  g_free (oct_test_npy ("length.npy",
      DESCR "'<u2', 'fortran_order': False, 'shape': (4, 63), }", data, 504));
  g_free (oct_test_npy ("nan.npy",
      DESCR "'<f4', 'fortran_order': False, 'shape': (64,), }", with_nan,
      sizeof with_nan));
  g_free (oct_test_file ("short-header.npy", "\x93NUMPY\1\0\x76\0{", 11));
  g_free (
      oct_test_file ("long-header.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{", 13));
  g_free (oct_test_file ("version-9.npy", "\x93NUMPY\11\0\1\0{", 11));
}

/* 64 rows under `header`, row 10 (line 12) is `odd`. */
static void
write_rows (const char *name, const char *header, const char *format,
    double first, double step, const char *odd)
{
  g_autoptr (GString) text = g_string_new (header);
  guint i;

  for (i = 0; i < 64; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd (number, sizeof number, format, first + i * step);
    g_string_append_printf (text, "%s\n", i == 10 && odd ? odd : number);
  }
  g_free (oct_test_text (name, text->str));
}

static void
write_calibrations (void)
{
  g_free (oct_test_wavelengths ("wavelengths.csv", 64));
  g_free (oct_test_wavelengths ("length.csv", 63));
  write_rows ("nan.csv", "wavelength_nm\n", "%g", 800, 1, "nan");
  write_rows ("not-monotone.csv", "wavelength_nm\n", "%g", 800, 1, "805.5");
  write_rows ("unknown.csv", "lambda\n", "%g", 800, 1, NULL);
  write_rows ("no-header.csv", "", "%g", 800, 1, NULL);
  write_rows ("metres.csv", "wavelength_nm\n", "%g", 800e-9, 1e-9, NULL);
  write_rows (
      "semicolons.csv", "wavelength_nm;background\n", "%g;0", 800, 1, NULL);
  write_rows ("ragged.csv", "wavelength_nm\n", "%g", 800, 1, "810,5");
  write_rows ("background.csv", "background\n", "%g", 0, 1, NULL);
}

static void
set_up (void)
{
  write_spectra ();
  write_calibrations ();
}

/* '@' is the folder. */
static char *
in_folder (const char *text)
{
  g_autofree char *path = oct_test_file_path ("");
  g_auto (GStrv) pieces = g_strsplit (text, "@", -1);

  if (g_str_has_suffix (path, "/"))
    path[strlen (path) - 1] = '\0';
  return g_strjoinv (path, pieces);
}

/* ------------------------------------------------------------------ pipelines
 */

/* Plays it to the end or the first of these messages, which is returned, and
 * goes back to NULL. */
static GstMessage *
play (const char *launch, GstMessageType types)
{
  g_autofree char *text = in_folder (launch);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  GstMessage *message;
  GstBus *bus;

  fail_unless (error == NULL, "%s: %s", text, error ? error->message : "");
  if (!GST_IS_PIPELINE (pipeline)) {
    GstElement *bin = pipeline;

    pipeline = gst_pipeline_new (NULL);
    gst_bin_add (GST_BIN (pipeline), bin);
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, types | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return message;
}

/* If there is a GPU, asking for it is not a mistake. */
static gboolean
has_gpu (void)
{
  GstElement *element = gst_parse_launch ("octdcsub backend=cuda", NULL);
  gboolean started = gst_element_set_state (element, GST_STATE_PAUSED)
                     != GST_STATE_CHANGE_FAILURE;

  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  return started;
}

/* Nothing of an error before is left. */
static void
check_good_pipeline (void)
{
  GstMessage *message =
      play (RAW64 " calibration=@/wavelengths.csv" CHAIN, GST_MESSAGE_EOS);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
}

static void
check_message (GstMessage *message, const BadInput *bad)
{
  g_autofree char *sentence = in_folder (bad->sentence);
  g_autofree char *debug = NULL;
  g_autoptr (GError) error = NULL;
  GstElementFactory *factory;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, &debug);
  else
    gst_message_parse_error (message, &error, &debug);
  fail_unless (g_pattern_match_simple (sentence, error->message),
      "%s\n    found: %s\n expected: %s", bad->launch, error->message,
      sentence);
  fail_unless (g_error_matches (error, bad->domain (), bad->code), "%s: %s %d",
      error->message, g_quark_to_string (error->domain), error->code);
  factory = gst_element_get_factory (GST_ELEMENT (GST_MESSAGE_SRC (message)));
  fail_unless_equals_string (
      gst_plugin_feature_get_name (GST_PLUGIN_FEATURE (factory)), bad->element);
}

GST_START_TEST (test_bad_input)
{
  const BadInput *bad = &bad_inputs[__i__];
  GstMessage *message;

  if (strstr (bad->launch, "backend=cuda") != NULL && has_gpu ())
    return;
  if (bad->dictionary != NULL) {
    guint8 data[512] = { 0 };

    g_free (oct_test_npy ("bad.npy", bad->dictionary, data, sizeof data));
  }
  message = play (bad->launch, GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "%s went well",
      bad->launch);
  check_message (message, bad);
  gst_message_unref (message);
  check_good_pipeline ();
}
GST_END_TEST

GST_START_TEST (test_unreadable)
{
  static const BadInput bad = { "octsrc location=@/locked.raw samples=64 "
                                "lines=4" CHAIN,
    "octsrc", NULL, RESOURCE (READ),
    "File '@/locked.raw' cannot be opened for reading: * "
    "(`location` of octsrc)." };
  g_autofree char *path = oct_test_sparse ("locked.raw", 1024);
  GstMessage *message;

  if (geteuid () == 0)
    return; /* root may read everything */
  g_chmod (path, 0);
  message = play (bad.launch, GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  check_message (message, &bad);
  gst_message_unref (message);
}
GST_END_TEST

/* Wrong bytes can be skipped: a warning, and the whole B-scans come. */
GST_START_TEST (test_leftover)
{
  static const BadInput bad = { "octsrc location=@/leftover.raw samples=64 "
                                "lines=4 calibration=@/wavelengths.csv" CHAIN,
    "octsrc", NULL, STREAM (FORMAT),
    "File '@/leftover.raw' holds 2 whole B-scans of 4 lines of 64 samples and "
    "511 bytes more, which are left out; if the image is skewed, set "
    "`samples`, "
    "`lines` or `header-size` to what was recorded." };
  GstMessage *message = play (bad.launch, GST_MESSAGE_WARNING);
  g_autofree char *launch = in_folder ("octsrc location=@/leftover.raw "
                                       "samples=64 lines=4");
  GstHarness *harness = gst_harness_new_parse (launch);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  check_message (message, &bad);
  gst_message_unref (message);
  message = play (bad.launch, GST_MESSAGE_EOS);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_harness_play (harness);
  gst_buffer_unref (gst_harness_pull (harness));
  gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST

/* A value that is not a number spoils its A-line, not the picture. */
GST_START_TEST (test_not_a_number)
{
  static const char *const modes[] = { "none", "bscan", "running" };
  float spectra[2][4][64];
  g_autofree char *path = NULL;
  guint i;

  for (i = 0; i < 4 * 64; i++)
    spectra[0][i / 64][i % 64] = i * 37 % 101;
  memcpy (spectra[1], spectra[0], sizeof spectra[0]);
  spectra[1][2][30] = NAN;
  path = oct_test_npy ("spectra.npy",
      DESCR "'<f4', 'fortran_order': False, 'shape': (2, 4, 64), }", spectra,
      sizeof spectra);
  for (i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autofree char *launch = g_strdup_printf (
        "octsrc location=%s wavelength-min=800 wavelength-max=880 ! "
        "octdcsub mode=%s ! octkresample ! octfft ! "
        "octlogscale range=manual min=0 max=60",
        path, modes[i]);
    GstHarness *harness = gst_harness_new_parse (launch);
    GstBuffer *good, *bad;
    guint8 image[2][32][4];
    guint depth, line, bright = 0;

    gst_harness_play (harness);
    good = gst_harness_pull (harness);
    bad = gst_harness_pull (harness);
    gst_buffer_extract (good, 0, image[0], sizeof image[0]);
    gst_buffer_extract (bad, 0, image[1], sizeof image[1]);
    for (depth = 0; depth < 32; depth++) {
      fail_unless_equals_int (image[1][depth][2], 0);
      for (line = 0; line < 4; line++) {
        bright += image[1][depth][line] > 0;
        fail_unless (i > 0 || line == 2
                     || image[1][depth][line] == image[0][depth][line]);
      }
    }
    fail_unless (
        bright > 3 * 16, "mode=%s: only %u values left", modes[i], bright);
    gst_buffer_unref (good);
    gst_buffer_unref (bad);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST

static Suite *
errors_suite (void)
{
  Suite *suite = suite_create ("errors");
  TCase *tc = tcase_create ("errors");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, set_up, oct_test_remove_files);
  tcase_add_loop_test (tc, test_bad_input, 0, G_N_ELEMENTS (bad_inputs));
  tcase_add_test (tc, test_unreadable);
  tcase_add_test (tc, test_leftover);
  tcase_add_test (tc, test_not_a_number);
  return suite;
}

GST_CHECK_MAIN (errors)
