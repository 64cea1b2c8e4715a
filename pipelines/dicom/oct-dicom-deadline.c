/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-deadline.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* made before the signal comes, in which little is allowed */
static char deadline_sentence[400];

static void
deadline_on_alarm (int number)
{
  ssize_t ignored =
      write (STDERR_FILENO, deadline_sentence, strlen (deadline_sentence));

  (void)ignored;
  _exit (OCT_DICOM_EXIT_TROUBLE);
}

void
oct_dicom_deadline (guint seconds, const char *peer)
{
  const struct sigaction action = { .sa_handler = deadline_on_alarm };

  alarm (0);
  if (seconds == 0)
    return;
  g_snprintf (deadline_sentence, sizeof deadline_sentence,
      "Error: %.200s took longer than %u seconds; see whether it is busy, or "
      "set "
      "--timeout.\n",
      peer, seconds);
  sigaction (SIGALRM, &action, NULL);
  alarm (seconds);
}

void
oct_dicom_limit_memory (void)
{
  const struct rlimit memory = { OCT_DICOM_MEMORY, OCT_DICOM_MEMORY };
  const struct rlimit core = { 0, 0 };

  (void)setrlimit (RLIMIT_AS, &memory);
  /* names of patients in an image of the memory */
  (void)setrlimit (RLIMIT_CORE, &core);
}

void
oct_dicom_begin_child (pid_t parent)
{
  const struct sigaction standard = { .sa_handler = SIG_DFL };
  sigset_t none;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  /* it may have ended before that */
  if (getppid () != parent)
    _exit (1);
  sigaction (SIGINT, &standard, NULL);
  sigaction (SIGTERM, &standard, NULL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}
