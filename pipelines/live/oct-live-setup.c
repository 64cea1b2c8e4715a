/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-setup.h"
#include "oct-live-finder.h"
#include "oct-live-json.h"
#include "oct-live-message.h"

#include <gio/gio.h>
#include <string.h>

#define MOST_INSTRUMENTS 500
#define FOLDER "OCT" /* in that of the user's videos */

struct _OctLiveSetup {
  char **arguments;
  char *folder;        /* of recordings, and of files if no other is given */
  char *files;         /* folder, or NULL */
  char *given;         /* source of the command line, for people, or NULL */
  char *calibration;   /* of the command line, or NULL */
  gboolean records;    /* the command line says where to */
  gboolean microscope; /* and has a microscope */
  GPtrArray *found;    /* OctLiveFound */
  OctLiveBegin last;   /* chosen in this session, if any */
  OctLiveOptions chosen;
  gboolean has_chosen; /* not taken yet */
  gboolean closed;     /* a choice was made: nothing is taken any more */
  gboolean is_new;     /* `last` saves an instrument that there was not */
  gboolean succeeded;
  char *problem; /* or NULL */
  gboolean seeking, freed;
  void (*changed) (gpointer data);
  gpointer data;
};

static gboolean
setup_refuse (GError **error, const char *format, const char *detail)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format, detail);
  return FALSE;
}

/* ----------------------------------------------------------------- what there is
 */

/* Those known without a search. */
static GPtrArray *
setup_begin_list (const OctLiveSetup *setup)
{
  GPtrArray *found = oct_live_found_new ();

  if (setup->given != NULL)
    oct_live_found_add (found, OCT_LIVE_FOUND_GIVEN, "", setup->given, NULL);
  oct_live_found_add (found, OCT_LIVE_FOUND_VIRTUAL, "",
      "Virtual OCT system, to try everything without hardware", NULL);
  if (setup->calibration != NULL)
    oct_live_found_add (found, OCT_LIVE_FOUND_CALIBRATION, "",
        setup->calibration,
        g_strdup_printf ("--calibration=%s", setup->calibration));
  if (!setup->microscope)
    oct_live_found_add (found, OCT_LIVE_FOUND_MICROSCOPE, "", "Test picture",
        g_strdup ("--microscope=test"));
  return found;
}

typedef struct {
  GPtrArray *found;
  char *files;
} Search;

static void
setup_free_search (gpointer data)
{
  Search *search = data;

  g_clear_pointer (&search->found, g_ptr_array_unref);
  g_free (search->files);
  g_free (search);
}

static void
setup_search (
    GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Search *search = data;

  oct_live_find (search->found, search->files);
  g_task_return_boolean (task, TRUE);
}

static void
setup_on_found (GObject *source, GAsyncResult *result, gpointer data)
{
  Search *search = g_task_get_task_data (G_TASK (result));
  OctLiveSetup *setup = data;

  setup->seeking = FALSE;
  if (setup->freed) {
    (void)oct_live_setup_free (setup);
    return;
  }
  g_ptr_array_unref (setup->found);
  setup->found = g_steal_pointer (&search->found);
  setup->changed (setup->data);
}

void
oct_live_setup_seek (OctLiveSetup *setup)
{
  g_autoptr (GTask) task = NULL;
  Search *search;

  if (setup->seeking)
    return;
  setup->seeking = TRUE;
  search = g_new0 (Search, 1);
  search->found = setup_begin_list (setup);
  search->files = g_strdup (setup->files);
  task = g_task_new (NULL, NULL, setup_on_found, setup);
  g_task_set_task_data (task, search, setup_free_search);
  g_task_run_in_thread (task, setup_search);
  setup->changed (setup->data);
}

static char *
setup_describe_given (const OctLiveOptions *options)
{
  const char *what = options->file.data != NULL ? options->file.data
                     : options->digitizer.socket != NULL
                         ? options->digitizer.socket
                     : options->oct_camera != NULL ? options->oct_camera
                     : options->source != NULL     ? options->source
                                                   : options->images;
  g_autofree char *name = what != NULL ? g_filename_display_name (what) : NULL;

  return name != NULL ? g_strdup_printf ("As on the command line: %s", name)
                      : NULL;
}

OctLiveSetup *
oct_live_setup_new (char *const *arguments, const OctLiveOptions *options,
    void (*changed) (gpointer data), gpointer data)
{
  OctLiveSetup *setup = g_new0 (OctLiveSetup, 1);
  const char *videos = g_get_user_special_dir (G_USER_DIRECTORY_VIDEOS);

  setup->arguments = g_strdupv ((char **)arguments);
  setup->folder = g_build_filename (
      videos != NULL ? videos : g_get_home_dir (), FOLDER, NULL);
  setup->files =
      g_strdup (options->files != NULL ? options->files : setup->folder);
  setup->given = setup_describe_given (options);
  setup->calibration = g_strdup (options->file.calibration);
  setup->records = options->record != NULL;
  setup->microscope = options->microscope != NULL;
  setup->changed = changed;
  setup->data = data;
  setup->found = setup_begin_list (setup);
  return setup;
}

gboolean
oct_live_setup_free (OctLiveSetup *setup)
{
  setup->freed = TRUE;
  if (setup->seeking)
    return FALSE;
  g_strfreev (setup->arguments);
  g_free (setup->folder);
  g_free (setup->files);
  g_free (setup->given);
  g_free (setup->calibration);
  g_ptr_array_unref (setup->found);
  oct_live_begin_clear (&setup->last);
  oct_live_options_clear (&setup->chosen);
  g_free (setup->problem);
  g_free (setup);
  return TRUE;
}

void
oct_live_setup_ask (OctLiveSetup *setup, const char *problem)
{
  g_free (setup->problem);
  setup->problem = g_strdup (problem);
  setup->closed = setup->is_new = setup->succeeded = FALSE;
  oct_live_setup_seek (setup);
}

/* -------------------------------------------------------------- for the pages */

static void
setup_add_found (JsonBuilder *builder, const GPtrArray *found)
{
  json_builder_set_member_name (builder, "found");
  json_builder_begin_array (builder);
  for (guint i = 0; i < found->len; i++) {
    const OctLiveFound *one = g_ptr_array_index (found, i);

    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "kind", oct_live_found_names[one->kind]);
    oct_live_json_add_string (builder, "key", one->key);
    oct_live_json_add_string (builder, "label", one->label);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* The file of instruments may have been written by hand. */
static void
setup_add_start (JsonBuilder *builder, const char *name)
{
  g_autofree char *start = oct_instrument_get_start (name);
  g_autoptr (OctLiveMessage) message =
      start != NULL ? oct_live_message_parse (start, strlen (start), NULL)
                    : NULL;

  if (message == NULL || message->type != OCT_LIVE_BEGIN)
    return;
  json_builder_set_member_name (builder, "start");
  json_builder_begin_object (builder);
  oct_live_begin_add (&message->begin, builder);
  json_builder_end_object (builder);
}

static void
setup_add_instruments (JsonBuilder *builder)
{
  g_auto (GStrv) names = oct_instrument_list ();

  json_builder_set_member_name (builder, "instruments");
  json_builder_begin_array (builder);
  for (guint i = 0; names[i] != NULL && i < MOST_INSTRUMENTS; i++) {
    if (!g_utf8_validate (names[i], -1, NULL))
      continue;
    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "name", names[i]);
    setup_add_start (builder, names[i]);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
setup_add_numbers (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "numbers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < OCT_LIVE_N_BEGIN_NUMBERS; i++) {
    const OctLiveBeginNumber *number = &oct_live_begin_numbers[i];

    json_builder_begin_object (builder);
    oct_live_json_add_string (builder, "name", number->option);
    oct_live_json_add_boolean (builder, "whole", number->whole);
    oct_live_json_add_number (builder, "least", number->least);
    oct_live_json_add_number (builder, "most", number->most);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

JsonBuilder *
oct_live_setup_report (const OctLiveSetup *setup, gboolean control)
{
  JsonBuilder *builder = oct_live_json_begin ("setup");
  g_autofree char *folder = g_filename_display_name (setup->folder);
  g_autofree char *files = g_filename_display_name (setup->files);

  oct_live_json_add_boolean (builder, "control", control);
  oct_live_json_add_boolean (builder, "begins", setup->closed);
  if (!control)
    return builder;
  oct_live_json_add_string (builder, "problem", setup->problem);
  oct_live_json_add_boolean (builder, "seeking", setup->seeking);
  oct_live_json_add_string (builder, "files", files);
  oct_live_json_add_string (builder, "folder", setup->records ? NULL : folder);
  oct_live_json_add_boolean (builder, "microscope", !setup->microscope);
  setup_add_found (builder, setup->found);
  setup_add_instruments (builder);
  setup_add_numbers (builder);
  if (setup->last.source != NULL) {
    json_builder_set_member_name (builder, "last");
    json_builder_begin_object (builder);
    oct_live_begin_add (&setup->last, builder);
    json_builder_end_object (builder);
  }
  return builder;
}

/* ----------------------------------------------------------------- the choice */

static const OctLiveFound *
setup_look_up (const OctLiveSetup *setup, const char *key)
{
  for (guint i = 0; i < setup->found->len; i++) {
    const OctLiveFound *one = g_ptr_array_index (setup->found, i);

    if (g_str_equal (one->key, key))
      return one;
  }
  return NULL;
}

/* Adds the argument of a key of that kind; "" is none. */
static gboolean
setup_add_key (const OctLiveSetup *setup, const char *key,
    OctLiveFoundKind kind, GStrvBuilder *arguments, GError **error)
{
  const OctLiveFound *one = setup_look_up (setup, key);

  if (*key == '\0')
    return TRUE;
  if (one == NULL || one->kind != kind)
    return setup_refuse (error,
        "This %s is not there any more; search again, or choose another one.",
        oct_live_found_names[kind]);
  g_strv_builder_add (arguments, one->argument);
  return TRUE;
}

static const OctLiveFound *
setup_look_up_source (
    const OctLiveSetup *setup, const char *key, GError **error)
{
  const OctLiveFound *source = setup_look_up (setup, key);

  if (source != NULL && source->kind != OCT_LIVE_FOUND_MICROSCOPE
      && source->kind != OCT_LIVE_FOUND_CALIBRATION)
    return source;
  setup_refuse (error,
      "This source is not there any more; search again, or choose another "
      "one.%s",
      "");
  return NULL;
}

static gboolean
setup_check_names (
    OctLiveSetup *setup, const OctLiveBegin *begin, GError **error)
{
  g_auto (GStrv) names = oct_instrument_list ();
  const char *const *all = (const char *const *)names;
  gboolean exists = g_strv_contains (all, begin->save);

  if (*begin->instrument != '\0' && !g_strv_contains (all, begin->instrument))
    return setup_refuse (error,
        "This instrument does not exist any more; choose another one.%s", "");
  if (*begin->save != '\0' && !oct_instrument_check_name (begin->save, error))
    return FALSE;
  if (exists && !g_str_equal (begin->save, begin->instrument))
    return setup_refuse (error,
        "There is an instrument '%s' already; choose it as the instrument, or "
        "save under another name.",
        begin->save);
  setup->is_new = *begin->save != '\0' && !exists;
  return TRUE;
}

/* The command line of the terminal, and of the choice what it does not say. */
static char **
setup_make_arguments (
    const OctLiveSetup *setup, const OctLiveBegin *begin, GError **error)
{
  const OctLiveFound *source =
      setup_look_up_source (setup, begin->source, error);
  g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
  g_autofree char *calibration = NULL;
  g_auto (GStrv) rest = NULL;

  if (source == NULL)
    return NULL;
  rest = source->kind == OCT_LIVE_FOUND_GIVEN
             ? g_strdupv (setup->arguments)
             : oct_live_options_drop_source (setup->arguments, &calibration);
  g_strv_builder_addv (arguments, (const char **)rest);
  if (source->argument != NULL)
    g_strv_builder_add (arguments, source->argument);
  if (!setup_add_key (setup, begin->calibration, OCT_LIVE_FOUND_CALIBRATION,
          arguments, error)
      || !setup_add_key (setup, begin->microscope, OCT_LIVE_FOUND_MICROSCOPE,
          arguments, error))
    return NULL;
  if (begin->record && !setup->records) {
    g_autofree char *record = g_strdup_printf ("--record=%s", setup->folder);

    g_strv_builder_add (arguments, record);
  }
  oct_live_begin_add_arguments (begin, arguments);
  return g_strv_builder_end (arguments);
}

static gboolean
setup_read (char *const *arguments, OctLiveOptions *options, GError **error)
{
  g_autofree char **words =
      g_new0 (char *, g_strv_length ((char **)arguments) + 1);
  g_auto (GStrv) kept = g_strdupv ((char **)arguments);
  int count = (int)g_strv_length (kept);
  char **parsed = words;
  OctDigitizerRing ring;

  /* the parser takes words away, but does not free them */
  memcpy (words, kept, count * sizeof *words);
  if (oct_live_options_parse (options, &count, &parsed, error)
      && (options->digitizer.socket == NULL
          || oct_digitizer_look (&options->digitizer, 0, &ring, error)))
    return TRUE;
  oct_live_options_clear (options);
  *options = (OctLiveOptions){ 0 };
  return FALSE;
}

gboolean
oct_live_setup_choose (
    OctLiveSetup *setup, const OctLiveBegin *begin, GError **error)
{
  g_auto (GStrv) arguments = NULL;

  if (setup->closed)
    return setup_refuse (
        error, "oct-live begins already; wait for the picture.%s", "");
  if (!setup_check_names (setup, begin, error))
    return FALSE;
  arguments = setup_make_arguments (setup, begin, error);
  if (arguments == NULL || !setup_read (arguments, &setup->chosen, error))
    return FALSE;
  oct_live_begin_copy (begin, &setup->last);
  g_clear_pointer (&setup->problem, g_free);
  setup->has_chosen = setup->closed = TRUE;
  setup->changed (setup->data);
  return TRUE;
}

gboolean
oct_live_setup_take (OctLiveSetup *setup, OctLiveOptions *options)
{
  if (!setup->has_chosen)
    return FALSE;
  *options = setup->chosen;
  setup->chosen = (OctLiveOptions){ 0 };
  setup->has_chosen = FALSE;
  return TRUE;
}

void
oct_live_setup_succeed (OctLiveSetup *setup)
{
  const OctLiveBegin *last = &setup->last;
  JsonBuilder *builder;
  g_autofree char *start = NULL;

  if (setup->succeeded)
    return;
  setup->succeeded = TRUE;
  if (*last->save != '\0') {
    OctLiveBegin next = *last;

    /* from now on it is an instrument, with the calibration in it */
    next.instrument = next.save;
    next.calibration = NULL;
    builder = oct_live_json_begin ("begin");
    oct_live_begin_add (&next, builder);
    start = oct_live_json_finish (builder);
    oct_instrument_note_start (last->save, start);
  } else if (*last->instrument != '\0')
    oct_instrument_note_start (last->instrument, NULL);
}

void
oct_live_setup_fail (OctLiveSetup *setup)
{
  if (setup->is_new && !setup->succeeded)
    oct_instrument_remove (setup->last.save);
}
