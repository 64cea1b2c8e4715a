/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-reports.h"

#include "oct-colormap.h"
#include "oct-live-json.h"
#include "oct-method-names.h"
#include "oct-sensing.h"

static void
add_settings (JsonBuilder *builder, OctLive *live)
{
  OctLiveSettings settings;

  oct_live_graph_get_settings (live->graph, &settings);
  oct_live_settings_add (&settings, builder);
  oct_live_json_add_string (builder, "kWarp", settings.k_warp);
  oct_live_json_add_boolean (
      builder, "hasBackground", settings.background != NULL);
}

static void
add_recording (JsonBuilder *builder, OctLive *live)
{
  OctLiveRecordingStatus status;

  if (live->recording == NULL)
    return;
  oct_live_recording_get_status (live->recording, &status);
  if (status.message == NULL && !status.active)
    status.message = live->recording_note;
  if (status.message == NULL)
    status.message = status.gaps;
  json_builder_set_member_name (builder, "recording");
  json_builder_begin_object (builder);
  oct_live_json_add_boolean (builder, "active", status.active);
  oct_live_json_add_boolean (builder, "finishing", status.finishing);
  oct_live_json_add_string (builder, "name", status.name);
  oct_live_json_add_string (builder, "message", status.message);
  oct_live_json_add_number (builder, "seconds", status.seconds);
  oct_live_json_add_number (builder, "frames", status.frames);
  oct_live_json_add_number (builder, "dropped", status.dropped);
  oct_live_json_add_number (builder, "second", status.second);
  oct_live_json_add_number (builder, "bytes", status.bytes);
  oct_live_json_add_number (builder, "diskLeft", status.disk_left);
  oct_live_json_add_number (builder, "notes", status.notes);
  json_builder_end_object (builder);
}

static void
add_kept (JsonBuilder *builder, OctLive *live)
{
  gboolean failed;
  const char *sentence;

  if (live->kept == NULL)
    return;
  sentence = oct_live_kept_get_sentence (live->kept, &failed);
  json_builder_set_member_name (builder, "kept");
  json_builder_begin_object (builder);
  oct_live_json_add_string (builder, "sentence", sentence);
  oct_live_json_add_boolean (builder, "failed", failed);
  json_builder_end_object (builder);
}

/* The delay of the mirrors, in us. */
static void
report_add_delay (JsonBuilder *builder, const OctScanner *scanner)
{
  double delay[2];

  oct_scanner_get_delay (scanner, delay);
  oct_live_json_add_number (builder, "delayX", delay[0] * 1e6);
  oct_live_json_add_number (builder, "delayY", delay[1] * 1e6);
}

/* The scan that was asked for last. */
static void
report_add_scan (JsonBuilder *builder, OctLive *live, const OctLiveFocus *focus)
{
  gboolean delay = focus->what == OCT_LIVE_FIND_DELAY;
  OctScannerScan scan;

  if (live->scanner == NULL)
    return;
  oct_scanner_get_scan (live->scanner, &scan);
  json_builder_set_member_name (builder, "scan");
  json_builder_begin_object (builder);
  oct_live_json_add_string (builder, "pattern", scan.pattern);
  oct_live_json_add_number (builder, "width", scan.width);
  oct_live_json_add_number (builder, "height", scan.height);
  oct_live_json_add_number (builder, "x", scan.x);
  oct_live_json_add_number (builder, "y", scan.y);
  oct_live_json_add_number (builder, "angle", scan.angle);
  oct_live_json_add_string (
      builder, "fixed", oct_scanner_get_fixed (live->scanner));
  report_add_delay (builder, live->scanner);
  oct_live_json_add_boolean (
      builder, "mirrors", oct_scanner_has_mirrors (live->scanner));
  oct_live_json_add_boolean (builder, "tuning", delay && focus->looking);
  oct_live_json_add_string (builder, "tuned", delay ? focus->note : NULL);
  json_builder_end_object (builder);
}

JsonBuilder *
oct_live_report_path (OctLive *live)
{
  JsonBuilder *builder = oct_live_json_begin ("path");

  oct_live_track_add_path (live->track, builder);
  return builder;
}

JsonBuilder *
oct_live_report_state (OctLive *live)
{
  JsonBuilder *builder = oct_live_json_begin ("state");
  const char *trouble = oct_live_graph_get_trouble (live->graph);
  const char *note;
  OctLiveFocus focus;

  add_settings (builder, live);
  oct_live_json_add_boolean (
      builder, "masked", oct_live_graph_is_masked (live->graph, &note));
  oct_live_json_add_string (builder, "fillNote", note);
  oct_live_json_add_boolean (
      builder, "changing", oct_live_graph_is_changing (live->graph));
  oct_live_graph_get_focus (live->graph, &focus);
  oct_live_json_add_boolean (builder, "focusing", focus.looking);
  oct_live_json_add_boolean (builder, "taking",
      focus.looking && focus.what == OCT_LIVE_FIND_BACKGROUND);
  oct_live_json_add_boolean (builder, "focusUndoable", focus.undoable);
  oct_live_json_add_string (builder, "focusNote",
      focus.what != OCT_LIVE_FIND_DELAY ? focus.note : NULL);
  oct_live_json_add_string (builder, "undoWhat", focus.undoes);
  oct_live_json_add_string (builder, "trouble", trouble);
  report_add_scan (builder, live, &focus);
  add_recording (builder, live);
  return builder;
}

static void
add_panel (JsonBuilder *builder, const OctLivePanel *panel)
{
  json_builder_begin_object (builder);
  oct_live_json_add_number (builder, "x", panel->x);
  oct_live_json_add_number (builder, "y", panel->y);
  oct_live_json_add_number (builder, "width", panel->width);
  oct_live_json_add_number (builder, "height", panel->height);
  json_builder_end_object (builder);
}

JsonBuilder *
oct_live_report_look (OctLive *live)
{
  JsonBuilder *builder = oct_live_json_begin ("look");
  OctLiveStage *stage = oct_live_graph_get_stage (live->graph);
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  guint n = oct_live_stage_get_panels (stage, panels, &all);
  double size[3], half_turn;
  const char *unit;
  OctLiveLook look;

  oct_live_stage_get_look (stage, &look);
  half_turn = oct_live_stage_get_half_turn (stage, &unit);
  oct_live_stage_get_size (stage, size);
  oct_live_look_add (&look, builder);
  oct_live_json_add_number (
      builder, "bscans", oct_live_stage_get_bscans (stage));
  oct_live_json_add_number (builder, "halfTurn", half_turn);
  oct_live_json_add_string (builder, "unit", unit);
  oct_live_json_add_number (builder, "sizeX", size[0]);
  oct_live_json_add_number (builder, "sizeY", size[1]);
  oct_live_json_add_number (builder, "sizeZ", size[2]);
  json_builder_set_member_name (builder, "picture");
  add_panel (builder, &all);
  json_builder_set_member_name (builder, "panels");
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    add_panel (builder, &panels[i]);
  json_builder_end_array (builder);
  return builder;
}

static void
add_boxes (JsonBuilder *builder, const char *name,
    const OctLiveBox boxes[OCT_LIVE_EYES])
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < OCT_LIVE_EYES && boxes[i].width > 0; i++) {
    const OctLivePanel panel = { boxes[i].x, boxes[i].y, boxes[i].width,
      boxes[i].height };

    add_panel (builder, &panel);
  }
  json_builder_end_array (builder);
}

JsonBuilder *
oct_live_report_screen (OctLiveScreen *screen)
{
  JsonBuilder *builder = oct_live_json_begin ("screen");
  OctLiveScreenState state;

  oct_live_screen_get_state (screen, &state);
  oct_live_json_add_string (
      builder, "layout", oct_live_layout_names[state.layout]);
  oct_live_json_add_string (builder, "eyes", oct_live_eye_names[state.eyes]);
  oct_live_json_add_boolean (builder, "stereo", state.stereo);
  oct_live_json_add_boolean (builder, "on", state.on);
  oct_live_json_add_number (builder, "width", state.width);
  oct_live_json_add_number (builder, "height", state.height);
  add_boxes (builder, "fields", state.places.field);
  add_boxes (builder, "octs", state.places.oct);
  oct_live_json_add_boolean (builder, "aimedLeft", state.aimed[0]);
  oct_live_json_add_boolean (builder, "aimedRight", state.aimed[1]);
  oct_live_json_add_boolean (builder, "keeps", state.keeps);
  oct_live_json_add_string (builder, "trouble", state.trouble);
  return builder;
}

static void
report_add_methods (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "methods");
  json_builder_begin_array (builder);
  for (const OctMethod *method = oct_methods (); method->id; method++) {
    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "id", method->id);
    oct_live_json_add_string (builder, "label", method->label);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
report_add_patterns (JsonBuilder *builder)
{
  const char *const *names = oct_scanner_get_patterns ();

  json_builder_set_member_name (builder, "patterns");
  json_builder_begin_array (builder);
  for (guint i = 0; names[i] != NULL; i++)
    json_builder_add_string_value (builder, names[i]);
  json_builder_end_array (builder);
}

static void
add_solvers (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "solvers");
  json_builder_begin_array (builder);
  for (const GEnumValue *solver = oct_sensing_solvers (); solver->value_nick;
       solver++) {
    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "id", solver->value_nick);
    oct_live_json_add_string (builder, "label", solver->value_name);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* Colours of the 256 grey levels, hexadecimal. */
static void
add_colour_map (JsonBuilder *builder, const char *name, guint map)
{
  guint8 colors[OCT_COLORMAP_VALUES];
  g_autoptr (GString) text = g_string_new (NULL);

  oct_colormap_fill (&oct_colormaps[map].stops, colors);
  for (guint k = 0; k < OCT_COLORMAP_VALUES; k++)
    g_string_append_printf (text, "%02x", colors[k]);
  oct_live_json_add_string (builder, name, text->str);
}

static void
add_colours (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "colours");
  json_builder_begin_object (builder);
  /* the others are for pictures of depths and of speeds */
  for (guint i = 0; i < OCT_N_COLORMAPS; i++)
    if (i != OCT_COLORMAP_DEPTH && i != OCT_COLORMAP_DOPPLER)
      add_colour_map (builder, oct_colormaps[i].nick, i);
  json_builder_end_object (builder);
  add_colour_map (builder, "dopplerColours", OCT_COLORMAP_DOPPLER);
}

static void
add_ways (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "ways");
  json_builder_begin_array (builder);
  for (const OctFillWay *way = oct_fill_ways (); way->id != NULL; way++) {
    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "id", way->id);
    oct_live_json_add_string (builder, "label", way->label);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

void
oct_live_report_offers (OctLive *live, JsonBuilder *builder)
{
  oct_live_json_add_boolean (
      builder, "settable", oct_live_graph_has_settings (live->graph));
  oct_live_json_add_boolean (builder, "recordable", live->recording != NULL);
  oct_live_json_add_number (builder, "keepSeconds",
      live->kept != NULL ? oct_live_kept_get_seconds (live->kept) : 0);
  oct_live_json_add_boolean (
      builder, "measurable", oct_live_graph_has_settings (live->graph));
  oct_live_json_add_number (builder, "width", live->width_um * 1e-6);
  oct_live_json_add_number (builder, "length", live->length_um * 1e-6);
  oct_live_json_add_number (builder, "refractiveIndex", live->refractive_index);
  oct_live_json_add_string (builder, "scanEnds",
      oct_live_graph_get_ends (live->graph, OCT_ENDS_SCAN));
  oct_live_json_add_string (builder, "slowEnds",
      oct_live_graph_get_ends (live->graph, OCT_ENDS_SLOW));
  report_add_methods (builder);
  add_solvers (builder);
  add_ways (builder);
  report_add_patterns (builder);
  add_colours (builder);
  oct_live_json_add_string (builder, "sensing", OCT_SENSING_METHOD);
  oct_live_json_add_string (builder, "stallAdvice", OCT_LIVE_STALL_ADVICE);
}

void
oct_live_report_status (
    OctLive *live, const OctLiveCounts *counts, JsonBuilder *builder)
{
  OctLiveInfo info;

  oct_live_graph_get_info (live->graph, &info);
  oct_live_json_add_number (builder, "missed", counts->missed);
  oct_live_json_add_number (builder, "lostLines", (double)info.lost_lines);
  oct_live_json_add_number (builder, "rate", live->rate);
  oct_live_json_add_number (builder, "nominalRate", info.rate);
  oct_live_json_add_number (
      builder, "silence", oct_live_graph_get_silence (live->graph));
  oct_live_json_add_number (builder, "viewers", live->clients->len);
  oct_live_json_add_number (builder, "lines", info.width);
  oct_live_json_add_number (builder, "depths", info.height);
  oct_live_json_add_number (builder, "xSpacing", info.x_spacing);
  oct_live_json_add_number (builder, "zSpacing", info.z_spacing);
  oct_live_json_add_number (builder, "firstDepth", info.depth_start);
  oct_live_json_add_number (builder, "allDepths", info.all_depths);
  oct_live_json_add_number (builder, "black", info.black);
  oct_live_json_add_number (builder, "white", info.white);
  oct_live_json_add_string (builder, "backend", info.backend);
  oct_live_json_add_string (builder, "encoder", info.encoder);
  oct_live_track_add_status (live->track, builder);
  add_recording (builder, live);
  add_kept (builder, live);
}
