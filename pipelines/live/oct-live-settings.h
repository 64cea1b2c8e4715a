/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings that viewers can change, in one list: from the messages of a
 * page to the properties of octreconstruct.
 *
 * Nothing of this touches a network or GStreamer.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A setting of octreconstruct needs no more than a line here: its member of
 * OctLiveSettings, its name in messages (and the id of its control in the
 * page), the property, and the limits of a number.  SWITCH is a boolean, NUMBER
 * a double, COUNT an integer, CHOICE the word for a value of an enum.  A
 * setting without a property is put in force by the code that uses its member.
 *
 * min and max in dB, a2 in um^2, a3 in um^3, phase2 and phase3 in rad at the
 * ends of the spectrum. */
/* clang-format off */
#define OCT_LIVE_SETTINGS(SWITCH, NUMBER, COUNT, CHOICE)                       \
  SWITCH (automatic, "automatic", NULL)                                        \
  NUMBER (min, "min", NULL, -1000.0, 1000.0)                                   \
  NUMBER (max, "max", NULL, -1000.0, 1000.0)                                   \
  NUMBER (a2, "a2", "a2", -1e9, 1e9)                                           \
  NUMBER (a3, "a3", "a3", -1e9, 1e9)                                           \
  NUMBER (phase2, "phase2", "phase2", -1e6, 1e6)                               \
  NUMBER (phase3, "phase3", "phase3", -1e6, 1e6)                               \
  CHOICE (method, "method", NULL)  /* id of an OctMethod */                    \
  CHOICE (window, "window", "window")                                          \
  CHOICE (mode, "backgroundMode", "mode")                                      \
  COUNT (depth_start, "depthStart", "depth-start", 0, 65536)                   \
  COUNT (depth_bins, "depthBins", "depth-bins", 0, 65536) /* 0: all */         \
  COUNT (average, "average", NULL, 1, 256) /* B-scans in a mean */             \
  CHOICE (speckle, "speckle", NULL) /* of octspeckle, or none */               \
  CHOICE (solver, "solver", "solver")                                          \
  NUMBER (tau, "tau", "tau", 0.0, 1000.0)                                      \
  NUMBER (sampling_rate, "samplingRate", "sampling-rate", G_MINDOUBLE, 1.0)    \
  CHOICE (fill, "fill", NULL)      /* id of an OctFillWay */                   \
  SWITCH (still, "still", NULL)    /* parts common to all A-lines stay */      \
  NUMBER (density, "density", NULL, 0.0, 10.0) /* of a mirror's filter, OD */  \
  SWITCH (roll_off, "rollOff", NULL) /* a mirror's depths are collected */
/* clang-format on */

#define OCT_LIVE_SWITCH_MEMBER(member, ...) gboolean member;
#define OCT_LIVE_NUMBER_MEMBER(member, ...) double member;
#define OCT_LIVE_COUNT_MEMBER(member, ...) gint member;
#define OCT_LIVE_CHOICE_MEMBER(member, ...) const char *member;

typedef struct {
  OCT_LIVE_SETTINGS (OCT_LIVE_SWITCH_MEMBER, OCT_LIVE_NUMBER_MEMBER,
      OCT_LIVE_COUNT_MEMBER, OCT_LIVE_CHOICE_MEMBER)
  /* results of searches, not of messages */
  const char *k_warp;     /* correction of the wavenumbers, or NULL */
  const char *background; /* spectrum that was taken, or NULL */
} OctLiveSettings;

#define OCT_LIVE_SETTING_INDEX(member, ...) OCT_LIVE_SETTING_##member,

/* The place of each member in the table. */
typedef enum {
  OCT_LIVE_SETTINGS (OCT_LIVE_SETTING_INDEX, OCT_LIVE_SETTING_INDEX,
      OCT_LIVE_SETTING_INDEX, OCT_LIVE_SETTING_INDEX) OCT_LIVE_N_SETTINGS
} OctLiveSettingIndex;

typedef enum {
  OCT_LIVE_SWITCH,
  OCT_LIVE_NUMBER,
  OCT_LIVE_COUNT,
  OCT_LIVE_CHOICE,
} OctLiveSettingKind;

typedef struct {
  const char *name;     /* in messages */
  const char *property; /* of octreconstruct, or NULL */
  OctLiveSettingKind kind;
  gsize offset; /* in OctLiveSettings */
  double least, most;
} OctLiveSetting;

/* Static table. */
extern const OctLiveSetting oct_live_settings_table[OCT_LIVE_N_SETTINGS];

/* The value, of the type that its kind says. */
gpointer oct_live_setting_at (
    const OctLiveSetting *setting, const OctLiveSettings *settings);

/* FALSE if the value is not allowed.  A choice is letters, digits and '-', 32
 * at most; a copy, for oct_live_settings_free_choices(). */
gboolean oct_live_setting_read (
    const OctLiveSetting *setting, JsonNode *value, OctLiveSettings *settings);
void oct_live_settings_free_choices (OctLiveSettings *settings);

/* Copies those of `given`, bits by their place; choices as pointers. */
void oct_live_settings_copy (
    const OctLiveSettings *from, guint64 given, OctLiveSettings *to);

/* Adds those of the table as members of an object. */
void oct_live_settings_add (
    const OctLiveSettings *settings, JsonBuilder *builder);

G_END_DECLS
