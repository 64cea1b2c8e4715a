/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Properties of a bin that are those of elements inside: the elements describe
 * and keep them, the bin only names them.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  const char *name;
  guint parts;          /* bits of the elements that have it, at least one */
  const char *inner;    /* its name there; NULL: the same */
  const char *when;     /* it counts, for people; NULL: always */
  gboolean at_start;    /* before the start only, whatever the elements could */
  gboolean of_computer; /* no part of a preset */
} GstOctForward;

/* Installs the property as elements of type `inner` have it. */
void gst_oct_forward_install (
    GObjectClass *klass, guint id, const GstOctForward *forward, GType inner);

/* Sets it on all of `parts` that have it, and reads it from the first; any
 * thread. */
void gst_oct_forward_set (const GstOctForward *forward, GstElement **parts,
    guint n_parts, const GValue *value);
void gst_oct_forward_get (
    const GstOctForward *forward, GstElement **parts, GValue *value);

/* Has `iface` of GstPreset keep these properties and no others, but for
 * those of the computer, and "method": what is loaded takes the place of all of
 * them. */
void gst_oct_forward_init_preset (
    gpointer iface, const GstOctForward *forwards, guint n_forwards);

G_END_DECLS
