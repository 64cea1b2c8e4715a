/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctinstall.h"
#include "gstocterror.h"

/* The data of the GParamSpec of a row: it has a holder or a chooser. */
typedef struct {
  const GstOctHolder *holder;
  const GstOctChooser *chooser;
  const GstOctProperty *rows;
  guint i;
} Installed;

static G_DEFINE_QUARK (gst - oct - installed, installed) static G_DEFINE_QUARK (
    gst - oct - chooser, chooser)

    static const Installed *get_installed (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, installed_quark ());
}

static gpointer
find_held (const GstOctHolder *holder, GObject *object)
{
  return (guint8 *)object + holder->offset;
}

static GMutex *
get_lock (const GstOctHolder *holder, GObject *object)
{
  return holder->get_lock != NULL ? holder->get_lock (object)
                                  : GST_OBJECT_GET_LOCK (object);
}

void
gst_oct_installed_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const Installed *installed = get_installed (pspec);
  const GstOctHolder *holder = installed->holder;
  const GstOctProperty *row = &installed->rows[installed->i];

  if (gst_oct_element_refuses_property (GST_ELEMENT (object), pspec))
    return;
  if (holder == NULL) {
    gst_oct_choice_set (installed->chooser->find (object), installed->i, value);
    return;
  }
  g_mutex_lock (get_lock (holder, object));
  gst_oct_properties_set (row, find_held (holder, object), value);
  if (holder->changed != NULL)
    holder->changed (object, row);
  g_mutex_unlock (get_lock (holder, object));
}

void
gst_oct_installed_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const Installed *installed = get_installed (pspec);
  const GstOctHolder *holder = installed->holder;

  if (holder == NULL) {
    gst_oct_choice_get (installed->chooser->find (object), installed->i, value);
    return;
  }
  g_mutex_lock (get_lock (holder, object));
  if (holder->refresh != NULL)
    holder->refresh (object);
  gst_oct_properties_get (
      &installed->rows[installed->i], find_held (holder, object), value);
  g_mutex_unlock (get_lock (holder, object));
}

/* All values of one g_object_set() count together. */
static void
installed_dispatch_properties_changed (
    GObject *object, guint n_pspecs, GParamSpec **pspecs)
{
  const GstOctChooser *chooser =
      g_type_get_qdata (G_OBJECT_TYPE (object), chooser_quark ());
  GObjectClass *parent = g_type_class_peek (GST_TYPE_OBJECT);
  gboolean affects_caps;

  if (gst_oct_choice_publish (chooser->find (object), &affects_caps))
    chooser->changed (object, affects_caps);
  parent->dispatch_properties_changed (object, n_pspecs, pspecs);
}

static guint
install (const Installed *first, guint n_rows, GObjectClass *klass, guint id)
{
  g_assert (n_rows <= GST_OCT_MAX_PROPERTIES);
  klass->set_property = gst_oct_installed_set_property;
  klass->get_property = gst_oct_installed_get_property;
  for (guint i = 0; i < n_rows; i++) {
    GParamSpec *pspec = gst_oct_property_new_spec (&first->rows[i]);
    Installed *installed = g_memdup2 (first, sizeof *first);

    installed->i = i;
    g_param_spec_set_qdata_full (pspec, installed_quark (), installed, g_free);
    g_object_class_install_property (klass, id++, pspec);
  }
  return id;
}

guint
gst_oct_holder_install (
    const GstOctHolder *holder, GObjectClass *klass, guint first_id)
{
  const GstOctProperties *properties = holder->properties;
  Installed first = { .holder = holder, .rows = properties->rows };

  return install (&first, properties->n_rows, klass, first_id);
}

guint
gst_oct_chooser_install (const GstOctChooser *chooser,
    const GstOctProperties *properties, GObjectClass *klass, guint first_id)
{
  Installed first = { .chooser = chooser, .rows = properties->rows };

  g_type_set_qdata (
      G_OBJECT_CLASS_TYPE (klass), chooser_quark (), (gpointer)chooser);
  klass->dispatch_properties_changed = installed_dispatch_properties_changed;
  return install (&first, properties->n_rows, klass, first_id);
}
