/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-begin.h"
#include "oct-live-json.h"

#define MOST_UM 1e6

const OctLiveBeginNumber oct_live_begin_numbers[OCT_LIVE_N_BEGIN_NUMBERS] = {
  [OCT_LIVE_BEGIN_SAMPLES] = { "samples", TRUE, 2.0, 1048576.0 },
  [OCT_LIVE_BEGIN_LINES] = { "lines", TRUE, 1.0, 65536.0 },
  [OCT_LIVE_BEGIN_BSCANS] = { "bscans", TRUE, 1.0, 8192.0 },
  [OCT_LIVE_BEGIN_REPEATS] = { "repeats", TRUE, 1.0, 1024.0 },
  [OCT_LIVE_BEGIN_WIDTH] = { "width-um", FALSE, 1.0, MOST_UM },
  [OCT_LIVE_BEGIN_LENGTH] = { "length-um", FALSE, 1.0, MOST_UM },
  [OCT_LIVE_BEGIN_INDEX] = { "refractive-index", FALSE, 1.0, 4.0 },
  [OCT_LIVE_BEGIN_KEEP] = { "keep-seconds", TRUE, 1.0, 600.0 },
};

void
oct_live_begin_clear (OctLiveBegin *begin)
{
  g_free (begin->source);
  g_free (begin->microscope);
  g_free (begin->calibration);
  g_free (begin->instrument);
  g_free (begin->save);
  *begin = (OctLiveBegin){ 0 };
}

void
oct_live_begin_copy (const OctLiveBegin *from, OctLiveBegin *to)
{
  OctLiveBegin copy = *from;

  copy.source = g_strdup (from->source);
  copy.microscope = g_strdup (from->microscope);
  copy.calibration = g_strdup (from->calibration);
  copy.instrument = g_strdup (from->instrument);
  copy.save = g_strdup (from->save);
  oct_live_begin_clear (to);
  *to = copy;
}

/* Refuses NaN, too. */
static gboolean
begin_read_number (
    JsonNode *node, const OctLiveBeginNumber *number, double *value)
{
  GType type = json_node_get_value_type (node);

  if (type != G_TYPE_INT64 && (type != G_TYPE_DOUBLE || number->whole))
    return FALSE;
  *value = type == G_TYPE_INT64 ? (double)json_node_get_int (node)
                                : json_node_get_double (node);
  return *value >= number->least && *value <= number->most;
}

const char *
oct_live_begin_read_numbers (
    JsonObject *object, OctLiveBegin *begin, guint *known)
{
  for (guint i = 0; i < OCT_LIVE_N_BEGIN_NUMBERS; i++) {
    const OctLiveBeginNumber *number = &oct_live_begin_numbers[i];
    JsonNode *node = json_object_get_member (object, number->option);

    if (node == NULL)
      continue;
    if (!begin_read_number (node, number, &begin->numbers[i]))
      return number->option;
    begin->given |= 1u << i;
    *known += 1;
  }
  return NULL;
}

void
oct_live_begin_add (const OctLiveBegin *begin, JsonBuilder *builder)
{
  oct_live_json_add_string (builder, "source", begin->source);
  oct_live_json_add_string (builder, "microscope", begin->microscope);
  oct_live_json_add_string (builder, "calibration", begin->calibration);
  oct_live_json_add_string (builder, "instrument", begin->instrument);
  oct_live_json_add_string (builder, "save", begin->save);
  oct_live_json_add_boolean (builder, "flow", begin->flow);
  oct_live_json_add_boolean (builder, "record", begin->record);
  for (guint i = 0; i < OCT_LIVE_N_BEGIN_NUMBERS; i++)
    if ((begin->given & 1u << i) != 0)
      oct_live_json_add_number (
          builder, oct_live_begin_numbers[i].option, begin->numbers[i]);
}

static void
begin_add_text (GStrvBuilder *arguments, const char *option, const char *text)
{
  g_autofree char *argument = g_strdup_printf ("--%s=%s", option, text);

  if (text != NULL && *text != '\0')
    g_strv_builder_add (arguments, argument);
}

void
oct_live_begin_add_arguments (
    const OctLiveBegin *begin, GStrvBuilder *arguments)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < OCT_LIVE_N_BEGIN_NUMBERS; i++)
    if ((begin->given & 1u << i) != 0)
      begin_add_text (arguments, oct_live_begin_numbers[i].option,
          g_ascii_dtostr (text, sizeof text, begin->numbers[i]));
  if (begin->flow)
    g_strv_builder_add (arguments, "--flow");
  begin_add_text (arguments, "instrument", begin->instrument);
  begin_add_text (arguments, "save-instrument", begin->save);
}
