/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Objects in JSON, member by member.  Whatever the values are, the text is
 * valid.  Any thread.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* An object of this "type". */
JsonBuilder *oct_live_json_begin (const char *type);
/* `value`: NULL gives "". */
void oct_live_json_add_string (
    JsonBuilder *builder, const char *name, const char *value);
/* Exact for whole numbers below 2^53, else to one part in 2^52; NaN and
 * infinity become null. */
void oct_live_json_add_number (
    JsonBuilder *builder, const char *name, double value);
void oct_live_json_add_boolean (
    JsonBuilder *builder, const char *name, gboolean value);
/* A list of values[n] in units of `step`, as whole numbers; NaN, infinity and
 * values larger than 2^53 become null. */
void oct_live_json_add_steps (JsonBuilder *builder, const char *name,
    const double *values, guint n, double step);
/* Ends the object and takes the builder; a text to free. */
char *oct_live_json_finish (JsonBuilder *builder);

G_END_DECLS
