# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when codespell finds a word that is spelt wrong, in code or docs."""
import subprocess
import sys

import files

# words that are not English, and inputs of tests that are wrong on purpose
OURS = "upto,fro,ue,commun,te,nd,ans"
NO_TEXT = (".png", ".npy", ".oct", ".mat", ".h5", ".json", ".bin", ".svg")
names = [name for name in files.ours()
         if not name.endswith(NO_TEXT) and "/corpus-" not in name
         and "/vectors/" not in name]
found = subprocess.run(
    [files.need("codespell"), "--quiet-level", "3", "--ignore-words-list", OURS,
     *names], cwd=files.ROOT, stdout=subprocess.PIPE, text=True)
print(found.stdout or f"{len(names)} files, nothing is spelt wrong")
sys.exit(found.returncode != 0)
