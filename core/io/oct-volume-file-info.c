/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-file-info.h"

char *
oct_volume_file_make_uid (void)
{
  g_autofree char *uuid = g_uuid_string_random ();
  char digits[40] = { 0 };
  guint length = 0;

  /* the 128 bits as one number, digit by digit, as no type of C has so many */
  for (const char *c = uuid; *c != '\0'; c++) {
    guint carry;

    if (*c == '-')
      continue;
    carry = (guint)g_ascii_xdigit_value (*c);
    for (guint i = 0; i < length; i++) {
      carry += 16 * (guint)digits[i];
      digits[i] = (char)(carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10)
      digits[length++] = (char)(carry % 10);
  }
  for (guint i = 0; i < length; i++)
    digits[i] = (char)(digits[i] + '0');
  g_strreverse (digits);
  return g_strconcat ("2.25.", digits, NULL);
}
