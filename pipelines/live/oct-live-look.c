/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-look.h"
#include "oct-live-json.h"

#include <math.h>

/* Parts of the volume that must be left of it. */
#define LEAST_CROP 0.01
/* Rows near zero delay, of images that are not small. */
#define ZERO_DELAY (1.0 / 64)

static const char *const shows[] = { "bscan", "volume", "enface", "planes",
  "flow", "doppler", "dynamic", NULL };
/* "auto" is the best one that the computer is fast enough for. */
static const char *const renderings[] = { "auto", "full", "once", "alpha",
  "mip", "mean", NULL };
static const char *const switched[] = { "false", "true", NULL };
static const char *const eyes[] = { "none", "side-by-side", NULL };
static const char *const slabs[] = { "mean", "max", "sum", NULL };
static const char *const vessels[] = { "mean", "max", NULL };
static const char *const betweens[] = { "lines", "repeats", NULL };
/* of A-lines and depths, odd ones */
static const char *const windows[] = { "1", "3", "5", "7", "9", NULL };

#define NUMBER(name_, element_, property_, show_, least_, most_, first_)       \
  {                                                                            \
    .name = name_, .element = element_, .property = property_, .show = show_,  \
    .least = least_, .most = most_, .first = first_                            \
  }
#define VOLUME(name, property, least, most, first)                             \
  NUMBER (name, "octvolume", property, OCT_LIVE_BSCANS, least, most, first)
#define ENFACE(name, property, least, most, first)                             \
  NUMBER (name, "octenface", property, OCT_LIVE_BSCANS, least, most, first)
#define SLICE(name, property)                                                  \
  NUMBER (name, "octslice", property, OCT_LIVE_BSCANS, 0.0, 1.0, 0.5)
#define WINDOW(name_, element_, show_, first_)                                 \
  {                                                                            \
    .name = name_, .element = element_, .property = "window-lines",            \
    .also = "window-bins", .show = show_, .choices = windows, .first = first_  \
  }

const OctLiveLookField oct_live_look_fields[OCT_LIVE_N_LOOKS] = {
  [OCT_LIVE_SHOW] = { .name = "show", .choices = shows },
  [OCT_LIVE_YAW] = VOLUME ("yaw", "yaw", -360.0, 360.0, -35.0),
  [OCT_LIVE_PITCH] = VOLUME ("pitch", "pitch", -90.0, 90.0, 34.0),
  [OCT_LIVE_ZOOM] = VOLUME ("zoom", "zoom", 0.2, 20.0, 0.9),
  [OCT_LIVE_PAN_X] = VOLUME ("panX", "pan-x", -10.0, 10.0, 0.0),
  [OCT_LIVE_PAN_Y] = VOLUME ("panY", "pan-y", -10.0, 10.0, 0.0),
  [OCT_LIVE_RENDERING] = { .name = "rendering",
      .element = "octvolume",
      .property = "mode",
      .choices = renderings },
  [OCT_LIVE_THRESHOLD] = VOLUME ("threshold", "threshold", -1.0, 255.0, -1.0),
  [OCT_LIVE_OPACITY] = VOLUME ("opacity", "opacity", 0.0, 100.0, 1.0),
  [OCT_LIVE_STEREO] = { .name = "stereo",
      .element = "octvolume",
      .property = "stereo",
      .choices = eyes },
  [OCT_LIVE_CROP_LEFT] = VOLUME ("cropLeft", "crop-left", 0.0, 1.0, 0.0),
  [OCT_LIVE_CROP_RIGHT] = VOLUME ("cropRight", "crop-right", 0.0, 1.0, 1.0),
  [OCT_LIVE_CROP_FRONT] = VOLUME ("cropFront", "crop-front", 0.0, 1.0, 0.0),
  [OCT_LIVE_CROP_BACK] = VOLUME ("cropBack", "crop-back", 0.0, 1.0, 1.0),
  /* the bright rows near zero delay would cover all else: below those */
  [OCT_LIVE_CROP_TOP] = VOLUME ("cropTop", "crop-top", -1.0, 1.0, -1.0),
  [OCT_LIVE_CROP_BOTTOM] = VOLUME ("cropBottom", "crop-bottom", 0.0, 1.0, 1.0),
  [OCT_LIVE_CUT_X] = VOLUME ("cutX", "cut-x", 0.0, 1.0, 0.0),
  [OCT_LIVE_CUT_Y] = VOLUME ("cutY", "cut-y", 0.0, 1.0, 0.0),
  [OCT_LIVE_SLAB_MODE] = { .name = "slabMode",
      .element = "octenface",
      .property = "mode",
      .choices = slabs },
  [OCT_LIVE_FLATTEN] = { .name = "flatten",
      .element = "octenface",
      .property = "flatten",
      .choices = switched },
  [OCT_LIVE_SLAB_START] = ENFACE ("slabStart", "start", -1e5, 1e5, 0.0),
  [OCT_LIVE_SLAB_THICKNESS] =
      ENFACE ("slabThickness", "thickness", 0.0, 1e5, 0.0),
  [OCT_LIVE_AT_X] = SLICE ("atX", "position-x"),
  [OCT_LIVE_AT_Y] = SLICE ("atY", "position-y"),
  [OCT_LIVE_AT_Z] = SLICE ("atZ", "position-z"),
  /* white is at 13 dB */
  [OCT_LIVE_FLOW_LEAST] =
      NUMBER ("flowLeast", "octangio", "min", OCT_LIVE_FLOW, 0.0, 12.0, 3.0),
  [OCT_LIVE_FLOW_WINDOW] = WINDOW ("flowWindow", "octangio", OCT_LIVE_FLOW, 1),
  [OCT_LIVE_FLOW_MODE] = { .name = "flowMode",
      .element = "octenface",
      .property = "mode",
      .show = OCT_LIVE_FLOW,
      .choices = vessels },
  [OCT_LIVE_FLOW_START] =
      NUMBER ("flowStart", "octenface", "start", OCT_LIVE_FLOW, 0.0, 1e5, 0.0),
  [OCT_LIVE_FLOW_THICKNESS] = NUMBER (
      "flowThickness", "octenface", "thickness", OCT_LIVE_FLOW, 0.0, 1e5, 0.0),
  [OCT_LIVE_DOPPLER_BETWEEN] = { .name = "dopplerBetween",
      .element = "octdoppler",
      .property = "between",
      .show = OCT_LIVE_DOPPLER,
      .choices = betweens },
  [OCT_LIVE_DOPPLER_RANGE] = NUMBER (
      "dopplerRange", "octdoppler", "range", OCT_LIVE_DOPPLER, 0.0, 1e4, 0.0),
  [OCT_LIVE_DOPPLER_ANGLE] = NUMBER (
      "dopplerAngle", "octdoppler", "angle", OCT_LIVE_DOPPLER, 0.0, 89.0, 0.0),
  [OCT_LIVE_DOPPLER_LEAST] = NUMBER ("dopplerLeast", "octdoppler", "threshold",
      OCT_LIVE_DOPPLER, 0.0, 40.0, 5.0),
  [OCT_LIVE_DOPPLER_WINDOW] =
      WINDOW ("dopplerWindow", "octdoppler", OCT_LIVE_DOPPLER, 2),
  [OCT_LIVE_DYNAMIC_FRAMES] = NUMBER ("dynamicFrames", "octdynamic", "frames",
      OCT_LIVE_DYNAMIC, 2.0, 1024.0, 32.0),
  [OCT_LIVE_DYNAMIC_FASTEST] = NUMBER ("dynamicFastest", "octdynamic",
      "max-frequency", OCT_LIVE_DYNAMIC, 1.0, 1e5, 20.0),
};

void
oct_live_look_init (OctLiveLook *look)
{
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++)
    look->values[i] = oct_live_look_fields[i].first;
}

/* They are false and true in messages. */
static gboolean
is_switch (const OctLiveLookField *field)
{
  return field->choices == switched || field->choices == eyes;
}

static gboolean
read_choice (const OctLiveLookField *field, JsonNode *node, double *value)
{
  const char *text;

  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return FALSE;
  text = json_node_get_string (node);
  for (guint i = 0; field->choices[i] != NULL; i++)
    if (g_strcmp0 (text, field->choices[i]) == 0) {
      *value = i;
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_value (const OctLiveLookField *field, JsonNode *node, double *value)
{
  GType type = json_node_get_value_type (node);
  double number;

  if (is_switch (field)) {
    *value = type == G_TYPE_BOOLEAN && json_node_get_boolean (node);
    return type == G_TYPE_BOOLEAN;
  }
  if (field->choices != NULL)
    return read_choice (field, node, value);
  if (type != G_TYPE_DOUBLE && type != G_TYPE_INT64)
    return FALSE;
  number = type == G_TYPE_INT64 ? (double)json_node_get_int (node)
                                : json_node_get_double (node);
  /* refuses NaN, too */
  if (!(number >= field->least && number <= field->most))
    return FALSE;
  *value = number;
  return TRUE;
}

gboolean
oct_live_look_read (
    OctLiveLook *look, const char *name, JsonNode *value, guint *which)
{
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++)
    if (g_str_equal (name, oct_live_look_fields[i].name)) {
      *which = i;
      return JSON_NODE_HOLDS_VALUE (value)
             && read_value (&oct_live_look_fields[i], value, &look->values[i]);
    }
  return FALSE;
}

static double
get_low_edge (double crop)
{
  return crop < 0.0 ? ZERO_DELAY : crop;
}

const char *
oct_live_look_check (const OctLiveLook *look)
{
  for (guint i = OCT_LIVE_CROP_LEFT; i < OCT_LIVE_CROP_BOTTOM; i += 2)
    if (!(look->values[i + 1] - get_low_edge (look->values[i]) >= LEAST_CROP))
      return "Nothing would be left of the volume: the first edge of a crop "
             "has to be below the second one by a hundredth at least.";
  return NULL;
}

gboolean
oct_live_look_moves (const OctLiveLook *look)
{
  return look->values[OCT_LIVE_SHOW] >= OCT_LIVE_FLOW;
}

const char *
oct_live_look_get_choice (const OctLiveLook *look, OctLiveLookValue value)
{
  return oct_live_look_fields[value].choices[(guint)look->values[value]];
}

void
oct_live_look_add (const OctLiveLook *look, JsonBuilder *builder)
{
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++) {
    const OctLiveLookField *field = &oct_live_look_fields[i];
    double value = look->values[i];

    if (is_switch (field))
      oct_live_json_add_boolean (builder, field->name, value != 0.0);
    else if (field->choices != NULL)
      oct_live_json_add_string (
          builder, field->name, oct_live_look_get_choice (look, i));
    else
      oct_live_json_add_number (builder, field->name, value);
  }
}
