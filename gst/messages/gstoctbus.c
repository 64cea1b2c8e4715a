/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbus.h"

/* Other fields come too: those that the page of the element lists. */
#define MORE "..."

#define FOUND_FIELDS                                                           \
  "result, text, a2, a3, phase2, phase3, former-a2, former-a3, "               \
  "former-phase2, former-phase3, c2, c3, gain, gain-error, certainty, lines, " \
  "a2-error, a3-error, k-warp, former-k-warp, change, spread"
#define BACKGROUND_FIELDS                                                      \
  "result, text, mode, background-spectrum, former-mode, "                     \
  "former-background-spectrum, lines"
#define VOLUME_FIELDS "volumes, missing, repeated, late, pictures, render-time"

#define FOUND "the result of autofocus, refine or their undo"
#define BACKGROUND "the result of take-background or its undo"
#define RANGE "the range in use in dB, with range-messages=true"
#define VOLUME "B-scans that did not come as they should"

static const struct {
  const char *element, *name, *says, *fields;
} messages[] = {
  { "octcamerasrc", "octcamerasrc-lost", "frames that were lost",
      "lost, lost-now, all-held, incomplete, incomplete-now, frames" },
  { "octdaqsrc", "octdaqsrc-lost", "A-lines that were lost",
      "lost, lost-now, overrun, incomplete, incomplete-now, frames" },
  { "octdcsub", "oct-background", BACKGROUND, BACKGROUND_FIELDS },
  { "octdispersion", "oct-autofocus", FOUND, FOUND_FIELDS },
  { "octkclock", "oct-k-clock", "A-lines whose k-clock cannot be used",
      "good, refused, refused-now, weak, gaps, hops, late, none, fast, slow" },
  { "octflip", "oct-tune", "the result of tune",
      "result, text, delay-lines, delay-error, delay, correlation, pairs, "
      "way-back-shift, former-way-back-shift" },
  { "octigtlsrc", "oct-igtl-transform", "a pose of a tracker",
      "device, matrix, time" },
  { "octigtlsrc", "oct-igtl-status", "the status of the peer",
      "device, code, text" },
  { "octkeep", "oct-kept", "a file that was written",
      "location, images, duration" },
  { "octlogscale", "oct-range", RANGE, "min, max" },
  { "octreconstruct", "oct-autofocus", FOUND, FOUND_FIELDS },
  { "octreconstruct", "oct-background", BACKGROUND, BACKGROUND_FIELDS },
  { "octmeter", "oct-meter", "measurements, once every interval",
      "of, lines, timestamp, bscans, missing, missing-lines, problem, peak, "
      "level, width-6db, width-6db-um, snr, " MORE },
  { "octremap", "oct-tune", "the result of tune",
      "result, text, delay-lines, delay-error, delay, axes, correlation, "
      "pairs" },
  { "octrefocus", "oct-refocus", "the focus of a volume, with automatic=true",
      "found, focus-depth" },
  { "octscangen", "octscangen-late",
      "another path was not ready at the end of the volume, which begins anew",
      "first-line" },
  { "octscatter", "oct-branch-ended", "a branch that gets nothing more",
      "branch, reason, lost" },
  { "octvolume", "oct-volume", VOLUME,
      VOLUME_FIELDS ", coarseness, threshold" },
  { "octenface", "oct-volume", VOLUME, VOLUME_FIELDS },
  { "octslice", "oct-volume", VOLUME, VOLUME_FIELDS },
  { "octvolumecs", "oct-volume-cs", "how a volume was filled in",
      "volume, method, reason, coherence-x, coherence-y, phase-step-x, "
      "phase-step-y, missing" },
  { "octvolumesink", "oct-volume-file", "a file that was written",
      "location, volume, bscans, missing" },
};

#define AUTOFOCUS "finds and sets the dispersion"
#define REFINE "finds the wavenumbers and the dispersion"
#define UNDO_AUTOFOCUS "restores the dispersion of before"
#define CSV "makes the text of a calibration file"
#define SAVE "writes the calibration to a file"
#define TAKE "stores the mean of the next B-scans as the background"
#define UNDO "undoes the last autofocus, refine or take-background"
#define UNDO_BACKGROUND "restores the background of before"

static const struct {
  const char *element, *name, *says, *arguments, *returns;
} signals[] = {
  { "octdcsub", "take-background", TAKE, "bscans: guint", "gboolean" },
  { "octdcsub", "undo-background", UNDO_BACKGROUND, "", "gboolean" },
  { "octdispersion", "autofocus", AUTOFOCUS, "", "gboolean" },
  { "octdispersion", "refine", REFINE, "", "gboolean" },
  { "octdispersion", "undo-autofocus", UNDO_AUTOFOCUS, "", "gboolean" },
  { "octdispersion", "calibration-csv", CSV, "", "gchararray" },
  { "octdispersion", "save-calibration", SAVE, "path: gchararray", "gboolean" },
  { "octflip", "tune",
      "finds the delay of the mirrors in the next B-scans and sets "
      "way-back-shift",
      "bscans: guint", "gboolean" },
  { "octkeep", "keep",
      "writes the last seconds, and returns the name of the file", "",
      "gchararray" },
  { "octreconstruct", "autofocus", AUTOFOCUS, "", "gboolean" },
  { "octreconstruct", "refine", REFINE, "", "gboolean" },
  { "octreconstruct", "undo-autofocus", UNDO, "", "gboolean" },
  { "octreconstruct", "take-background", TAKE, "bscans: guint", "gboolean" },
  { "octreconstruct", "undo-background", UNDO, "", "gboolean" },
  { "octreconstruct", "calibration-csv", CSV, "", "gchararray" },
  { "octreconstruct", "save-calibration", SAVE, "path: gchararray",
      "gboolean" },
  { "octremap", "tune",
      "finds the delay of the mirrors in the next B-scans of a path that goes "
      "forth and back",
      "bscans: guint", "gboolean" },
};

static char *
bus_describe (const char *former, const char *name)
{
  GString *text = g_string_new (former);

  if (!g_str_has_suffix (former, "."))
    g_string_append_c (text, '.');
  for (guint i = 0; i < G_N_ELEMENTS (messages); i++)
    if (g_str_equal (messages[i].element, name))
      g_string_append_printf (text, " Bus message %s, %s: %s.",
          messages[i].name, messages[i].says, messages[i].fields);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (g_str_equal (signals[i].element, name))
      g_string_append_printf (text, " Action signal %s (%s), returns %s: %s.",
          signals[i].name, signals[i].arguments, signals[i].returns,
          signals[i].says);
  return g_string_free (text, FALSE);
}

void
gst_oct_bus_describe (GType type, const char *name)
{
  GstElementClass *klass = g_type_class_ref (type);
  g_autofree char *page =
      g_strconcat (OCT_DOCUMENTATION, "/elements/", name, ".md", NULL);
  g_autofree char *text = bus_describe (
      gst_element_class_get_metadata (klass, GST_ELEMENT_METADATA_DESCRIPTION),
      name);

  gst_element_class_add_metadata (
      klass, GST_ELEMENT_METADATA_DESCRIPTION, text);
  gst_element_class_add_metadata (klass, GST_ELEMENT_METADATA_DOC_URI, page);
  g_type_class_unref (klass);
}

/* ------------------------------------------------------------------ messages */

static void
bus_check (GstElement *element, const GstStructure *s)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const char *name, *fields = NULL;
  g_auto (GStrv) known = NULL;

  if (factory == NULL)
    return;
  name = GST_OBJECT_NAME (factory);
  for (guint i = 0; fields == NULL && i < G_N_ELEMENTS (messages); i++)
    if (g_str_equal (messages[i].element, name)
        && gst_structure_has_name (s, messages[i].name))
      fields = messages[i].fields;
  if (fields == NULL) {
    g_critical ("%s posts %s, which its table of messages lacks", name,
        gst_structure_get_name (s));
    return;
  }
  known = g_strsplit (fields, ", ", -1);
  for (gint i = 0; i < gst_structure_n_fields (s); i++)
    if (!g_strv_contains ((const char *const *)known, MORE)
        && !g_strv_contains ((const char *const *)known,
            gst_structure_nth_field_name (s, (guint)i)))
      g_critical ("%s posts %s with the field %s, which its table lacks", name,
          gst_structure_get_name (s),
          gst_structure_nth_field_name (s, (guint)i));
}

GstMessage *
gst_oct_bus_message_new (GstObject *sender, GstStructure *structure)
{
  bus_check (GST_ELEMENT (sender), structure);
  return gst_message_new_element (sender, structure);
}

void
gst_oct_bus_post (GstElement *element, GstStructure *structure)
{
  gst_element_post_message (
      element, gst_oct_bus_message_new (GST_OBJECT (element), structure));
}
