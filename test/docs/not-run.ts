// The blocks of README and docs that samples.test.ts does not run, and why: those of docs/operate are run by operate.test.ts, on a
// machine. All of sh are parsed, and their commands, options and paths are checked all the same.
import type { Block } from '#test/support/document-samples.ts';

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
/** Of an operator, in a directory. */
const ON_A_MACHINE = { because: 'is run on a machine', runBy: 'test/docs/operate.test.ts' };
const ON_TWO = { because: 'is run on two machines', runBy: 'test/docs/operate-hosts.test.ts' };
const RELEASE = { because: 'needs the files of a release', runBy: 'test/install/release.test.ts' };
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
  ...['brevo', 'mailgun', 'sendgrid-native', 'ses'].map((name) => ({
    page: `docs/from-${name}.md`,
    because: 'has a body that is sent, and its fields, statuses and events are looked up',
    runBy: 'test/docs/native-guides.test.ts',
  })),
  { page: 'docs/from-', because: CLIENTS },
  { page: 'docs/operate/install.md', block: 'apt install', ...INSTALLS },
  {
    page: 'docs/operate/install.md',
    block: 'git clone',
    because: 'installs the packages of a checkout, as root',
    runBy: 'test/install/install.test.ts',
  },
  ...['sha256sum', 'tar -xzf'].map((block) => ({ page: 'docs/operate/upgrade.md', block, ...RELEASE })),
  { page: 'docs/operate/upgrade.md', block: 'apt install', ...INSTALLS },
  {
    page: 'docs/operate/upgrade.md',
    block: 'podman build',
    because: 'builds an image, for which no engine is among the programs of the tests',
  },
  { page: 'docs/operate/practices.md', block: 'sendwerk tenant show', ...ON_TWO },
  ...['disasters', 'move', 'replica', 'scale'].map((name) => ({
    page: `docs/operate/${name}.md`,
    ...ON_TWO,
  })),
  ...['backup', 'dns', 'install', 'receiving', 'relay', 'submission', 'troubleshooting'].map((name) => ({
    page: `docs/operate/${name}.md`,
    ...ON_A_MACHINE,
  })),
];

export const exceptionOf = ({ file, text }: Block): NotRun | undefined =>
  notRun.find(({ page, block = '' }) => file.startsWith(page) && text.startsWith(block));
