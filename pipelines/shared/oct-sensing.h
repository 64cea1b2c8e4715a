/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings of compressive sensing, on an octreconstruct: the same in all
 * programs.
 */
#pragma once

#include "oct-method-names.h"

G_BEGIN_DECLS

#define OCT_SENSING_METHOD "cs" /* of octreconstruct, and its OctMethod */
#define OCT_SENSING_TAU_MAX 1000.0

/* The solvers of octreconstruct, static; ends with value_nick NULL, which is
 * all if it is not installed. */
const GEnumValue *oct_sensing_solvers (void);
/* Options of a program; oct_sensing_options_add() begins with values that mean
 * "not given". */
typedef struct {
  char *solver;
  double tau, sampling_rate;
} OctSensingOptions;

void oct_sensing_options_add (
    GOptionContext *context, OctSensingOptions *options);
void oct_sensing_options_clear (OctSensingOptions *options);

/* Sets the given options, after the method.  FALSE with a sentence. */
gboolean oct_sensing_options_use (
    const OctSensingOptions *options, GstElement *reconstruct, GError **error);

G_END_DECLS
