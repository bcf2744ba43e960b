#!/bin/sh
# Puts the rules in place, makes the group that may open the devices, and has them hold at once for what is plugged in.
#
#   udev/install.sh [USER]...     USERs join the group; they have to log in again, a service has to be restarted
#   udev/install.sh --remove      takes the rules away again; the group stays
#
# DESTDIR=/some/where: copies the rules below that folder and does nothing else, as for a package.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
rules=${DESTDIR:-}/etc/udev/rules.d
group=shoectl

fail() {
    echo "install.sh: $*" >&2
    exit 2
}

hold() {
    command -v udevadm >/dev/null || fail "udevadm is not there: this system has no udev"
    udevadm control --reload
    udevadm trigger --action=add --subsystem-match=usb --subsystem-match=tty --subsystem-match=hidraw
    udevadm settle --timeout=30
}

case ${1:-} in
-h | --help)
    sed -n 's/^# \{0,1\}//p; /^set/q' "$0" | sed 1d
    exit 0
    ;;
esac
root() {
    [ -n "${DESTDIR:-}" ] || [ "$(id -u)" = 0 ] || fail "only root may do that: sudo $0 $*"
}

if [ "${1:-}" = --remove ]; then
    root "$@"
    for file in "$here"/*.rules; do rm -f "$rules/${file##*/}"; done
    [ -n "${DESTDIR:-}" ] || hold
    exit 0
fi
for user; do
    case $user in -*) fail "no option $user; there is --remove" ;; esac
    [ -n "${DESTDIR:-}" ] || id -u "$user" >/dev/null 2>&1 || fail "no user $user"
done
root "$@"

mkdir -p "$rules"
for file in "$here"/*.rules; do
    cp "$file" "$rules/"
    chmod 644 "$rules/${file##*/}"
done
[ -z "${DESTDIR:-}" ] || exit 0

getent group "$group" >/dev/null || groupadd --system "$group"
for user; do usermod --append --groups "$group" "$user"; done
hold
ls -l /dev/shoectl 2>/dev/null || echo "no shuffler and no shoe is plugged in"
