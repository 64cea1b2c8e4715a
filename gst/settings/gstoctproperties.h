/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Properties as rows of a constant table over a struct of settings: how they
 * are called, what they may be and where they are kept.
 *
 *   typedef struct {
 *     double weight;
 *   } Settings;
 *
 *   static const GstOctProperty rows[] = {
 *     { "weight", "Weight", "Weight of ..., dimensionless",
 *         GST_OCT_PROPERTY_LIVE, NULL,
 *         GST_OCT_DOUBLE (Settings, weight, 0.0, 1.0, 0.1) },
 *   };
 *   static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings,
 *       rows);
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_OCT_PROPERTY_LIVE = 1 << 0, /* also while images are being made */
  GST_OCT_PROPERTY_CAPS = 1 << 1, /* caps can depend on it */
  GST_OCT_PROPERTY_READ_ONLY = 1 << 2,
  GST_OCT_PROPERTY_CONTROLLABLE = 1 << 3,
  /* follows a curve over time if there is one */
  GST_OCT_PROPERTY_RAMPED =
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CONTROLLABLE,
} GstOctPropertyFlags;

typedef enum {
  GST_OCT_TYPE_BOOLEAN,   /* gboolean */
  GST_OCT_TYPE_INT,       /* gint */
  GST_OCT_TYPE_UINT,      /* guint */
  GST_OCT_TYPE_UINT64,    /* guint64 */
  GST_OCT_TYPE_DOUBLE,    /* double */
  GST_OCT_TYPE_ENUM,      /* an enum */
  GST_OCT_TYPE_STRING,    /* char *, owned */
  GST_OCT_TYPE_FILE,      /* the same, with the content of the file */
  GST_OCT_TYPE_STRUCTURE, /* GstStructure *, owned; can only be read */
} GstOctPropertyType;

/* The content of a file: counted, read at its first use and not before.  Copies
 * of settings share it; setting the path, even to the same one, makes a new
 * one. */
typedef struct {
  gpointer (*open) (const char *path);
  gpointer (*ref) (gpointer content);
  void (*unref) (gpointer content);
} GstOctFileType;

/* All texts are static. */
typedef struct {
  const char *name, *nick, *blurb;
  GstOctPropertyFlags flags;
  /* Properties that have to go together, such as the ends of a range, share a
   * word that names them: they are used together or not at all.  NULL:
   * alone. */
  const char *group;

  /* one of the macros below */
  GstOctPropertyType type;
  gsize offset; /* in the settings */
  struct {
    gint64 low;
    guint64 high;
    gint64 initial;
  } whole;
  struct {
    double low, high, initial;
  } real;
  GType (*enum_type) (void);
  const GstOctFileType *file;
  gsize content; /* offset of the content of the file, a pointer */
} GstOctProperty;

#define GST_OCT_WHOLE(kind, settings, member, least, most, first)              \
  .type = (kind), .offset = G_STRUCT_OFFSET (settings, member),                \
  .whole = { (least), (most), (first) }
#define GST_OCT_BOOLEAN(settings, member, first)                               \
  GST_OCT_WHOLE (GST_OCT_TYPE_BOOLEAN, settings, member, 0, 1, first)
#define GST_OCT_INT(settings, member, least, most, first)                      \
  GST_OCT_WHOLE (GST_OCT_TYPE_INT, settings, member, least, most, first)
#define GST_OCT_UINT(settings, member, least, most, first)                     \
  GST_OCT_WHOLE (GST_OCT_TYPE_UINT, settings, member, least, most, first)
#define GST_OCT_UINT64(settings, member, least, most, first)                   \
  GST_OCT_WHOLE (GST_OCT_TYPE_UINT64, settings, member, least, most, first)
#define GST_OCT_DOUBLE(settings, member, least, most, first)                   \
  .type = GST_OCT_TYPE_DOUBLE, .offset = G_STRUCT_OFFSET (settings, member),   \
  .real = { (least), (most), (first) }
/* get_type: see GST_OCT_DEFINE_ENUM */
#define GST_OCT_ENUM(settings, member, get_type, first)                        \
  .type = GST_OCT_TYPE_ENUM, .offset = G_STRUCT_OFFSET (settings, member),     \
  .whole = { .initial = (first) }, .enum_type = (get_type)
#define GST_OCT_STRING(settings, member)                                       \
  .type = GST_OCT_TYPE_STRING, .offset = G_STRUCT_OFFSET (settings, member)
#define GST_OCT_STRUCTURE(settings, member)                                    \
  .type = GST_OCT_TYPE_STRUCTURE, .offset = G_STRUCT_OFFSET (settings, member)
#define GST_OCT_FILE(settings, path, contents, file_type)                      \
  .type = GST_OCT_TYPE_FILE, .offset = G_STRUCT_OFFSET (settings, path),       \
  .content = G_STRUCT_OFFSET (settings, contents), .file = (file_type)

/* A function that returns the type of an enum; `values` as for
 * g_enum_register_static(). */
#define GST_OCT_DEFINE_ENUM(function, name, values)                            \
  GType function (void)                                                        \
  {                                                                            \
    static gsize type = 0;                                                     \
                                                                               \
    if (g_once_init_enter (&type))                                             \
      g_once_init_leave (&type, g_enum_register_static (name, values));        \
    return type;                                                               \
  }

#define GST_OCT_MAX_PROPERTIES 64

typedef struct {
  const GstOctProperty *rows;
  guint n_rows;
  gsize size; /* of the settings */
} GstOctProperties;

#define GST_OCT_PROPERTIES(settings, table)                                    \
  {                                                                            \
    .rows = (table), .n_rows = G_N_ELEMENTS (table), .size = sizeof (settings) \
  }

/* A property without GST_OCT_PROPERTY_LIVE is for the time before the start.
 * gstoctinstall.h installs tables. */
GParamSpec *gst_oct_property_new_spec (const GstOctProperty *row);

/* Settings in memory of the caller, which is zeros before init(): `settings`
 * owns its strings and its references to contents.  None of these reads a file;
 * the caller locks memory that it shares. */
void gst_oct_properties_init (
    const GstOctProperties *properties, gpointer settings);
void gst_oct_properties_clear (
    const GstOctProperties *properties, gpointer settings);
/* `value` is of the type of the property. */
void gst_oct_properties_set (
    const GstOctProperty *row, gpointer settings, const GValue *value);
void gst_oct_properties_get (
    const GstOctProperty *row, gconstpointer settings, GValue *value);

/* Settings that never change, counted: for any threads. */
typedef struct _GstOctSettings GstOctSettings;

/* The values at first. */
GstOctSettings *gst_oct_settings_new (const GstOctProperties *properties);
GstOctSettings *gst_oct_settings_ref (GstOctSettings *settings);
void gst_oct_settings_unref (GstOctSettings *settings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstOctSettings, gst_oct_settings_unref)

/* The struct, valid as long as `settings`. */
gconstpointer gst_oct_settings_get (const GstOctSettings *settings);

/* The same but for one row, or for a member of `size` bytes at `offset`. */
GstOctSettings *gst_oct_settings_with_value (const GstOctSettings *settings,
    const GstOctProperty *row, const GValue *value);
GstOctSettings *gst_oct_settings_with_member (const GstOctSettings *settings,
    gsize offset, gconstpointer member, gsize size);
/* The same with files that are read again. */
GstOctSettings *gst_oct_settings_reopened (const GstOctSettings *settings);
/* `settings` with some rows as in `other`; row i is bit i of `rows`. */
GstOctSettings *gst_oct_settings_with_rows (
    const GstOctSettings *settings, const GstOctSettings *other, guint64 rows);

/* The rows in which they differ; those that are read only are not compared. */
guint64 gst_oct_settings_compare (
    const GstOctSettings *a, const GstOctSettings *b);

/* Row `i` and all that have to go with it. */
guint64 gst_oct_properties_get_group (
    const GstOctProperties *properties, guint i);

/* "name=value, ..." of some rows, "name not set" of an empty text; g_free() it. */
char *gst_oct_settings_describe (const GstOctSettings *settings, guint64 rows);

/* Has the properties that follow a curve over time take their values for
 * `time`, a time stamp of `segment`.  Without such a time they stay as they
 * are. */
void gst_oct_properties_sync (
    GstObject *object, const GstSegment *segment, GstClockTime time);

G_END_DECLS
