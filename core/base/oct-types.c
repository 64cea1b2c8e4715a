/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-types.h"

/* clang-format off */
G_DEFINE_QUARK (oct-error-quark, oct_error)
