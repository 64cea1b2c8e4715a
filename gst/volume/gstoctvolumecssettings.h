/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings and results of octvolumecs, and their properties.
 */
#pragma once

#include "gstoctcaps.h"
#include "gstoctproperties.h"
#include "oct-volume-cs.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_VOLUME_CS_METHOD_AUTO,
  GST_OCT_VOLUME_CS_METHOD_LINEAR,
  GST_OCT_VOLUME_CS_METHOD_JOINT,
  GST_OCT_VOLUME_CS_METHOD_ENVELOPE,
  GST_OCT_VOLUME_CS_METHOD_PAPER
} GstOctVolumeCsMethodChoice;

typedef struct {
  /* set */
  GstOctVolumeCsMethodChoice method;
  char *mask_file;
  double spot_x, spot_y, noise, tau;
  guint steps;
  OctVolumeCsBasis basis;
  OctWindow window;
  double rate;
  guint64 seed;
  gboolean same_samples;
  /* found */
  char *chosen, *reason;
  double coherence_x, coherence_y, found_x, found_y, noise_found;
  double phase_step_x, phase_step_y;
  guint64 missing;
} GstOctVolumeCsSettings;

extern const GstOctProperties gst_oct_volume_cs_properties;

/* Marks the enums as API of the plugin. */
void gst_oct_volume_cs_settings_mark (void);

/* The parameters for such input, but for the mask. */
OctVolumeCsParams gst_oct_volume_cs_settings_get_params (
    const GstOctVolumeCsSettings *settings, const GstOctInfo *input);

/* The given settings, and fitting values for those that are automatic; *reason:
 * why that method. */
OctVolumeCsSettings gst_oct_volume_cs_settings_choose (
    const GstOctVolumeCsSettings *settings, const OctVolumeCsParams *params,
    const OctVolumeCsMeasures *measures, const char **reason);

/* Those of this volume, where the spot does not pass them: a heart beats, and a
 * hand shakes, from volume to volume. */
void gst_oct_volume_cs_settings_set_phase_steps (
    OctVolumeCsSettings *use, const OctVolumeCsMeasures *measures);

/* The mask of the file that is set, `sent` from upstream (or NULL), or, where
 * samples alone are missing, all A-lines; of B-scans of `lines` A-lines,
 * `bscans` of them a volume (0: nobody says it).  To be released; NULL with an
 * error. */
OctScanMask *gst_oct_volume_cs_settings_find_mask (
    const GstOctVolumeCsSettings *settings, OctScanMask *sent,
    const OctVolumeCsParams *params, guint lines, guint bscans, GError **error);
/* Whether such B-scans are as the mask has them; *whole: of all A-lines. */
gboolean gst_oct_volume_cs_check_mask (const OctScanMask *mask, guint lines,
    guint bscans, gboolean *whole, GError **error);

/* As `method` has it. */
const char *gst_oct_volume_cs_get_nick (OctVolumeCsMethod method);

G_END_DECLS
