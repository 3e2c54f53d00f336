#!/bin/sh
# Makes sure that the Debian packages that tests and benchmarks run as peers and referees are installed:
# a real MTA and its load generator (postfix), independent DKIM signers and verifiers (opendkim, python3-dkim),
# dig, named-checkzone, a name server (knot), scanners of content (rspamd, clamav-daemon, spamassassin), a mail client
# (swaks), a reader of calendars (python3-icalendar), openssl, systemd-analyze, languages that webhooks are verified in (php-cli,
# golang-go, python3). Installs what is missing, is silent where
# nothing is. Where services are started at their installation, they are in nobody's way: tests use ports of their own.
set -eu

# bind9-dnsutils is what the transitional package dnsutils pulls in.
packages='postfix opendkim opendkim-tools python3-dkim python3-nacl bind9-dnsutils bind9-utils openssl systemd knot rspamd clamav-daemon spamassassin swaks python3-icalendar php-cli golang-go'

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "debian.sh: this is no Debian system; the tests need what these Debian packages contain: $packages" >&2
  exit 1
fi

missing() {
  # dpkg-query prints what it knows with its state; whatever is not "installed" is missing.
  # shellcheck disable=SC2086 # a list of words
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages 2>/dev/null || true)"
  for package in $packages; do
    case $installed in
      *" installed:$package "*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

wanted=$(missing)
[ -n "$wanted" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
    echo "debian.sh: missing Debian packages: $wanted" >&2
    echo "debian.sh: install them as root: apt-get install --no-install-recommends $wanted" >&2
    exit 1
  fi
  as_root='sudo -n'
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

install() {
  case $wanted in
    *postfix*)
      # Without a configuration, Debian's postfix starts nothing; the tests bring their own.
      echo 'postfix postfix/main_mailer_type select No configuration' | $as_root debconf-set-selections
      ;;
  esac
  # The lock's timeout: two checkouts may come here at the same time.
  $as_root apt-get -o DPkg::Lock::Timeout=300 update
  # shellcheck disable=SC2086 # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $wanted
}

echo "debian.sh: installing $wanted" >&2
# Not `if ! install`: that would switch `set -e` off inside.
set +e
(set -e; install) >"$log" 2>&1
status=$?
set -e
if [ "$status" -ne 0 ] || [ -n "$(missing)" ]; then
  cat "$log" >&2
  echo "debian.sh: could not install: $(missing)" >&2
  exit 1
fi
