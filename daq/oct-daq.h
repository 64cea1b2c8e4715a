/* SPDX-License-Identifier: MIT */
/**
 * liboctdaq: a ring of A-lines in shared memory, from a program that drives a
 * digitizer to programs that read it, such as octdaqsrc of gst-oct.
 *
 * One writer, up to OCT_DAQ_READERS readers.  The writer makes a socket; a
 * reader that connects gets the memory (a memfd) through it.  A process that
 * dies, at any instruction, closes its end of the socket, and the other side
 * goes on.
 *
 *   char error[OCT_DAQ_ERROR];
 *   OctDaqHeader ring = { .sample_format = OCT_DAQ_U16, .samples = 2048,
 *     .lines = 512, .channels = 1, .channel_kind = { OCT_DAQ_OCT } };
 *   OctDaqWriter *writer = oct_daq_open ("/run/oct", &ring, NULL, error);
 *
 *   for (;;) {
 *     void *block = oct_daq_claim (writer, -1);
 *     ... fill block[channels][lines][samples] ...
 *     oct_daq_publish (writer, NULL);
 *   }
 *   oct_daq_close (writer);
 *
 * docs/digitizers.md of gst-oct specifies the memory.  Linux only.
 *
 * Threads: one at a time for each writer or reader.  The library has a thread
 * of its own in each writer, for its socket.
 */
#ifndef OCT_DAQ_H
#define OCT_DAQ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_DAQ_MAGIC "OCT-RING"
#define OCT_DAQ_VERSION 1
#define OCT_DAQ_CHANNELS 8
#define OCT_DAQ_READERS 8
#define OCT_DAQ_MAX_SAMPLES 65536u
#define OCT_DAQ_MAX_LINES (1u << 20)
#define OCT_DAQ_MAX_BLOCKS (1u << 20)
/* Parts of the memory that are mapped begin at multiples of it. */
#define OCT_DAQ_ALIGNMENT 65536u
/* Bytes of an error, a sentence. */
#define OCT_DAQ_ERROR 512

enum {
  OCT_DAQ_U8,
  OCT_DAQ_U16, /* all little endian */
  OCT_DAQ_I16, /* about 0 */
  OCT_DAQ_F32,
  OCT_DAQ_FORMATS
};

/* Kinds of channels. */
enum {
  OCT_DAQ_OTHER,
  OCT_DAQ_OCT,     /* interference spectra */
  OCT_DAQ_K_CLOCK, /* the interferometer that clocks wavenumbers */
  OCT_DAQ_PLUS,    /* halves of a balanced pair */
  OCT_DAQ_MINUS,
  OCT_DAQ_KINDS
};

enum {
  OCT_DAQ_WAVELENGTH, /* samples as they were measured: the calibration holds */
  OCT_DAQ_WAVENUMBER  /* uniform in wavenumber, as a k-clock gives them */
};

/* Columns of a calibration, bits of calibration_columns; the meaning is that of
 * docs/calibration.md. */
enum {
  OCT_DAQ_WAVELENGTH_NM = 1,
  OCT_DAQ_K_INDEX = 2,
  OCT_DAQ_DISPERSION_RAD = 4,
  OCT_DAQ_BACKGROUND = 8
};

/* The writer waits for readers, so that nothing is lost between them. */
#define OCT_DAQ_LOSSLESS 1u

/* The first 512 bytes of the memory, little endian; never changed once it is
 * passed on.  0 means not known.  A writer fills in the members marked with *;
 * the rest is of oct_daq_open(). */
typedef struct {
  char magic[8];
  uint32_t version;
  uint32_t header_size;
  uint64_t size;           /* of the whole memory, bytes */
  uint64_t writer_offset;  /* an OctDaqWriterLine */
  uint64_t readers_offset; /* an OctDaqReaderLine of each reader */
  uint64_t heads_offset;   /* an OctDaqBlock of each block */
  uint64_t blocks_offset;  /* the blocks, [channels][lines][samples] each */
  uint64_t block_stride;   /* bytes from a block to the next */
  uint32_t blocks; /* * 2 or more; 0: as many as 64 MiB have, 4 to 1024 */
  uint32_t flags;  /* * OCT_DAQ_LOSSLESS */
  uint32_t sample_format; /* * */
  uint32_t samples;       /* * per A-line */
  uint32_t lines;         /* * A-lines per block */
  uint32_t channels;      /* * */
  uint32_t axis;          /* * */
  uint32_t bscan_lines;   /* * A-lines per B-scan; 0: `lines` */
  uint32_t bscans;        /* * per volume */
  uint32_t repeats;       /* * B-scans at each place of a volume; 0: 1 */
  double line_rate;       /* * A-lines per second within a B-scan */
  double bscan_rate;      /* * B-scans per second; 0: line_rate / bscan_lines */
  double tick_rate;       /* * ticks per second */
  double wavelength_first;     /* * of the first and the last sample, nm */
  double wavelength_last;      /* * */
  double x_spacing;            /* * from an A-line to the next, m */
  double y_spacing;            /* * from a place of B-scans to the next, m */
  uint64_t calibration_offset; /* double [columns][samples], lowest bit first */
  uint32_t calibration_columns; /* * */
  uint32_t readers;             /* how many there can be */
  uint64_t reserved[2];
  char name[64];                           /* * of the instrument, UTF-8 */
  uint32_t channel_kind[OCT_DAQ_CHANNELS]; /* * */
  char channel_name[OCT_DAQ_CHANNELS][28]; /* * UTF-8 */
} OctDaqHeader;

/* OctDaqPlace: volume, bscan and line_in_bscan are valid. */
#define OCT_DAQ_HAS_PLACE 1u
/* A trigger came that the digitizer was not ready for. */
#define OCT_DAQ_TRIGGER_MISSED 2u
/* From this bit on they are the digitizer's own. */
#define OCT_DAQ_OWN_FLAGS 65536u

/* The first A-line of a block, as a writer describes it. */
typedef struct {
  uint64_t tick;   /* of the digitizer's clock */
  uint64_t volume; /* place in the scan, if the line number does not say it */
  uint32_t bscan;
  uint32_t line_in_bscan;
  uint32_t flags;
} OctDaqPlace;

/* The head of a block, 64 bytes. */
typedef struct {
  uint64_t sequence; /* 1 + number of the block; 0: it is being filled */
  uint64_t line;     /* number of its first A-line, lost ones counted */
  uint64_t tick;
  uint64_t lost; /* A-lines that the digitizer lost before it, all in all */
  uint64_t time; /* CLOCK_MONOTONIC when it was published, ns */
  uint64_t volume;
  uint32_t bscan;
  uint32_t line_in_bscan;
  uint32_t flags;
  uint32_t reserved;
} OctDaqBlock;

typedef struct {
  uint64_t published; /* blocks so far */
  uint32_t wake;      /* futex: changes with each block */
  uint32_t ended;     /* 1: the writer has closed the ring */
  uint64_t reserved[6];
} OctDaqWriterLine;

typedef struct {
  uint64_t position; /* blocks that the reader needs no more */
  uint32_t wake;     /* futex: changes with it */
  uint32_t reserved[13];
} OctDaqReaderLine;

/* The message that comes through the socket (SOCK_SEQPACKET), with the memory
 * as SCM_RIGHTS if status is 0. */
typedef struct {
  char magic[8];
  uint32_t version;
  uint32_t status; /* 1: all places for readers are taken */
  uint32_t reader; /* which place */
  uint32_t reserved;
  uint64_t size; /* of the memory */
} OctDaqMessage;

/* ------------------------------------------------------------------- writers */

typedef struct OctDaqWriter OctDaqWriter;

/* Makes a ring and its socket at the path `socket`, which only this user can
 * connect to; the socket of a writer that has died is replaced.  `ring`: the
 * members marked with *.  `calibration`: double [columns][samples] of the bits
 * of calibration_columns, or NULL.  NULL with a sentence in `error`
 * [OCT_DAQ_ERROR] (or NULL): a member is not valid, another writer has the
 * socket, no memory. */
OctDaqWriter *oct_daq_open (const char *socket, const OctDaqHeader *ring,
    const double *calibration, char *error);

/* The ring as it is; valid as long as the writer. */
const OctDaqHeader *oct_daq_header (const OctDaqWriter *writer);

/* The file of the memory, for a mapping of your own; valid as long as the
 * writer. */
int oct_daq_memory (const OctDaqWriter *writer);

/* Memory for the next block, [channels][lines][samples]; the same one until it
 * is published.  Without OCT_DAQ_LOSSLESS it never waits.  With it, it waits
 * for the slowest reader, `timeout` ms at most (-1: for ever); NULL: that is
 * over. */
void *oct_daq_claim (OctDaqWriter *writer, int timeout);

/* Hands the claimed block to the readers.  `place`: NULL: all is 0. */
void oct_daq_publish (OctDaqWriter *writer, const OctDaqPlace *place);

/* `lines` A-lines were lost before the next block. */
void oct_daq_lost (OctDaqWriter *writer, uint64_t lines);

/* Waits until there are `readers` readers, `timeout` ms at most (-1: for ever);
 * returns how many there are. */
unsigned oct_daq_wait_for_readers (
    OctDaqWriter *writer, unsigned readers, int timeout);

/* The ring has ended.  Readers still read all published blocks.  NULL is
 * allowed. */
void oct_daq_close (OctDaqWriter *writer);

/* ------------------------------------------------------------------- readers */

typedef struct OctDaqReader OctDaqReader;

typedef enum {
  OCT_DAQ_BLOCK,   /* a block is there */
  OCT_DAQ_TIMEOUT, /* none came in time */
  OCT_DAQ_ENDED,   /* the writer has closed the ring, and all was read */
  OCT_DAQ_GONE     /* the writer has died, and all was read */
} OctDaqStatus;

/* Connects to a writer; `timeout` ms are for its answer.  NULL with a sentence
 * in `error` [OCT_DAQ_ERROR] (or NULL), and errno: ENOENT or ECONNREFUSED if
 * there is no writer, ETIMEDOUT, EBUSY if it has enough readers, EPROTO if what
 * came is not a ring. */
OctDaqReader *oct_daq_reader_open (
    const char *socket, int timeout, char *error);

/* The same of a memfd, which is taken, and place `place` of the readers;
 * `socket` is that of the writer, taken too, or -1: then nothing tells that it
 * dies. */
OctDaqReader *oct_daq_reader_open_memory (
    int memory, int socket, unsigned place, char *error);

/* A copy that was checked: all sizes fit into the memory, names end, numbers
 * are finite. */
const OctDaqHeader *oct_daq_reader_header (const OctDaqReader *reader);

/* double [samples] of a column (one bit); NULL: there is none. */
const double *oct_daq_reader_calibration (
    const OctDaqReader *reader, uint32_t column);

/* Waits for the next block, `timeout` ms at most, and copies its head.  Again
 * before oct_daq_reader_next(): the same one, if it is still there. */
OctDaqStatus oct_daq_reader_wait (
    OctDaqReader *reader, int timeout, OctDaqBlock *head);

/* Channel `channel` of that block, [lines][samples].  The writer can overwrite
 * it at any time: copy, then ask oct_daq_reader_holds(). */
const void *oct_daq_reader_data (const OctDaqReader *reader, unsigned channel);

/* Whether everything that was read of that block until now is of that block.  A
 * writer with OCT_DAQ_LOSSLESS leaves it alone until oct_daq_reader_next(). */
int oct_daq_reader_holds (const OctDaqReader *reader);

/* That block is not needed any more. */
void oct_daq_reader_next (OctDaqReader *reader);

/* Leaves out, without counting, all blocks but those that are still to come. */
void oct_daq_reader_skip (OctDaqReader *reader);

/* Blocks that were overwritten before they were read, so far. */
uint64_t oct_daq_reader_missed (const OctDaqReader *reader);

void oct_daq_reader_close (OctDaqReader *reader);

#ifdef __cplusplus
}
#endif

#endif
