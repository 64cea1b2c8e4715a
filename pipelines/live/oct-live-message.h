/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The messages of a page to the server: JSON objects of a few kinds, each with
 * exactly the members listed here.  Nothing of this touches a network.
 */
#pragma once

#include "oct-live-begin.h"
#include "oct-live-label.h"
#include "oct-live-layout.h"
#include "oct-live-look.h"
#include "oct-live-settings.h"

G_BEGIN_DECLS

#define OCT_LIVE_MAX_MESSAGE 32768 /* bytes */

typedef enum {
  /* {"type":"watch","media":"webrtc"}, "webcodecs" (oct-live-units.h) or "jpeg":
   * how to get the pictures */
  OCT_LIVE_WATCH,
  /* {"type":"answer","sdp":TEXT} */
  OCT_LIVE_ANSWER,
  /* {"type":"candidate","mline":0,"candidate":TEXT} */
  OCT_LIVE_CANDIDATE,
  /* {"type":"ack","number":N}: status N has arrived */
  OCT_LIVE_ACK,
  /* {"type":"decoded","number":N}: of webcodecs, all units up to N */
  OCT_LIVE_DECODED,
  /* {"type":"set", ...}: any settings of oct-live-settings.h; and number, which
   * states have from then on that know of it */
  OCT_LIVE_SET,
  /* {"type":"record","on":true} or false */
  OCT_LIVE_RECORD,
  /* {"type":"keep"}: the last seconds as a file */
  OCT_LIVE_KEEP,
  /* {"type":"focus","undo":false} or true: finds the dispersion of the present
   * images, or takes back the last result of any search */
  OCT_LIVE_FOCUS,
  /* {"type":"refine"}: finds the wavenumbers with it */
  OCT_LIVE_REFINE,
  /* {"type":"background"}: uses the present spectra as the background */
  OCT_LIVE_BACKGROUND,
  /* {"type":"meters","on":true} or false: this page wants them */
  OCT_LIVE_METERS,
  /* {"type":"label","text":TEXT,"side":SIDE,"shown":true} or false: the case,
   * see oct-live-label.h */
  OCT_LIVE_LABEL,
  /* {"type":"note","text":TEXT}: is kept with the recording that goes on */
  OCT_LIVE_NOTE,
  /* {"type":"scan","pattern":NAME,"width":UM,"height":UM,"x":UM,"y":UM,
   * "angle":DEGREES}: another scan, from the end of a volume on */
  OCT_LIVE_SCAN,
  /* {"type":"tune"}: finds the delay of the scanner's mirrors, and sets it */
  OCT_LIVE_TUNE,
  /* {"type":"look", ...}: any settings of oct-live-look.h, of volumes */
  OCT_LIVE_LOOK,
  /* {"type":"screen","layout":LAYOUT,"eyes":EYES}: names of oct-live-layout.h */
  OCT_LIVE_SCREEN,
  /* {"type":"aim","eye":"left","corners":"x,y x,y x,y x,y"} or "right": the
   * corners of the scan in the microscope's picture, parts of its size; "": they
   * are not known */
  OCT_LIVE_AIM,
  /* {"type":"begin","source":KEY,"microscope":KEY,"calibration":KEY,
   * "instrument":NAME,"save":NAME,"flow":false,"record":false, ...}: begins with
   * that source; and any numbers of oct-live-begin.h */
  OCT_LIVE_BEGIN,
  /* {"type":"seek"}: searches again */
  OCT_LIVE_SEEK,
  /* {"type":"leave"}: back to the choice of a source */
  OCT_LIVE_LEAVE,
  /* {"type":"quit"}: ends oct-live while a source is being chosen */
  OCT_LIVE_QUIT,
} OctLiveMessageType;

/* A scan as pages ask for it. */
typedef struct {
  char pattern[16];
  double width, height, x, y; /* um */
  double angle;               /* degrees */
} OctLiveBeam;

typedef struct {
  OctLiveMessageType type;
  gboolean webrtc, units;   /* watch: one of them, or JPEG */
  char *sdp;                /* answer: UTF-8, as it came */
  char *candidate;          /* candidate: one printable line */
  guint mline;              /* candidate */
  gint64 number;            /* ack, decoded, set; 0: none */
  gboolean on;              /* record, meters */
  gboolean undo;            /* focus */
  char *text;               /* label, note: one line in UTF-8, may be empty */
  const char *side;         /* label: static */
  gboolean shown;           /* label */
  OctLiveBeam beam;         /* scan */
  guint64 given;            /* set: 1 << OctLiveSettingIndex of those given */
  OctLiveSettings settings; /* set: these; values not given are 0 */
  guint64 looks;            /* look: 1 << OctLiveLookValue of those given */
  OctLiveLook look;         /* look: these; values not given are 0 */
  OctLiveLayout layout;     /* screen */
  OctLiveEyeChoice eyes;    /* screen; aim: left or right */
  gboolean aimed;           /* aim: there are corners */
  OctLiveSpot corners[OCT_LIVE_AIM_CORNERS]; /* aim */
  OctLiveBegin begin;                        /* begin */
} OctLiveMessage;

/* Reads `length` bytes.  NULL with an error of one sentence, which quotes
 * nothing of the message but names of members. */
OctLiveMessage *oct_live_message_parse (
    const char *text, gsize length, GError **error);
void oct_live_message_free (OctLiveMessage *message);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctLiveMessage, oct_live_message_free)

/* A browser's answer to our offer, which is one H.264 stream, reduced to the
 * lines that WebRTC's own code needs and expects; to free.  NULL with an error
 * if it is not such an answer. */
char *oct_live_answer_take (const char *sdp, GError **error);
/* Whether a line "candidate:..." is one by RFC 8839, 5.1: libnice takes its
 * numbers as they are. */
gboolean oct_live_candidate_check (const char *line);
/* Whether such a line is of use here: it has an address, and is for the one
 * component that there is.  Browsers may hide addresses with names that would
 * have to be looked up, while everybody waits; their own checks reveal the
 * addresses as well. */
gboolean oct_live_candidate_is_usable (const char *line);

G_END_DECLS
