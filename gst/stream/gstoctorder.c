/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctorder.h"
#include "gstoctcaps.h"
#include "gstocterror.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_order_debug);
#define GST_CAT_DEFAULT gst_oct_order_debug

/* Whatever the elements of this plugin and cameras deliver. */
#define ANY_STREAM                                                             \
  "video/x-raw(ANY); " GST_OCT_SPECTRA_NAME "(ANY); " GST_OCT_ASCANS_NAME      \
  "(ANY); " GST_OCT_VALUES_NAME "(ANY)"

/* From a pad to the source, so that a circle has an end. */
#define MAX_ELEMENTS 64

typedef enum {
  KIND_VIDEO,
  KIND_AS_MEASURED,
  KIND_UNIFORM,
  KIND_COMPLEX,
  KIND_COMPLEX_UNIFORM,
  KIND_ASCANS,
  N_KINDS
} Kind;

static const char *const kind_names[] = {
  [KIND_VIDEO] = "video",
  [KIND_AS_MEASURED] = "spectra as measured (axis=wavelength)",
  [KIND_UNIFORM] = "spectra uniform in wavenumber (axis=wavenumber)",
  [KIND_COMPLEX] = "complex spectra as measured (axis=wavelength)",
  [KIND_COMPLEX_UNIFORM] =
      "complex spectra uniform in wavenumber (axis=wavenumber)",
  [KIND_ASCANS] = "A-scans",
};

/* Elements that make images of it, for video. */
static const char *const to_images[] = {
  [KIND_AS_MEASURED] = "octkresample ! octfft ! octlogscale",
  [KIND_UNIFORM] = "octfft ! octlogscale",
  [KIND_COMPLEX] = "octnufft ! octlogscale",
  [KIND_COMPLEX_UNIFORM] = "octfft ! octlogscale",
  [KIND_ASCANS] = "octlogscale",
};

#define ONCE                                                                   \
  "spectra become A-scans once, and after octfft, octnufft and octcs comes "   \
  "octlogscale"

/* For video: the grey format depends on its depth, see advise_grey(). */
static const char grey[] = "grey";
static const char grey_or_images[] = "grey or images";

#define RECORD                                                                 \
  "put it after the source, by a tee before octdcsub, or write values to a "   \
  "filesink"

#define WHOLE                                                                  \
  "put octreconstruct first, after the source: what is between them is in "    \
  "it already"

#define IMAGES                                                                 \
  "put what makes images of spectra between them, as octreconstruct does for " \
  "raw ones"

#define TAKES_ASCANS(name)                                                     \
  {                                                                            \
    name, "A-scans",                                                           \
    {                                                                          \
      [KIND_VIDEO] = "put octdcsub ! octkresample ! octfft between them",      \
      [KIND_AS_MEASURED] = "put octkresample ! octfft, or octnufft, "          \
                           "between them",                                     \
      [KIND_UNIFORM] = "put octfft between them",                              \
      [KIND_COMPLEX] = "put octnufft between them, or octkresample before "    \
                       "octdispersion and octfft after it",                    \
      [KIND_COMPLEX_UNIFORM] = "put octfft between them"                       \
    }                                                                          \
  }

#define TAKES_IMAGES(name)                                                     \
  {                                                                            \
    name, "images of 8 bit (video/x-raw, GRAY8 or NV12)",                      \
    {                                                                          \
      [KIND_VIDEO] = "put octreconstruct between them where these are raw "    \
                     "spectra, else videoconvert ! video/x-raw,format=GRAY8",  \
      [KIND_AS_MEASURED] = IMAGES, [KIND_UNIFORM] = IMAGES,                    \
      [KIND_COMPLEX] = IMAGES, [KIND_COMPLEX_UNIFORM] = IMAGES,                \
      [KIND_ASCANS] = "put octlogscale between them"                           \
    }                                                                          \
  }

#define GATHER "put octgather after the source, in front of octdcsub"

static const struct {
  const char *element, *takes;
  const char *advice[N_KINDS];
} elements[] = {
  { "octdcsub", "raw spectra (video/x-raw, GRAY8 or GRAY16_LE) or real spectra",
      { [KIND_VIDEO] = grey,
          [KIND_COMPLEX] = "put octdcsub before octdispersion",
          [KIND_COMPLEX_UNIFORM] = "put octdcsub before octdispersion",
          [KIND_ASCANS] = "put octdcsub first, after the source" } },
  { "octkclock",
      "raw spectra (video/x-raw, GRAY8 or GRAY16_LE) or real spectra as "
      "measured, with a k-clock",
      { [KIND_VIDEO] = grey,
          [KIND_UNIFORM] = "leave octkclock out",
          [KIND_COMPLEX] = "put octkclock first, after the source",
          [KIND_COMPLEX_UNIFORM] = "leave octkclock out",
          [KIND_ASCANS] = "put octkclock first, after the source" } },
  { "octkresample", "real spectra as measured (axis=wavelength)",
      { [KIND_VIDEO] = "put octdcsub between them",
          [KIND_UNIFORM] = "leave octkresample out",
          [KIND_COMPLEX] = "put octkresample before octdispersion",
          [KIND_COMPLEX_UNIFORM] = "leave octkresample out",
          [KIND_ASCANS] = ONCE } },
  { "octdispersion", "real spectra",
      { [KIND_VIDEO] = "put octdcsub between them",
          [KIND_COMPLEX] = "leave one octdispersion out",
          [KIND_COMPLEX_UNIFORM] = "leave one octdispersion out",
          [KIND_ASCANS] = "put octdispersion before the transform" } },
  { "octfft", "spectra uniform in wavenumber (axis=wavenumber)",
      { [KIND_VIDEO] = "put octdcsub ! octkresample between them",
          [KIND_AS_MEASURED] =
              "put octkresample between them, or octnufft in place of octfft, "
              "or set axis=wavenumber on octdcsub if the samples are uniform "
              "in wavenumber already",
          [KIND_COMPLEX] =
              "put octkresample before octdispersion, or octnufft in place of "
              "octfft, or set axis=wavenumber on octdcsub if the samples are "
              "uniform in wavenumber already",
          [KIND_ASCANS] = ONCE } },
  { "octnufft", "spectra as measured (axis=wavelength)",
      { [KIND_VIDEO] = "put octdcsub between them",
          [KIND_UNIFORM] = "leave octkresample out, or, where octdcsub has "
                           "axis=wavenumber, put octfft in place of octnufft",
          [KIND_COMPLEX_UNIFORM] =
              "leave octkresample out, or, where octdcsub has "
              "axis=wavenumber, put octfft in place of octnufft",
          [KIND_ASCANS] = ONCE } },
  { "octcs", "spectra",
      { [KIND_VIDEO] = "put octdcsub between them", [KIND_ASCANS] = ONCE } },
  { "octvolumecs",
      "A-scans, or real spectra uniform in wavenumber (axis=wavenumber)",
      { [KIND_VIDEO] = "put octdcsub ! octkresample ! octfft between them",
          [KIND_AS_MEASURED] = "put octkresample ! octfft, or octnufft, "
                               "between them",
          [KIND_COMPLEX] = "put octnufft between them, or octkresample before "
                           "octdispersion and octfft after it",
          [KIND_COMPLEX_UNIFORM] = "put octfft between them" } },
  TAKES_ASCANS ("octlogscale"),
  TAKES_ASCANS ("octalign"),
  TAKES_ASCANS ("octangio"),
  TAKES_ASCANS ("octdoppler"),
  TAKES_ASCANS ("octdynamic"),
  TAKES_ASCANS ("octrefocus"),
  { "octreconstruct",
      "raw spectra (video/x-raw, GRAY8 or GRAY16_LE) or real spectra",
      { [KIND_VIDEO] = grey,
          [KIND_AS_MEASURED] = WHOLE,
          [KIND_UNIFORM] =
              "put octreconstruct first, after the source, in place of the "
              "elements between them, or set axis=wavenumber on it",
          [KIND_COMPLEX] = WHOLE,
          [KIND_COMPLEX_UNIFORM] = WHOLE,
          [KIND_ASCANS] = WHOLE } },
  { "octgather",
      "raw spectra (video/x-raw, GRAY8 or GRAY16_LE) or real spectra",
      { [KIND_VIDEO] = grey,
          [KIND_COMPLEX] = GATHER,
          [KIND_COMPLEX_UNIFORM] = GATHER,
          [KIND_ASCANS] = GATHER } },
  TAKES_IMAGES ("octvolume"),
  TAKES_IMAGES ("octenface"),
  TAKES_IMAGES ("octslice"),
  TAKES_IMAGES ("octcolormap"),
  TAKES_IMAGES ("octflip"),
  { "octaverage", "images or A-scans",
      { [KIND_VIDEO] = "put octreconstruct between them where these are raw "
                       "spectra, else videoconvert ! video/x-raw,format=GRAY8",
          [KIND_AS_MEASURED] = IMAGES,
          [KIND_UNIFORM] = IMAGES,
          [KIND_COMPLEX] = IMAGES,
          [KIND_COMPLEX_UNIFORM] = IMAGES } },
  { "octremap", "grey images (video/x-raw, GRAY8 or GRAY16_LE) or A-scans",
      { [KIND_VIDEO] = grey_or_images,
          [KIND_AS_MEASURED] = IMAGES,
          [KIND_UNIFORM] = IMAGES,
          [KIND_COMPLEX] = IMAGES,
          [KIND_COMPLEX_UNIFORM] = IMAGES } },
  TAKES_IMAGES ("octspeckle"),
  TAKES_IMAGES ("octsharpen"),
  { "octmeter", "spectra or A-scans", { [KIND_VIDEO] = grey } },
  { "octvolumesink", "grey images (video/x-raw, GRAY8 or GRAY16_LE) or A-scans",
      { [KIND_VIDEO] = grey_or_images,
          [KIND_AS_MEASURED] = IMAGES,
          [KIND_UNIFORM] = IMAGES,
          [KIND_COMPLEX] = IMAGES,
          [KIND_COMPLEX_UNIFORM] = IMAGES } },
  { "octigtlsink", "grey images (video/x-raw, GRAY8 or GRAY16_LE)",
      { [KIND_VIDEO] = grey_or_images,
          [KIND_AS_MEASURED] = IMAGES,
          [KIND_UNIFORM] = IMAGES,
          [KIND_COMPLEX] = IMAGES,
          [KIND_COMPLEX_UNIFORM] = IMAGES,
          [KIND_ASCANS] = IMAGES } },
  { "octrawsink", "raw spectra (video/x-raw, GRAY8 or GRAY16_LE)",
      { [KIND_VIDEO] = grey,
          [KIND_AS_MEASURED] = RECORD,
          [KIND_UNIFORM] = RECORD,
          [KIND_COMPLEX] = RECORD,
          [KIND_COMPLEX_UNIFORM] = RECORD,
          [KIND_ASCANS] = RECORD } },
  { "octkeep", "raw spectra (video/x-raw, GRAY8 or GRAY16_LE) or encoded video",
      { [KIND_VIDEO] = "for video put an encoder between them, as x264enc ! "
                       "h264parse; for spectra set the camera to a grey format",
          [KIND_AS_MEASURED] = RECORD,
          [KIND_UNIFORM] = RECORD,
          [KIND_COMPLEX] = RECORD,
          [KIND_COMPLEX_UNIFORM] = RECORD,
          [KIND_ASCANS] = RECORD } },
};

/* The kind of data of a pad with these caps; N_KINDS: not known. */
static Kind
kind_of (const GstCaps *caps)
{
  const GstStructure *s;
  gboolean uniform, complex;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return N_KINDS;
  s = gst_caps_get_structure (caps, 0);
  if (gst_structure_has_name (s, "video/x-raw"))
    return KIND_VIDEO;
  if (gst_structure_has_name (s, GST_OCT_ASCANS_NAME))
    return KIND_ASCANS;
  if (!gst_structure_has_name (s, GST_OCT_SPECTRA_NAME))
    return N_KINDS;
  uniform = g_strcmp0 (gst_structure_get_string (s, "axis"), "wavenumber") == 0;
  complex = g_strcmp0 (gst_structure_get_string (s, "format"), "CF32LE") == 0;
  if (complex)
    return uniform ? KIND_COMPLEX_UNIFORM : KIND_COMPLEX;
  return uniform ? KIND_UNIFORM : KIND_AS_MEASURED;
}

/* GRAY8 for more than 8 bit would throw away what OCT lives on: with 16 bit
 * spectra, 27 dB.  Formats that are not decided yet may have any depth. */
static char *
advise_grey (const char *format)
{
  const GstVideoFormatInfo *info = format != NULL ? gst_video_format_get_info (
                                       gst_video_format_from_string (format))
                                                  : NULL;

  if (info == NULL)
    return g_strdup ("set the camera to a grey format, or put videoconvert ! "
                     "video/x-raw,format=GRAY16_LE between them (GRAY8 where "
                     "samples have 8 bit)");
  if (GST_VIDEO_FORMAT_INFO_IS_GRAY (info))
    return g_strdup ("put videoconvert ! video/x-raw,format=GRAY16_LE between "
                     "them, which keeps all bits");
  return g_strdup_printf (
      "set the camera to a grey format, or put videoconvert ! "
      "video/x-raw,format=%s between them",
      GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) > 8 ? "GRAY16_LE" : "GRAY8");
}

static char *
advise (const char *advice, const char *format)
{
  g_autofree char *converted = NULL;

  if (advice == grey)
    return advise_grey (format);
  if (advice != grey_or_images)
    return g_strdup (advice);
  converted = advise_grey (format);
  return g_strconcat ("leave octcolormap out, whose colours are not a "
                      "measurement, or ",
      converted, NULL);
}

/* Advice on an element that takes no images after one that makes them. */
static char *
advise_behind_images (const char *name, const char *former)
{
  static const char *const of_ascans[] = { "octvolumecs", "octdoppler",
    "octdynamic", "octrefocus", NULL };
  /* it makes A-scans of A-scans */
  gboolean fills =
      g_str_equal (name, "octvolumecs") || g_str_equal (name, "octrefocus");

  if (!g_strv_contains (of_ascans, name))
    return g_strdup_printf (
        "%s comes last, and after it only what takes video", former);
  if (g_str_equal (former, "octlogscale"))
    return g_strdup_printf (
        fills ? "put %s before octlogscale" : "put %s in place of octlogscale",
        name);
  if (fills)
    return g_strdup_printf (
        "set output=ascans on octreconstruct, and put octlogscale after %s",
        name);
  return g_strdup ("set output=ascans on octreconstruct");
}

/* A sentence about an element that cannot take the data of `peer`; NULL:
 * none. */
static char *
describe_order (GstElement *element, GstPad *peer, const GstCaps *given)
{
  Kind kind = kind_of (given);
  const char *name = gst_oct_element_type_name (element), *format;
  g_autoptr (GstElement) before = gst_pad_get_parent_element (peer);
  const char *former = before != NULL ? gst_oct_element_type_name (before) : "";
  gboolean is_image = g_str_equal (former, "octlogscale")
                      || g_str_equal (former, "octreconstruct");

  if (kind == N_KINDS)
    return NULL;
  format = kind == KIND_VIDEO ? gst_structure_get_string (
               gst_caps_get_structure (given, 0), "format")
                              : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autofree char *advice = NULL;

    if (!g_str_equal (elements[i].element, name)
        || elements[i].advice[kind] == NULL)
      continue;
    advice = is_image ? advise_behind_images (name, former)
                      : advise (elements[i].advice[kind], format);
    return g_strdup_printf ("%s cannot follow %s: it takes %s, not %s%s%s; %s.",
        GST_OBJECT_NAME (element),
        before != NULL ? GST_OBJECT_NAME (before) : "this element",
        elements[i].takes, kind_names[kind],
        format != NULL ? " of format " : "", format != NULL ? format : "",
        advice);
  }
  return NULL;
}

/* Reports on the bus of an application and on the terminal: a pipeline that is
 * described in text does not exist, nor does its bus, if it cannot be linked.
 * Takes `text`. */
static void
order_post (GstElement *element, char *text)
{
  GST_ERROR_OBJECT (element, "%s", text);
  g_message ("%s", text);
  gst_element_message_full (element, GST_MESSAGE_WARNING, GST_CORE_ERROR,
      GST_CORE_ERROR_NEGOTIATION, text, NULL, __FILE__, GST_FUNCTION, __LINE__);
}

/* Once for one pad: to link two elements every pair of pads is tried, some
 * twice. */
static void
order_tell (
    GstElement *element, GstPad *pad, GstPad *peer, const GstCaps *given)
{
  gsize told = (gsize)g_object_get_data (G_OBJECT (pad), "oct-told");
  char *text =
      told != (gsize)peer ? describe_order (element, peer, given) : NULL;

  if (text == NULL)
    return;
  g_object_set_data (G_OBJECT (pad), "oct-told", peer);
  order_post (element, text);
}

/* Whether some format, or axis, of these caps is one that the pad takes,
 * whatever else is in them. */
static gboolean
order_takes_kind (GstPad *pad, const GstCaps *caps)
{
  static const char *const fields[] = { "format", "axis" };
  const GstStructure *given = gst_caps_get_structure (caps, 0);
  g_autoptr (GstCaps) taken = gst_pad_get_pad_template_caps (pad);

  for (guint i = 0; i < gst_caps_get_size (taken); i++) {
    const GstStructure *s = gst_caps_get_structure (taken, i);
    gboolean fits = gst_structure_has_name (s, gst_structure_get_name (given));

    for (guint j = 0; fits && j < G_N_ELEMENTS (fields); j++) {
      const GValue *a = gst_structure_get_value (given, fields[j]);
      const GValue *b = gst_structure_get_value (s, fields[j]);

      fits = a == NULL || b == NULL || gst_value_intersect (NULL, a, b);
    }
    if (fits)
      return TRUE;
  }
  return gst_caps_get_size (taken) == 0;
}

/* Elements of this plugin have one kind of data when they are linked.  A later
 * refusal is a trial of octreconstruct, which expects that. */
static gboolean
is_of_this_plugin (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL
         && g_strcmp0 (gst_plugin_feature_get_plugin_name (
                           GST_PLUGIN_FEATURE (factory)),
                "oct")
                == 0;
}

/* The caps that were sent to a pad and refused last, under its object lock. */
typedef struct {
  GstCaps *caps;
  guint times;
} Refused;

static void
order_refused_free (gpointer data)
{
  gst_clear_caps (&((Refused *)data)->caps);
  g_free (data);
}

/* The pad on the other side of the element, of several the first. */
static GstPad *
find_linked_inside (GstPad *pad)
{
  GstIterator *pads = gst_pad_iterate_internal_links (pad);
  GValue value = G_VALUE_INIT;
  GstPad *found = NULL;

  if (pads == NULL)
    return NULL;
  if (gst_iterator_next (pads, &value) == GST_ITERATOR_OK)
    found = g_value_dup_object (&value);
  g_value_unset (&value);
  gst_iterator_free (pads);
  return found;
}

/* Whether a pad upstream has sent these caps, or an element only asks whether
 * it may.  A queue before our pad asks it, and refuses them itself. */
static gboolean
were_sent (GstPad *pad, const GstCaps *caps)
{
  GstPad *sink = gst_object_ref (pad);
  gboolean sent = FALSE;

  for (guint i = 0; i < MAX_ELEMENTS && sink != NULL && !sent; i++) {
    g_autoptr (GstPad) src = gst_pad_get_peer (sink);
    g_autoptr (GstCaps) now =
        src != NULL ? gst_pad_get_current_caps (src) : NULL;

    sent = now == caps;
    gst_object_unref (sink);
    sink = src != NULL ? find_linked_inside (src) : NULL;
  }
  gst_clear_object (&sink);
  return sent;
}

/* How often these caps were sent and refused, this time included; 0: they were
 * not sent. */
static guint
count_refused (GstPad *pad, Refused *refused, GstCaps *caps)
{
  guint times;

  if (!were_sent (pad, caps))
    return 0;
  GST_OBJECT_LOCK (pad);
  if (refused->caps != caps)
    refused->times = 0;
  gst_caps_replace (&refused->caps, caps);
  times = ++refused->times;
  GST_OBJECT_UNLOCK (pad);
  return times;
}

/* Caps that were refused are sent again with each buffer, which fails then.
 * Until a buffer comes others may take their place. */
static void
order_refuse (GstElement *element, GstPad *pad, GstPad *peer,
    const GstCaps *given, guint times)
{
  char *text = times == 2 ? describe_order (element, peer, given) : NULL;

  if (times == 0)
    order_tell (element, pad, peer, given);
  else if (text != NULL)
    gst_element_message_full (element, GST_MESSAGE_ERROR, GST_CORE_ERROR,
        GST_CORE_ERROR_NEGOTIATION, text, NULL, __FILE__, GST_FUNCTION,
        __LINE__);
}

/* Sources decide on one of several formats when they start, long after they
 * were linked, and send it or ask whether the pad accepts it.  If it does not,
 * GStreamer says only "not-negotiated (-4)". */
static GstPadProbeReturn
on_accept_caps (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  g_autoptr (GstElement) element = NULL, before = NULL;
  g_autoptr (GstPad) peer = NULL;
  gboolean accepted;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_query_parse_accept_caps_result (query, &accepted);
  if (accepted)
    return GST_PAD_PROBE_OK;
  gst_query_parse_accept_caps (query, &caps);
  element = gst_pad_get_parent_element (pad);
  peer = gst_pad_get_peer (pad);
  before = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
  /* the first element inside of a bin leaves it to the bin */
  if (element != NULL && before != NULL && !is_of_this_plugin (before)
      && !order_takes_kind (pad, caps))
    order_refuse (element, pad, peer, caps, count_refused (pad, data, caps));
  return GST_PAD_PROBE_OK;
}

/* The data that an element makes of `given` (taken), as far as its class says. */
static GstCaps *
order_follow (GstElement *element, GstCaps *given)
{
  GstBaseTransformClass *klass;
  GstCaps *made;

  if (!GST_IS_BASE_TRANSFORM (element))
    return given;
  klass = GST_BASE_TRANSFORM_GET_CLASS (element);
  if (klass->transform_caps == NULL)
    return given;
  made = klass->transform_caps (
      GST_BASE_TRANSFORM (element), GST_PAD_SINK, given, NULL);
  gst_caps_unref (given);
  return made;
}

/* Caps came after the elements were linked.  An element refuses them if one
 * downstream cannot take the data that it would make of them; that one says so. */
static void
order_explain_downstream (GstBaseTransform *trans, GstCaps *caps)
{
  g_autoptr (GstCaps) given =
      order_follow (GST_ELEMENT (trans), gst_caps_ref (caps));
  GstPad *src = gst_object_ref (trans->srcpad);

  for (guint i = 0; i < MAX_ELEMENTS && src != NULL; i++) {
    g_autoptr (GstPad) sink = gst_pad_get_peer (src);
    g_autoptr (GstElement) element =
        sink != NULL ? gst_pad_get_parent_element (sink) : NULL;

    if (element == NULL || gst_caps_is_empty (given))
      break;
    if (is_of_this_plugin (element) && !order_takes_kind (sink, given)) {
      g_autofree char *text = describe_order (element, src, given);

      if (text != NULL)
        gst_element_message_full (element, GST_MESSAGE_ERROR, GST_CORE_ERROR,
            GST_CORE_ERROR_NEGOTIATION, g_steal_pointer (&text), NULL, __FILE__,
            GST_FUNCTION, __LINE__);
      break;
    }
    given = order_follow (element, g_steal_pointer (&given));
    gst_object_unref (src);
    src = find_linked_inside (sink);
  }
  gst_clear_object (&src);
}

gboolean
gst_oct_order_sink_event (GstBaseTransform *trans,
    GstBaseTransformClass *parent_class, GstEvent *event)
{
  g_autoptr (GstCaps) caps = NULL;
  Refused *refused;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_caps_ref (caps);
  }
  if (parent_class->sink_event (trans, event))
    return TRUE;
  refused = g_object_get_data (G_OBJECT (trans->sinkpad), "oct-refused");
  if (caps != NULL && count_refused (trans->sinkpad, refused, caps) == 2)
    order_explain_downstream (trans, caps);
  return FALSE;
}

static GstPadLinkReturn
gst_oct_order_link_sink (GstPad *pad, GstObject *parent, GstPad *peer)
{
  g_autoptr (GstCaps) given = gst_pad_query_caps (peer, NULL);
  g_autoptr (GstCaps) taken = gst_pad_query_caps (pad, NULL);

  if (gst_caps_can_intersect (given, taken))
    return GST_PAD_LINK_OK;
  order_tell (GST_ELEMENT (parent), pad, peer, given);
  return GST_PAD_LINK_NOFORMAT;
}

/* A-scans and spectra before an element of video, which GStreamer would not
 * even try to link. */
static GstPadLinkReturn
gst_oct_order_link_src (GstPad *pad, GstObject *parent, GstPad *peer)
{
  g_autoptr (GstCaps) given = gst_pad_query_caps (pad, NULL);
  g_autoptr (GstCaps) taken = gst_pad_query_caps (peer, NULL);
  g_autoptr (GstElement) next = gst_pad_get_parent_element (peer);
  g_autoptr (GstCaps) video = gst_caps_from_string ("video/x-raw(ANY)");
  gboolean fits = gst_caps_can_intersect (given, taken);
  Kind kind = kind_of (given);

  if (fits || (next != NULL && is_of_this_plugin (next)))
    return GST_PAD_LINKFUNC (peer) != NULL
               ? GST_PAD_LINKFUNC (peer) (peer, GST_OBJECT_PARENT (peer), pad)
           : fits ? GST_PAD_LINK_OK
                  : GST_PAD_LINK_NOFORMAT;
  if (next != NULL && kind != N_KINDS && gst_caps_can_intersect (video, taken)
      && g_object_get_data (G_OBJECT (pad), "oct-told") != peer) {
    g_object_set_data (G_OBJECT (pad), "oct-told", peer);
    order_post (GST_ELEMENT (parent),
        g_strdup_printf (
            "%s cannot follow %s: it takes video, not %s; put %s between them.",
            GST_OBJECT_NAME (next), GST_OBJECT_NAME (parent), kind_names[kind],
            to_images[kind]));
  }
  return GST_PAD_LINK_NOFORMAT;
}

static void
order_init_src (GstPad *src)
{
  g_autoptr (GstCaps) made = gst_pad_get_pad_template_caps (src);
  g_autoptr (GstCaps) video = gst_caps_from_string ("video/x-raw(ANY)");

  if (!gst_caps_can_intersect (made, video))
    gst_pad_set_link_function (src, gst_oct_order_link_src);
}

void
gst_oct_order_init (GstPad *sink)
{
  static gsize once = 0;
  Refused *refused = g_new0 (Refused, 1);

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (
        gst_oct_order_debug, "octorder", 0, "Order of OCT elements");
    g_once_init_leave (&once, 1);
  }
  gst_pad_set_link_function (sink, gst_oct_order_link_sink);
  if (GST_IS_BASE_TRANSFORM (GST_PAD_PARENT (sink)))
    order_init_src (GST_BASE_TRANSFORM (GST_PAD_PARENT (sink))->srcpad);
  g_object_set_data_full (
      G_OBJECT (sink), "oct-refused", refused, order_refused_free);
  /* PULL: after the answer */
  gst_pad_add_probe (sink,
      GST_PAD_PROBE_TYPE_QUERY_BOTH | GST_PAD_PROBE_TYPE_PULL, on_accept_caps,
      refused, NULL);
}

static void
order_widen (GstQuery *query, const char *by)
{
  g_autoptr (GstCaps) all = NULL;
  GstCaps *caps, *wanted;

  gst_query_parse_caps_result (query, &caps);
  all = gst_caps_merge (gst_caps_copy (caps), gst_caps_from_string (by));
  gst_query_parse_caps (query, &wanted);
  if (wanted != NULL) {
    GstCaps *both =
        gst_caps_intersect_full (wanted, all, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (all);
    all = both;
  }
  gst_query_set_caps_result (query, all);
}

void
gst_oct_order_widen (GstPad *sink, GstPad *src, GstQuery *query)
{
  if (GST_PAD_IS_LINKED (sink) || (src != NULL && GST_PAD_IS_LINKED (src)))
    return;
  order_widen (query, ANY_STREAM);
}

void
gst_oct_order_widen_at (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (direction == GST_PAD_SINK)
    gst_oct_order_widen (trans->sinkpad, trans->srcpad, query);
  else if (!GST_PAD_IS_LINKED (trans->srcpad)
           && GST_PAD_LINKFUNC (trans->srcpad) == gst_oct_order_link_src)
    order_widen (query, "video/x-raw(ANY)");
}
