// The blocks of README and docs that samples.test.ts does not run, and why. All of sh are parsed, and their commands, options and
// paths are checked all the same.

interface NotRun {
  /** The page, or the beginning of the names of several. */
  readonly page: string;
  /** The beginning of the block; every block of the page where absent. */
  readonly block?: string;
  readonly because: string;
  /** The test that runs it in another way. */
  readonly runBy?: string;
}

const STAYS = { because: 'starts a playground that stays up', runBy: 'test/app/cli/playground.test.ts' };
const INSTALLS = { because: 'installs a package, as root', runBy: 'test/install/release.test.ts' };
const OF_A_HOST = 'needs root, systemd or the programs of a server';
const OTHER_HOST = 'needs another host, which has the data already';
const CLIENTS = 'is code for other services and for packages of theirs, which the tests in test/compat run';

export const notRun: readonly NotRun[] = [
  { page: 'README.de.md', because: 'has the commands of README.md', runBy: 'test/docs/names.test.ts' },
  ...['README.md', 'docs/start.md'].flatMap((page) => [
    { page, block: 'git clone', ...STAYS },
    { page, block: 'apt install', ...INSTALLS },
  ]),
  { page: 'docs/playground.md', ...STAYS },
  {
    page: 'docs/develop/testing.md',
    block: 'sendwerk quickstart',
    because: 'starts a playground beside the one in which pages are run',
    runBy: 'test/app/cli/quickstart.test.ts',
  },
  {
    page: 'docs/develop/lists.md',
    block: 'curl -sS "$practice/people',
    because: 'asks for the keys of the service by HTTPS, which a playground does not have',
    runBy: 'test/flows/consent-keys.test.ts',
  },
  ...['import ', '<?php', 'package '].map((block) => ({
    page: 'docs/webhooks.md',
    block,
    because: 'is run on deliveries in its language',
    runBy: 'test/docs/webhook-snippets.test.ts',
  })),
  { page: 'docs/from-', because: CLIENTS },
  {
    page: 'docs/operate/practices.md',
    block: 'sendwerk tenant show',
    because: OTHER_HOST,
    runBy: 'test/operations/tenant-export.test.ts',
  },
  { page: 'docs/operate/backup.md', because: OF_A_HOST, runBy: 'test/flows/backup.test.ts' },
  { page: 'docs/operate/disasters.md', because: OF_A_HOST, runBy: 'test/operations/disasters.test.ts' },
  { page: 'docs/operate/dns.md', because: OF_A_HOST, runBy: 'test/app/cli/dns.test.ts' },
  { page: 'docs/operate/install.md', because: OF_A_HOST, runBy: 'test/app/cli/setup.test.ts' },
  { page: 'docs/operate/move.md', because: OTHER_HOST, runBy: 'test/flows/move.test.ts' },
  { page: 'docs/operate/receiving.md', because: OF_A_HOST, runBy: 'test/app/cli/doctor.test.ts' },
  { page: 'docs/operate/relay.md', because: OF_A_HOST, runBy: 'test/flows/postfix.test.ts' },
  { page: 'docs/operate/replica.md', because: OF_A_HOST },
  { page: 'docs/operate/scale.md', because: OTHER_HOST, runBy: 'test/flows/fleet.test.ts' },
  { page: 'docs/operate/submission.md', because: OTHER_HOST, runBy: 'test/flows/submission.test.ts' },
  { page: 'docs/operate/troubleshooting.md', because: OF_A_HOST, runBy: 'test/app/cli/doctor.test.ts' },
  { page: 'docs/operate/upgrade.md', because: OF_A_HOST, runBy: 'test/install/release.test.ts' },
];
