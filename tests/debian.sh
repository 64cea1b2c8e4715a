#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Another Debian, or Ubuntu, in a folder, and this project's tests in it.
set -euo pipefail

usage () {
  cat <<'END'
Usage: tests/debian.sh [--bare FOLDER | --for NAME] SUITE [COMMAND [ARGUMENT ...]]

Makes a Debian system of that name (bookworm, trixie, ...), or Ubuntu 24.04
(noble), in build-debian-SUITE/, copies what the working tree has into it, and runs COMMAND
there, in the copy.  Without COMMAND it installs the packages of this project
and runs all tests: tests/run.sh --plain.

  tests/debian.sh trixie
  tests/debian.sh trixie meson test -C build-test live-message --verbose
  tests/debian.sh trixie bash

With --bare the system is a new one, in build-debian-SUITE-bare/, and has nothing
of the working tree, but a copy of FOLDER in which COMMAND runs: for packages.
With --for the system is one of its own, in build-debian-SUITE-NAME/: for commands
that change a system in a way that others shall not see.

The second run takes what the first has downloaded and built; remove the folder
for a fresh start (nothing stays mounted in it).  Needs root or sudo.  Packages
come from where this computer's own come from, or from archive.ubuntu.com; that
needs /usr/share/keyrings/ubuntu-archive-keyring.gpg, of Ubuntu's package
ubuntu-keyring.

Ends with the exit status of COMMAND, or with 75 when there is no such system:
no mirror can be reached, or this computer does not allow mounts.  tests/run.sh
ends with 75 too, when what it needs there cannot be downloaded.
END
}

NO_SYSTEM=75

# why it cannot be made, in a sentence
give_up () {
  echo "${vendor:-Debian} $suite: $1" >&2
  exit $NO_SYSTEM
}

bare='' own=''
case ${1:-} in
  --bare)
    bare=${2:-}
    [ -d "$bare" ] || { echo "'$bare' is not a folder, see tests/debian.sh --help." >&2; exit 2; }
    bare=$(realpath "$bare")
    options=(--bare "$bare")
    shift 2 ;;
  --for)
    own=${2:-}
    case $own in
      '' | bare | packages | *[!a-z0-9]*)
        echo "'$own' cannot be the name of a system of its own, see tests/debian.sh --help." >&2
        exit 2 ;;
    esac
    options=(--for "$own")
    shift 2 ;;
  *) options=() ;;
esac
case ${1:-} in
  --help | -h) usage; exit 0 ;;
  '' | -* | *[!a-z0-9]*)
    echo "'${1:-}' is not the name of a Debian system, see tests/debian.sh --help." >&2
    exit 2 ;;
esac
suite=$1
shift
vendor=Debian
if [ "$suite" = noble ]; then
  vendor=Ubuntu
fi
if [ $# -eq 0 ]; then
  set -- bash tests/run.sh --plain
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/build-debian-$suite/packages
folder=$root/build-debian-$suite${bare:+-bare}${own:+-$own}
system=$folder/system
# in the system: beside it lies `shared`, as beside the checkout
copy=/srv/gst-oct/checkout

if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || give_up "this needs root, or sudo"
  exec sudo --preserve-env=CI,OCT_TEST_DATA,http_proxy,https_proxy,no_proxy \
    bash "${BASH_SOURCE[0]}" "${options[@]}" "$suite" "$@"
fi

# The address of this computer's own packages; label "Debian",
# "Debian-Security" or "Ubuntu".  Nothing when it has none.
find_mirror () {
  { apt-get indextargets --format "\$(LABEL)|\$(REPO_URI)" \
    "Created-By: Packages" 2>/dev/null || true; } |
    awk -F'|' -v label="$1" '$1 == label && !found { print $2; found = 1 }'
}

# ------------------------------------------------------------ making the system

# The settings with which this computer's own apt reaches packages: proxies,
# certificates.
take_settings () {
  local settings=$1/etc/apt/apt.conf.d/90host
  (umask 077
    apt-config dump | grep '^Acquire::' | grep -vE \
      '^Acquire::(IndexTargets|CompressionTypes|Changelogs|cdrom|GzipIndexes)' \
      >"$settings" || true)
  # the packages are kept in `cache`
  echo 'Binary::apt-get::APT::Keep-Downloaded-Packages "true";' >>"$settings"
  if [ -n "$(find /usr/local/share/ca-certificates -name '*.crt' 2>/dev/null)" ]
  then
    cp -rL /usr/local/share/ca-certificates "$1/usr/local/share/"
  fi
}

# deb lines for the mirrors
list_sources () {
  local security
  if [ $vendor = Ubuntu ]; then
    echo "deb $1 $suite main universe"
    echo "deb $1 $suite-updates main universe"
    echo "deb $1 $suite-security main universe"
    return
  fi
  echo "deb $1 $suite main"
  security=$(find_mirror Debian-Security)
  # suites in development have none
  if [ -n "$security" ] && [ "$suite" != sid ] && [ "$suite" != unstable ]; then
    echo "deb $security $suite-security main"
  fi
}

make_system () {
  local mirror keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg way=()
  # shellcheck source=pipelines/packages.sh
  . "$root/pipelines/packages.sh"
  oct_install debootstrap debian-archive-keyring ||
    give_up "debootstrap could not be installed"
  mirror=$(find_mirror $vendor)
  if [ $vendor = Ubuntu ]; then
    [ -f $keys ] || give_up "it needs $keys, of Ubuntu's package ubuntu-keyring"
    mirror=${mirror:-http://archive.ubuntu.com/ubuntu}
    way=("--components=main,universe" "--keyring=$keys")
  fi
  mirror=${mirror:-http://deb.debian.org/debian}
  way+=("$suite" "$system.new" "$mirror")
  # of all of Ubuntu's; older debootstraps do not know the newer names
  [ $vendor = Debian ] || way+=(gutsy)
  echo "Making $vendor $suite in $folder (some minutes) ..."
  # an unfinished one is not usable; nothing is mounted in it, as that ended
  # with the namespace it was mounted in
  rm -rf --one-file-system "$system.new"
  mkdir -p "$cache"
  if ! debootstrap --variant=minbase --cache-dir="$cache" \
    --include=ca-certificates "${way[@]}" >"$folder/debootstrap.log" 2>&1; then
    tail -n 5 "$folder/debootstrap.log" >&2
    give_up "the system could not be made from the packages of this computer's mirror; debootstrap's last lines are above"
  fi
  list_sources "$mirror" >"$system.new/etc/apt/sources.list"
  take_settings "$system.new"
  # a system that is made again in minutes need not survive a power failure
  echo force-unsafe-io >"$system.new/etc/dpkg/dpkg.cfg.d/unsafe-io"
  mkdir -p "$system.new$copy"
  mv "$system.new" "$system"
}

# -------------------------------------------------------------- what is tested

# The files that git knows or would add, as they are now.  Unchanged files keep
# their time, and builds of earlier runs stay: only the rest is built again.
copy_files () (
  local to=$system$copy name
  if [ -n "$bare" ]; then
    cp "$bare"/* "$to"
    return
  fi
  local -A ours=()
  cd "$root"
  while IFS= read -r -d '' name; do
    [ -f "$name" ] || continue
    ours[$name]=yes
    cmp -s "$name" "$to/$name" && continue
    mkdir -p "$(dirname "$to/$name")"
    cp --remove-destination --preserve=mode "$name" "$to/$name"
  done < <(git -c safe.directory="$root" ls-files -z --cached --others \
    --exclude-standard)
  cd "$to"
  while IFS= read -r -d '' name; do
    [ -n "${ours[${name#./}]:-}" ] || rm "$name"
  done < <(find . -path './build*' -prune -o -type f -print0)
)

# ------------------------------------------------------------------ within it

# Mounts and processes of a namespace of their own: both are gone when this
# script is, whatever ends it.
enter () {
  local name
  mount --bind "$system" "$system"
  mount -t proc proc "$system/proc"
  mount --rbind -o ro /sys "$system/sys"
  mount -t tmpfs -o mode=755,nosuid dev "$system/dev"
  for name in null zero full random urandom tty; do
    [ -e "/dev/$name" ] || continue
    touch "$system/dev/$name"
    mount --bind "/dev/$name" "$system/dev/$name"
  done
  mkdir "$system/dev/pts" "$system/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666 devpts "$system/dev/pts"
  mount -t tmpfs -o mode=1777,nosuid,nodev shm "$system/dev/shm"
  ln -s pts/ptmx "$system/dev/ptmx"
  ln -s /proc/self/fd "$system/dev/fd"
  for name in 0:stdin 1:stdout 2:stderr; do
    ln -s "/proc/self/fd/${name%:*}" "$system/dev/${name#*:}"
  done
  mount --bind "$cache" "$system/var/cache/apt/archives"
  mkdir -p "$cache/partial"
  bind_file /etc/resolv.conf /etc/resolv.conf
  bind_file /etc/hosts /etc/hosts
  # where npm finds its packages from this network
  bind_file /etc/npmrc /etc/npmrc
  bind_file "$HOME/.npmrc" /root/.npmrc
  data=${OCT_TEST_DATA:-$root/../shared/data/cscan}
  if [ -d "$data" ]; then
    mkdir -p "$system$copy/../shared/data/cscan"
    mount --bind -o ro "$data" "$system$copy/../shared/data/cscan"
  fi
  local passed=()
  for name in $(compgen -e | grep -iE '^(https?_proxy|no_proxy|npm_config_.*)$'); do
    passed+=("$name=${!name}")
  done
  # Not chroot: in one, browsers and tests cannot make namespaces of their own.
  mkdir -p "$system/mnt/outside"
  cd "$system"
  pivot_root . mnt/outside
  exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LC_ALL=C.UTF-8 TERM="${TERM:-dumb}" ${CI:+"CI=$CI"} \
    "${passed[@]}" \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    bash -c "$within" debian.sh "$copy" "$@"
}

# a file of this computer, read only, where it has one
bind_file () {
  [ -f "$1" ] || return 0
  # a link to somewhere else would be followed out of the system
  [ ! -L "$system$2" ] || rm "$system$2"
  [ -e "$system$2" ] || (umask 077 && : >"$system$2")
  mount --bind -o ro "$(readlink -f "$1")" "$system$2"
}

# The rest runs as the first process of the system.
# shellcheck disable=SC2016
within='
umount -l /mnt/outside
export DEBIAN_FRONTEND=noninteractive
# not for every run: missing packages are installed from the known lists
if [ ! -f /var/lib/apt/oct-updated ]; then
  update-ca-certificates >/dev/null 2>&1
  if ! apt-get -q -o APT::Update::Error-Mode=any update >/tmp/update.log 2>&1
  then
    tail -n 5 /tmp/update.log >&2
    echo "No lists of packages; the last lines of apt-get are above." >&2
    exit '$NO_SYSTEM'
  fi
  touch /var/lib/apt/oct-updated
fi
cd "$1" || exit '$NO_SYSTEM'
shift
"$@"
'

if [ "${OCT_DEBIAN_INSIDE:-}" = yes ]; then
  trap 'give_up "the system could not be entered, the reason is above"' EXIT
  enter "$@"
fi
unshare --mount --pid --fork true 2>/dev/null ||
  give_up "this computer does not allow mounts, as in a container without the right to"
mkdir -p "$folder"
# two runs at a time would change each other's files
exec 9>"$folder/lock"
if ! flock --nonblock 9; then
  echo "Waiting for another run in $folder ..."
  flock 9
fi
if [ -n "$bare" ] && [ -d "$system" ]; then
  rm -rf --one-file-system "$system"
fi
[ -d "$system" ] || make_system
copy_files
OCT_DEBIAN_INSIDE=yes exec unshare --mount --propagation private --pid --fork \
  --kill-child bash "${BASH_SOURCE[0]}" "${options[@]}" "$suite" "$@"
