// What docs/operate says to type on one host is typed, page by page in the order of an installation, on a machine in a directory with
// the daemon; and its configuration is read as the service and Prometheus read it.
// @module-tag slow
// @module-tag debian/bind9-dnsutils
// @module-tag debian/bind9-utils
// @module-tag debian/openssl
// @module-tag debian/postfix
// @module-tag debian/prometheus
// @module-tag debian/swaks
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Sender } from '#test/support/app.ts';
import { openPractices } from '#test/support/furnished-host.ts';
import { type Machine, openMachine } from '#test/support/operated-host.ts';
import { operatedPages } from './operated.ts';

const pages = operatedPages('test/docs/operate.test.ts');
const run = (page: string, beginning: string, before?: string) => pages.run(machine, page, beginning, before);

/** What is named in the text and needs nothing that is not there. */
const ANSWERS = new RegExp(
  `^sendwerk (?:${[
    ...[
      '--version',
      'help',
      'health',
      'config example',
      'tenant list',
      'tenant show SLUG',
      'admin practices',
    ],
    ...['admin held-mail --practice SLUG', 'admin sign-in-link --email \\S+'],
    ...['consent verify --practice SLUG', 'backup --whole', 'backup list', 'secrets rotate'],
    ...['litestream-config', 'dns zone'],
  ].join('|')})$`,
);

let machine: Machine;
let sender: Sender;
/** What setup said at its end. */
let said: string;
beforeAll(async () => {
  machine = await openMachine();
  vi.stubEnv('PATH', `${machine.at('bin')}:${process.env.PATH}`);
  said = await pages.install(machine);
  sender = await openPractices(machine);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await machine.close();
});

test('install: a changed configuration is checked and applied', async () => {
  expect(await run('install', 'sendwerk config check')).toContain('service.yaml');
});

test('backup: one is made, a practice and all come back from it, and it is practised', async () => {
  await run('backup', 'systemctl reload');
  await run('backup', 'sendwerk restore');
  await cp(machine.at('var/backups/sendwerk'), machine.at('copy/of/backups'), { recursive: true });
  await run('backup', 'sendwerk backup verify');
});

test('relay, receiving: Postfix takes what is set, and the service answers where it is asked', async () => {
  await run('relay', 'postconf -e');
  const set = execFileSync(machine.at('bin/postconf'), ['-n'], { encoding: 'utf8' });
  expect(set).toMatch(/^mydestination =\s*$/m);
  expect(set).toMatch(/^smtp_helo_name = mail\.example\.org$/m);
  for (const page of ['relay', 'receiving'])
    expect(await run(page, 'sendwerk doctor'), page).toMatch(/ -> RCPT TO:.*\n<- {2}250 /);
});

test('dns: setup prints the records that are shown', () => {
  const { text } = pages.blockOf('dns', 'mail.example.org. ');
  const shown = text.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
  for (const record of shown) expect(said.replaceAll(' 3600 IN ', ' ')).toContain(record);
});

test('dns: the zones are such as another name server takes, and the service answers for them', async () => {
  await run('dns', 'sendwerk dns zone');
  for (const zone of ['mail.example.org', 'send.example.org']) {
    const words = [zone, machine.at('etc/bind', `${zone}.zone`)];
    expect(execFileSync('/usr/bin/named-checkzone', words, { encoding: 'utf8' })).toMatch(/^OK$/m);
  }
  expect(await run('dns', 'sendwerk dns check')).toMatch(
    /ANSWER SECTION:\nmail\.example\.org\.\s+\d+\s+IN\s+SOA/,
  );
});

test('submission: a program sends over TLS', async () => {
  expect(await run('submission', 'swaks', `SENDWERK_TOKEN=${sender.token}\n`)).toMatch(/^<~ {2}250 /m);
});

test('troubleshooting: the doctor looks at all, at some, from elsewhere, and by messages', async () => {
  const found = await run('troubleshooting', 'sendwerk doctor');
  expect(found).toMatch(/^ok +13 DNS records/m);
  expect(found).toContain('can be reached from user@elsewhere.example');
  expect(found).not.toMatch(/^FAIL/m);
});

test('commands that stand in the text of the pages answer', async () => {
  const commands = pages.quoted().filter((code) => ANSWERS.test(code));
  expect(commands).toHaveLength(15);
  for (const code of commands) expect(await machine.type(code), code).not.toBe('');
});

test.each(
  pages
    .yaml()
    .filter(({ text }) => !/^# answers|^hosts:/m.test(text))
    .map((block) => [`${block.file}:${block.line}`, block.text] as const),
)('%s is configuration that is taken', async (_, text) => {
  const isScrape = /^( {2}- job_name|scrape_configs):/m.test(text);
  if (!isScrape) return machine.configure(text);
  const file = machine.at('etc/prometheus/prometheus.yml');
  await writeFile(file, machine.textHere(/^\S/m.test(text) ? text : `scrape_configs:\n${text}`));
  const checked = execFileSync('/usr/bin/promtool', ['check', 'config', file], { encoding: 'utf8' });
  expect(checked).toContain('is valid prometheus config file');
});

test('install: nothing is left of what was uninstalled', async () => {
  await run('install', 'systemctl disable');
  const left = readdirSync(machine.root, { recursive: true, encoding: 'utf8' });
  expect(
    left.filter((name) => /sendwerk/.test(name) && !/^(?:bin|copy|etc\/prometheus)\//.test(name)),
  ).toEqual([]);
});

test('no block of these pages is left', () => expect(pages.left()).toEqual([]));
