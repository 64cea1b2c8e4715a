/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The samples of octscangen as positions, for its tests. */
#pragma once

#include "oct-test.h"

#include <math.h>

#define RATE 100000
#define SMALL "octscangen lines=64 bscans=4 width=1 height=1 "

typedef struct {
  GstHarness *harness;
  GstElement *element;
  GstBus *bus;
  gsize channels;
  GArray *values; /* of double, [samples][channels] */
} Scan;

static inline void
scan_begin (Scan *s, const char *launch)
{
  s->harness = gst_harness_new_parse (launch);
  s->element = gst_harness_find_element (s->harness, "octscangen");
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->harness->element, s->bus);
  s->channels = strstr (launch, "gate=true") != NULL ? 3 : 2;
  s->values = g_array_new (FALSE, FALSE, sizeof (double));
}

static inline void
scan_end (Scan *s)
{
  gst_element_set_bus (s->harness->element, NULL);
  gst_harness_teardown (s->harness);
  gst_object_unref (s->bus);
  gst_object_unref (s->element);
  g_array_unref (s->values);
}

static inline void
scan_take (Scan *s, GstBuffer *buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_array_append_vals (
      s->values, map.data, (guint)(map.size / sizeof (double)));
  gst_buffer_unmap (buffer, &map);
}

/* All samples until the end of the stream. */
static inline void
scan_collect (Scan *s)
{
  GstBuffer *buffer = NULL;

  gst_harness_play (s->harness);
  while (gst_harness_pull_until_eos (s->harness, &buffer) && buffer != NULL) {
    scan_take (s, buffer);
    gst_buffer_unref (buffer);
  }
}

static inline guint
scan_count (const Scan *s)
{
  return s->values->len / s->channels;
}

/* Position in mm, of the default of .64 V/mm and 10 V. */
static inline double
scan_at (const Scan *s, guint i, guint axis)
{
  return g_array_index (s->values, double, i * s->channels + axis) * 10 / 0.64;
}

/* No difference of samples is over the default limits. */
static inline void
scan_check_limits (const Scan *s)
{
  gboolean ok = TRUE;

  for (guint c = 0; c < 2; c++)
    for (guint i = 2; i < scan_count (s); i++) {
      double p = scan_at (s, i, c), q = scan_at (s, i - 1, c);

      ok = ok && fabs (p) <= 5 && fabs (p - q) * RATE <= 1e4 * (1 + 1e-6)
           && fabs (p - 2 * q + scan_at (s, i - 2, c)) * RATE * RATE
                  <= 5e6 * (1 + 1e-6);
    }
  fail_unless (ok);
}

static inline void
scan_check_rest (const Scan *s, guint i)
{
  fail_unless (i < scan_count (s));
  fail_unless (fabs (scan_at (s, i, 0)) < 1e-9);
  fail_unless (fabs (scan_at (s, i, 1)) < 1e-9);
}

/* A-lines by the gate; their first one is number *begin. */
static inline guint
scan_count_lines (const Scan *s, guint *begin)
{
  guint n = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < scan_count (s); i++) {
    double gate = g_array_index (s->values, double, i * 3 + 2);

    ok = ok && (gate == 0 || gate == 1);
    if (gate == 1 && n++ == 0)
      *begin = i;
  }
  fail_unless (ok);
  return n;
}
