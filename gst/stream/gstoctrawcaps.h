/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Caps of raw spectra and of the spectra that are made of them, for elements
 * that take the former.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* The field `lines` of spectra from the rows of raw ones: rows are those of all
 * B-scans of a buffer, lines those of one. */
void gst_oct_raw_set_lines (const GstStructure *raw, GstStructure *spectra);

/* Appends raw spectra for the spectra `from`: as many rows as A-lines, or those
 * of several B-scans. */
void gst_oct_raw_append (const GstStructure *from, GstCaps *result);

G_END_DECLS
