/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibrate-parts.h"

#include <math.h>

/* Mirrors that are left out and named with the reason. */
#define MAX_LEFT_OUT 12

void
oct_calibrate_print_notes (const OctMirrorSet *set)
{
  guint left = 0;

  for (guint i = 0; i < set->mirrors->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get (set, i);

    /* with a single mirror the error gives the reason */
    if (mirror->used || mirror->reason == NULL || set->mirrors->len == 1)
      continue;
    if (left++ < MAX_LEFT_OUT)
      g_printerr ("Note: %s\n", mirror->reason);
  }
  if (left > MAX_LEFT_OUT)
    g_printerr (
        "Note: %u more are left out for such reasons.\n", left - MAX_LEFT_OUT);
  for (guint i = 0; i < set->notes->len; i++)
    g_printerr ("Note: %s\n", (const char *)g_ptr_array_index (set->notes, i));
}

void
oct_calibrate_print_peaks (const OctMirrorSet *set)
{
  gint longest = 6;

  for (guint i = 0; i < set->used->len; i++)
    longest = MAX (
        longest, g_utf8_strlen (oct_mirror_set_get_used (set, i)->name, -1));
  g_print (
      "\n%*s           without      with calibration   possible  residual\n",
      longest, "");
  g_print ("%-*s  side     dB   width    bin    dB   width   width   phase\n",
      longest, "mirror");
  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *m = oct_mirror_set_get_used (set, i);

    g_print ("%-*s  %-6s %6.1f %6.2f %7.1f %6.1f %6.2f  %6.2f ", longest,
        m->name, m->side < 0 ? "other" : "sample", m->before.level,
        m->before.width_6db, m->after.bin, m->after.level, m->after.width_6db,
        m->ideal.width_6db);
    if (set->fit != NULL)
      g_print (" %6.3f rad", m->residual);
    g_print ("\n");
  }
  g_print ("Widths at -6 dB and depths in bins of the transform over %u "
           "samples.\n",
      set->samples);
}

static void
print_fall_off (const OctMirrorSet *set, double bin_um)
{
  double slope, lost;

  if (!oct_mirror_set_find_fall_off (set, &slope, &lost))
    return;
  g_print (
      "Fall-off, of mirrors equally bright: %.1f dB per 100 bins", 100 * slope);
  if (bin_um > 0)
    g_print (" (%.1f dB/mm)", slope / bin_um * 1e3);
  if (lost > 0)
    g_print (", 6 dB lost at bin %.0f", lost);
  g_print (".\n");
}

static void
print_range (const OctMirrorSet *set, double bin_um)
{
  double low, high;

  if (!oct_mirror_set_find_range (set, &low, &high)) {
    g_print ("Depths to use it for: near bin %.0f only.\n", low);
    return;
  }
  g_print ("Depths to use it for: bins %.0f to %.0f", low, high);
  if (bin_um > 0)
    g_print (
        " (%.2f to %.2f mm in air)", low * bin_um / 1e3, high * bin_um / 1e3);
  g_print (".\n");
}

static void
print_cross_check (const OctMirrorSet *set)
{
  double excess;
  guint count = oct_mirror_set_cross_check (set, &excess);

  if (count > 0)
    g_print ("Checked with mirrors left out: each of %u, with a calibration of "
             "the others, is at most %.1f %% wider than possible.\n",
        count, 100 * MAX (excess - 1, 0));
}

static const char *
name_verdict (OctVerdict verdict)
{
  return verdict == OCT_VERDICT_GOOD     ? "good"
         : verdict == OCT_VERDICT_USABLE ? "usable"
                                         : "poor";
}

/* The doubt that narrow peaks leave. */
static const char *
find_doubt (const OctMirrorSet *set)
{
  if (oct_mirror_set_is_proven (set) || oct_mirror_set_is_one_depth (set))
    return "";
  return ", but two depths always fit each other: they prove neither the sides "
         "of the mirrors nor that none is beyond the depth range, and a third "
         "one would";
}

static const char *
name_exchange (void)
{
  return ", with the sides exchanged (it is for samples on the other side of "
         "the zero delay than --mirror says here)";
}

/* Mirrors, and A-lines of those that are used, that are left out. */
static void
print_left_out (const OctMirrorSet *set)
{
  guint mirrors = set->mirrors->len - set->used->len;
  guint64 lines = 0, given = 0;

  for (guint i = 0; i < set->used->len; i++) {
    const OctFringe *fringe = oct_mirror_set_get_used (set, i)->fringe;

    lines += fringe->given - fringe->lines;
    given += fringe->given;
  }
  if (mirrors > 0)
    g_print (", with %u of %u mirrors left out", mirrors, set->mirrors->len);
  if (lines > 0)
    g_print (", %s %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
             " A-lines left out",
        mirrors > 0 ? "and" : "with", lines, given);
}

/* The quality of the peaks, and how many mirrors and A-lines were left out. */
static void
print_peaks_in_words (const OctMirrorSet *set, const OctMirror *worst)
{
  if (oct_mirror_get_excess (worst) <= OCT_MIRROR_SET_GOOD_WIDTH)
    g_print ("each is within 5 %% of the narrowest that its light allows");
  else
    g_print ("%s is %.2f bins wide, its light allows %.2f", worst->name,
        worst->after.width_6db, worst->ideal.width_6db);
  print_left_out (set);
  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);

    if (!oct_mirror_has_few_lines (mirror))
      continue;
    g_print (", but only %u of the %u A-lines of %s agree with each other",
        mirror->fringe->lines, mirror->fringe->given, mirror->name);
    return;
  }
}

gboolean
oct_calibrate_print_verdict (const OctMirrorSet *set,
    const OctCalibrateColumns *columns, const char *check, gboolean exchanged)
{
  const OctMirror *worst;
  OctVerdict verdict = oct_mirror_set_judge (set, &worst);
  const char *advice = NULL;

  print_fall_off (set, columns->bin_um);
  if (check == NULL) {
    print_range (set, columns->bin_um);
    g_print ("Residual phase: %.3f rad rms.\n", set->fit->residual);
    print_cross_check (set);
    advice = oct_mirror_set_advise (set);
    g_print ("\nThis calibration is %s%s: ", name_verdict (verdict),
        oct_mirror_set_is_one_depth (set) ? " at one depth" : "");
  } else {
    if (verdict != OCT_VERDICT_GOOD)
      advice = "make a new one of these mirrors with --output";
    g_print ("\n'%s' is %s for these mirrors%s: ", check,
        name_verdict (verdict), exchanged ? name_exchange () : "");
  }
  print_peaks_in_words (set, worst);
  if (check == NULL)
    g_print ("%s", find_doubt (set));
  if (advice != NULL)
    g_print ("; to make it better, %s.\n", advice);
  else
    g_print (".\n");
  return verdict != OCT_VERDICT_BAD;
}
