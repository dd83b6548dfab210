#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fresh-root.sh BUILD, run at the top: ./dev run, test and package on a newcomer's machine: a minimal
# Debian 12 in BUILD/fresh-root, which debootstrap makes from the mirror of this machine, with a copy of
# HEAD. It has no git, no vectors of the vendors and no pseudo-terminals. Exit code 77: not possible here.
set -eu
mkdir -p "$1"
root=$(cd "$1" && pwd -P)/fresh-root

. tools/slow.sh
[ "$(id -u)" = 0 ] || skip 'only root can make a root and enter it'
command -v apt-get >/dev/null || skip 'this machine has no apt, whose mirror would be used'
(need slow) || skip 'debootstrap cannot be installed'
unshare --mount --pid --fork true 2>/dev/null || skip 'this machine lets nobody mount (unshare)'
rm -rf --one-file-system "$root"
mkdir "$root"
trap 'rm -rf --one-file-system "$root"' EXIT
{ mknod "$root/null" c 1 3 && echo >"$root/null"; } 2>/dev/null ||
    skip 'devices cannot be made in the build folder'
rm "$root/null"
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(SITE)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "main" && $3 !~ /-/ { print $4; exit }')
[ -n "$mirror" ] || skip 'apt on this machine has no mirror of Debian'

# What apt needs to reach the mirror, inside as here.
settings=$(apt-config dump Acquire | grep -vE '^Acquire::(IndexTargets|Changelogs|CompressionTypes)')
proxy=$(apt-config dump Acquire::http::Proxy | sed 's/.*"\(.*\)";/\1/')
[ -z "$proxy" ] || export http_proxy="$proxy"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    die 'debootstrap failed'
}
printf '%s\n' "$settings" >"$root/etc/apt/apt.conf.d/00host"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
for file in /etc/hosts /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "$file" ] || { mkdir -p "$root${file%/*}" && cp -rL "$file" "$root${file%/*}"; }
done
mkdir "$root/samite"
git archive HEAD | tar xf - -C "$root/samite"

inside() { # COMMAND...: in the root, whose processes and mounts end with it
    # shellcheck disable=SC2016 # the inner shell expands them
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true \
        ${JOBS:+JOBS="$JOBS"} sh -c 'cd /samite && exec "$@"' sh "$@"
}

status=0
for verb in run test package; do
    say "./dev $verb on a minimal Debian 12"
    if inside ./dev "$verb" >"$root.log" 2>&1 </dev/null; then
        tail -n 2 "$root.log"
    else
        tail -n 200 "$root.log"
        printf './dev %s failed on a minimal Debian 12\n' "$verb"
        status=1
    fi
done
exit $status
