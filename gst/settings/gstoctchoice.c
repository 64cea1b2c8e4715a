/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctchoice.h"
#include "gstocterror.h"

#include <string.h>

/* Rows that are not taken, and why. */
typedef struct {
  guint64 rows;
  GError *error;
} Refusal;

static void
clear_refusal (gpointer refusal)
{
  g_clear_error (&((Refusal *)refusal)->error);
}

static GArray *
new_refusals (void)
{
  GArray *refusals = g_array_new (FALSE, FALSE, sizeof (Refusal));

  g_array_set_clear_func (refusals, clear_refusal);
  return refusals;
}

void
gst_oct_choice_init (GstOctChoice *choice, GstElement *element,
    const GstOctProperties *properties, GstOctTry try, GstOctDescribe describe)
{
  *choice = (GstOctChoice){ .element = element,
    .properties = properties,
    .try = try,
    .describe = describe,
    .set = gst_oct_settings_new (properties) };
  choice->wanted = gst_oct_settings_ref (choice->set);
}

static void
clear_former (GstOctChoice *choice)
{
  g_clear_pointer (&choice->caps, gst_oct_settings_unref);
  g_clear_pointer (&choice->former, gst_oct_settings_unref);
  g_clear_pointer (&choice->told, gst_oct_settings_unref);
  choice->refused = 0;
}

void
gst_oct_choice_clear (GstOctChoice *choice)
{
  clear_former (choice);
  g_clear_pointer (&choice->wanted, gst_oct_settings_unref);
  g_clear_pointer (&choice->set, gst_oct_settings_unref);
}

void
gst_oct_choice_forget (GstOctChoice *choice)
{
  GstOctSettings *reopened;

  GST_OBJECT_LOCK (choice->element);
  clear_former (choice);
  reopened = gst_oct_settings_reopened (choice->set);
  gst_oct_settings_unref (choice->set);
  gst_oct_settings_unref (choice->wanted);
  choice->set = reopened;
  choice->wanted = gst_oct_settings_ref (reopened);
  GST_OBJECT_UNLOCK (choice->element);
}

static GstOctSettings *
ref_or_null (GstOctSettings *settings)
{
  return settings != NULL ? gst_oct_settings_ref (settings) : NULL;
}

void
gst_oct_choice_kept_clear (GstOctChoiceKept *kept)
{
  g_clear_pointer (&kept->former, gst_oct_settings_unref);
  g_clear_pointer (&kept->told, gst_oct_settings_unref);
  kept->refused = 0;
}

void
gst_oct_choice_keep (GstOctChoice *choice, GstOctChoiceKept *kept)
{
  gst_oct_choice_kept_clear (kept);
  GST_OBJECT_LOCK (choice->element);
  kept->former = ref_or_null (choice->former);
  kept->told = ref_or_null (choice->told);
  kept->refused = choice->refused;
  GST_OBJECT_UNLOCK (choice->element);
}

void
gst_oct_choice_take_back (GstOctChoice *choice, const GstOctChoiceKept *kept)
{
  GST_OBJECT_LOCK (choice->element);
  if (choice->former == NULL && kept->former != NULL) {
    g_clear_pointer (&choice->told, gst_oct_settings_unref);
    choice->former = gst_oct_settings_ref (kept->former);
    choice->told = ref_or_null (kept->told);
    choice->refused = kept->refused;
  }
  GST_OBJECT_UNLOCK (choice->element);
}

/* The rows that caps depend on, with all that they have to go with. */
static guint64
get_caps_rows (GstOctChoice *choice)
{
  const GstOctProperties *properties = choice->properties;
  guint64 rows = 0;
  guint i;

  for (i = 0; i < properties->n_rows; i++)
    if (properties->rows[i].flags & GST_OCT_PROPERTY_CAPS)
      rows |= gst_oct_properties_get_group (properties, i);
  return rows;
}

/* ---------------------------------------------------------------- properties
 */

void
gst_oct_choice_set (GstOctChoice *choice, guint i, const GValue *value)
{
  GstOctSettings *former;

  GST_OBJECT_LOCK (choice->element);
  former = choice->set;
  choice->set =
      gst_oct_settings_with_value (former, &choice->properties->rows[i], value);
  GST_OBJECT_UNLOCK (choice->element);
  gst_oct_settings_unref (former);
}

gboolean
gst_oct_choice_publish (GstOctChoice *choice, gboolean *affects_caps)
{
  GstOctSettings *former;
  guint64 rows;

  GST_OBJECT_LOCK (choice->element);
  former = choice->wanted;
  choice->wanted = gst_oct_settings_ref (choice->set);
  rows = gst_oct_settings_compare (former, choice->wanted);
  /* what is set may mend what was refused */
  *affects_caps =
      ((rows | (rows != 0 ? choice->refused : 0)) & get_caps_rows (choice))
      != 0;
  choice->stale |= *affects_caps;
  GST_OBJECT_UNLOCK (choice->element);
  gst_oct_settings_unref (former);
  return rows != 0;
}

void
gst_oct_choice_get (GstOctChoice *choice, guint i, GValue *value)
{
  GST_OBJECT_LOCK (choice->element);
  gst_oct_properties_get (
      &choice->properties->rows[i], gst_oct_settings_get (choice->set), value);
  GST_OBJECT_UNLOCK (choice->element);
}

void
gst_oct_choice_set_found (
    GstOctChoice *choice, gsize offset, gconstpointer value, gsize size)
{
  GstOctSettings *former = NULL;
  guint i;

  GST_OBJECT_LOCK (choice->element);
  if (memcmp (G_STRUCT_MEMBER_P (gst_oct_settings_get (choice->set), offset),
          value, size)
      != 0) {
    former = choice->set;
    choice->set = gst_oct_settings_with_member (former, offset, value, size);
  }
  GST_OBJECT_UNLOCK (choice->element);
  if (former == NULL)
    return;
  gst_oct_settings_unref (former);
  for (i = 0; i < choice->properties->n_rows; i++)
    if (choice->properties->rows[i].offset == offset)
      g_object_notify (
          G_OBJECT (choice->element), choice->properties->rows[i].name);
}

/* ---------------------------------------------------------------------- caps
 */

GstOctSettings *
gst_oct_choice_ref (GstOctChoice *choice)
{
  GstOctSettings *settings;

  GST_OBJECT_LOCK (choice->element);
  settings = gst_oct_settings_ref (
      choice->caps != NULL ? choice->caps : choice->wanted);
  GST_OBJECT_UNLOCK (choice->element);
  return settings;
}

GstOctSettings *
gst_oct_choice_ref_wanted (GstOctChoice *choice)
{
  GstOctSettings *settings;

  GST_OBJECT_LOCK (choice->element);
  settings = gst_oct_settings_ref (choice->wanted);
  GST_OBJECT_UNLOCK (choice->element);
  return settings;
}

void
gst_oct_choice_set_stale (GstOctChoice *choice)
{
  GST_OBJECT_LOCK (choice->element);
  choice->stale = TRUE;
  GST_OBJECT_UNLOCK (choice->element);
}

gboolean
gst_oct_choice_is_stale (GstOctChoice *choice)
{
  gboolean stale;

  GST_OBJECT_LOCK (choice->element);
  stale = choice->stale;
  GST_OBJECT_UNLOCK (choice->element);
  return stale;
}

/* Takes the reference to `settings`. */
static void
choice_replace (
    GstOctChoice *choice, GstOctSettings **place, GstOctSettings *settings)
{
  GstOctSettings *former;

  GST_OBJECT_LOCK (choice->element);
  former = *place;
  *place = settings;
  GST_OBJECT_UNLOCK (choice->element);
  g_clear_pointer (&former, gst_oct_settings_unref);
}

/* ------------------------------------------------------------------ choosing
 */

static gboolean
choice_try (GstOctChoice *choice, const GstOctSettings *settings,
    GstOctPurpose purpose, GError **error)
{
  return choice->try (
      choice->element, gst_oct_settings_get (settings), purpose, error);
}

/* `base` with whatever of `wanted` fits, group by group; NULL when not even
 * `base` does.  Takes the reference to `base`. */
static GstOctSettings *
choice_search (GstOctChoice *choice, GstOctSettings *base,
    const GstOctSettings *wanted, GstOctPurpose purpose, GArray *refusals)
{
  guint64 differ = gst_oct_settings_compare (base, wanted);
  gboolean fits = FALSE;
  guint i;

  for (i = 0; i < choice->properties->n_rows; i++) {
    Refusal refusal = { 0 };
    GstOctSettings *one;

    if (!(differ >> i & 1))
      continue;
    refusal.rows = gst_oct_properties_get_group (choice->properties, i);
    differ &= ~refusal.rows;
    one = gst_oct_settings_with_rows (base, wanted, refusal.rows);
    if (choice_try (choice, one, purpose, &refusal.error)) {
      fits = TRUE;
      gst_oct_settings_unref (base);
      base = one;
    } else {
      gst_oct_settings_unref (one);
      g_array_append_val (refusals, refusal);
    }
  }
  if (fits || choice_try (choice, base, purpose, NULL))
    return base;
  gst_oct_settings_unref (base);
  return NULL;
}

void
gst_oct_choice_negotiate (GstOctChoice *choice)
{
  g_autoptr (GArray) refusals = new_refusals ();
  g_autoptr (GstOctSettings) wanted = NULL;
  GstOctSettings *former = NULL, *found = NULL;

  GST_OBJECT_LOCK (choice->element);
  choice->stale = FALSE;
  wanted = gst_oct_settings_ref (choice->wanted);
  if (choice->former != NULL)
    former = gst_oct_settings_ref (choice->former);
  GST_OBJECT_UNLOCK (choice->element);
  /* which reads the files that caps depend on, too */
  if (get_caps_rows (choice) != 0
      && !choice_try (choice, wanted, GST_OCT_FOR_CAPS, NULL) && former != NULL)
    found = choice_search (
        choice, g_steal_pointer (&former), wanted, GST_OCT_FOR_CAPS, refusals);
  g_clear_pointer (&former, gst_oct_settings_unref);
  choice_replace (choice, &choice->caps,
      found != NULL ? found : gst_oct_settings_ref (wanted));
}

/* Those in force, with all that caps depend on as these were negotiated. */
static GstOctSettings *
new_base (GstOctChoice *choice)
{
  return gst_oct_settings_with_rows (choice->former,
      choice->caps != NULL ? choice->caps : choice->former,
      get_caps_rows (choice));
}

/* Says that `wanted` is impossible in these rows, and what stays. */
static void
choice_warn (GstOctChoice *choice, const GstOctSettings *used, Refusal *refusal)
{
  const GstOctProperties *properties = choice->properties;
  guint first = 0;
  const char *group = NULL;
  g_autofree char *kept = NULL;

  while (!(refusal->rows >> first & 1))
    first++;
  /* all that failed together may be of several */
  if (!(refusal->rows & ~gst_oct_properties_get_group (properties, first)))
    group = properties->rows[first].group;
  if (choice->describe != NULL)
    kept =
        choice->describe (choice->element, gst_oct_settings_get (used), group);
  if (kept == NULL) {
    g_autofree char *values = gst_oct_settings_describe (used, refusal->rows);

    kept = g_strdup_printf ("The previous %s stays in use until then: %s.",
        group != NULL ? group : "value", values);
  }
  gst_oct_element_warn_former (choice->element, &refusal->error, kept);
}

/* Puts `used` in force (takes the reference) and reports which settings of
 * `wanted`, the `newest` that were set or the previous ones, are not used,
 * unless that has been reported. */
static void
choice_use (GstOctChoice *choice, GstOctSettings *used, GstOctSettings *wanted,
    gboolean newest, GArray *refusals)
{
  guint64 refused = 0, news = ~choice->refused;
  guint i;

  if (choice->told != NULL && newest)
    news |= gst_oct_settings_compare (choice->told, wanted);
  for (i = 0; i < refusals->len; i++) {
    Refusal *refusal = &g_array_index (refusals, Refusal, i);
    guint64 rows = refusal->rows;

    refused |= rows;
    /* of a group those that are other than they stay */
    refusal->rows &= gst_oct_settings_compare (used, wanted);
    if (rows & news)
      choice_warn (choice, used, refusal);
  }
  if (newest) {
    GST_OBJECT_LOCK (choice->element);
    choice->refused = refused;
    GST_OBJECT_UNLOCK (choice->element);
    g_clear_pointer (&choice->told, gst_oct_settings_unref);
    choice->told = gst_oct_settings_ref (wanted);
  }
  choice_replace (choice, &choice->caps, gst_oct_settings_ref (used));
  choice_replace (choice, &choice->former, used);
}

/* The nearest settings to `wanted` that work; NULL: none. */
static GstOctSettings *
use_former (GstOctChoice *choice, const GstOctSettings *wanted, GError *error,
    GArray *refusals)
{
  GstOctSettings *found = choice_search (
      choice, new_base (choice), wanted, GST_OCT_TO_TRY, refusals);
  Refusal all = { 0 };

  if (found == NULL)
    return NULL;
  if (refusals->len > 0 && choice_try (choice, found, GST_OCT_TO_USE, NULL))
    return found;
  /* they fit, but there is no memory for them, or the like */
  gst_oct_settings_unref (found);
  found = new_base (choice);
  all.rows = gst_oct_settings_compare (found, wanted);
  if (all.rows == 0 || !choice_try (choice, found, GST_OCT_TO_USE, NULL)) {
    gst_oct_settings_unref (found);
    return NULL;
  }
  all.error = g_error_copy (error);
  g_array_set_size (refusals, 0);
  g_array_append_val (refusals, all);
  return found;
}

gboolean
gst_oct_choice_configure (GstOctChoice *choice, GError **error)
{
  g_autoptr (GArray) refusals = new_refusals ();
  g_autoptr (GstOctSettings) wanted = NULL;
  GstOctSettings *used = NULL;
  GError *local = NULL;
  gboolean newest;

  GST_OBJECT_LOCK (choice->element);
  newest = !choice->stale || choice->caps == NULL;
  wanted = gst_oct_settings_ref (newest ? choice->wanted : choice->caps);
  GST_OBJECT_UNLOCK (choice->element);
  if (choice_try (choice, wanted, GST_OCT_TO_USE, &local))
    used = gst_oct_settings_ref (wanted);
  else if (choice->former != NULL)
    used = use_former (choice, wanted, local, refusals);
  if (used == NULL) {
    g_propagate_error (error, local);
    return FALSE;
  }
  g_clear_error (&local);
  choice_use (choice, used, wanted, newest, refusals);
  return TRUE;
}
