/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by oct-kclock.c and oct-kclock-find.c.
 */
#pragma once

#include "oct-kclock.h"

G_BEGIN_DECLS

/* The phase beyond the ends. */
void oct_kclock_extend (OctKclock *k);
/* All tables, from phase, amplitude and weight. */
void oct_kclock_make_tables (OctKclock *k);
/* The largest slope of the reference, rad per sample. */
double oct_kclock_steepest (const OctKclock *k);
/* What depends on settings: method, fit, whole cycles. */
void oct_kclock_choose (OctKclock *k);

G_END_DECLS
