/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The case that is examined: a label that somebody has typed, and the eye or
 * the side.  It goes to the pages that control, into the text of recordings and
 * into snapshots; those who only watch get it if that was switched on.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct {
  char *text;       /* UTF-8, one line; NULL or empty: none */
  const char *side; /* static; NULL or "none": not said */
  gboolean shown;   /* to those who only watch, too */
} OctLiveLabel;

void oct_live_label_set (
    OctLiveLabel *label, const char *text, const char *side, gboolean shown);
void oct_live_label_clear (OctLiveLabel *label);

/* "none" or one of the sides, static; NULL: there is none of that name. */
const char *oct_live_label_find_side (const char *name);
/* The side in words, static; NULL: not said. */
const char *oct_live_label_get_side (const OctLiveLabel *label);
/* One line of label and side, to be freed; NULL: there is neither. */
char *oct_live_label_describe (const OctLiveLabel *label);

/* Adds the members "label", "side" and "labelShown" of a state; `knows`: the
 * page controls. */
void oct_live_label_add (
    const OctLiveLabel *label, gboolean knows, JsonBuilder *builder);

G_END_DECLS
