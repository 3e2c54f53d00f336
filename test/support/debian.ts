// The Debian packages whose programs tests and benchmarks use as peers and referees. A test that needs one says so by its
// tag, `debian/<package>` (a whole file by a line `@module-tag`), and is left out where the package is missing.
import { existsSync } from 'node:fs';
import process from 'node:process';

/** Package to a file of it: the package is installed where the file exists. */
const packages = {
  'bind9-dnsutils': '/usr/bin/dig',
  'bind9-utils': '/usr/bin/named-checkzone',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  'clamav-daemon': '/usr/sbin/clamd',
  'fonts-inter': '/usr/share/fonts/opentype/inter/Inter-Regular.otf',
  gcc: '/usr/bin/gcc',
  'golang-go': '/usr/bin/go',
  haproxy: '/usr/sbin/haproxy',
  knot: '/usr/sbin/knotd',
  'libc6-dev': '/usr/include/dlfcn.h',
  'libreoffice-calc-nogui': '/usr/lib/libreoffice/program/libsclo.so',
  opendkim: '/usr/sbin/opendkim',
  openssl: '/usr/bin/openssl',
  pebble: '/usr/bin/pebble',
  'php-cli': '/usr/bin/php',
  pngquant: '/usr/bin/pngquant',
  postfix: '/usr/sbin/smtp-sink',
  prometheus: '/usr/bin/promtool',
  python3: '/usr/bin/python3',
  'python3-django-anymail': '/usr/lib/python3/dist-packages/anymail/backends/postmark.py',
  'python3-dkim': '/usr/lib/python3/dist-packages/dkim/__init__.py',
  'python3-icalendar': '/usr/lib/python3/dist-packages/icalendar/__init__.py',
  'python3-nacl': '/usr/lib/python3/dist-packages/nacl/__init__.py',
  'python3-setuptools': '/usr/lib/python3/dist-packages/setuptools/build_meta.py',
  'python3-wheel': '/usr/lib/python3/dist-packages/wheel/bdist_wheel.py',
  'python3-yaml': '/usr/lib/python3/dist-packages/yaml/__init__.py',
  rspamd: '/usr/bin/rspamd',
  spamassassin: '/usr/bin/spamassassin',
  swaks: '/usr/bin/swaks',
  systemd: '/usr/bin/systemd-notify',
};

const TAG = 'debian/';
/** What installs all of them, as root. */
export const INSTALL = 'npm run setup:debian';

export const missingPackages = (): string[] =>
  Object.entries(packages).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));

/**
 * The tag of an installed package sets nothing: of a test with several tags, one that said `skip: false` would undo the `skip`
 * of the others.
 */
export const tagsWithout = (missing: ReadonlySet<string>) =>
  Object.keys(packages).map((name) => ({ name: TAG + name, ...(missing.has(name) ? { skip: true } : {}) }));

/** vitest's tags: tests of missing packages are skipped. Throws under CI=true where one is missing: all tests run there. */
export const debianTags = () => {
  const missing = new Set(missingPackages());
  if (missing.size > 0 && process.env.CI === 'true')
    throw new Error(`missing Debian packages: ${[...missing].join(' ')}; \`${INSTALL}\` installs them`);
  return tagsWithout(missing);
};

/** The missing packages that a test with these tags needs. */
export const missingFor = (tags: readonly string[]): string[] => {
  const missing = missingPackages();
  return tags.flatMap((tag) => missing.filter((name) => tag === TAG + name));
};
