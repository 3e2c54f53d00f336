// What docs/operate says to type where a practice goes to another host, or a host is lost, is typed on a machine in a directory with
// the daemon, Litestream and another host beside it.
// @module-tag slow
// @module-tag debian/haproxy
// @module-tag debian/openssl
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sender } from '#test/support/app.ts';
import { openPractices } from '#test/support/furnished-host.ts';
import { startHaproxy } from '#test/support/haproxy.ts';
import { type Machine, openMachine } from '#test/support/operated-host.ts';
import { operatedPages } from './operated.ts';

const pages = operatedPages('test/docs/operate-hosts.test.ts');
const run = (page: string, beginning: string) => pages.run(machine, page, beginning);

let machine: Machine;
let sender: Sender;
beforeAll(async () => {
  machine = await openMachine();
  await pages.install(machine);
  sender = await openPractices(machine);
});
afterAll(() => machine.close());

/** Short names of the practices at that host, without that of the service itself. */
const practicesAt = async ({ request, adminToken }: Machine['other']): Promise<string[]> => {
  const { body } = await request<{ data: { slug: string }[] }>(
    'GET',
    '/api/admin/practices',
    undefined,
    adminToken,
  );
  return body.data.map(({ slug }) => slug).sort();
};

test('practices: one is taken to another host in a file', async () => {
  await run('practices', 'sendwerk tenant show');
  expect(await practicesAt(machine.other)).toEqual(['praxis-sonnenhof']);
  await machine.type('sendwerk tenant erase praxis-sonnenhof --yes praxis-sonnenhof');
});

test('disasters: a practice that left and came back is restored to what it was before', async () => {
  const before = await machine.app().send(sender);
  await machine.type('sendwerk backup');
  const after = await machine.app().send(sender);
  await run('disasters', 'sendwerk restore');
  const statusOf = async (id: string): Promise<number> =>
    (await machine.app().request('GET', `${sender.base}/messages/${id}`, undefined, sender.token)).status;
  expect([await statusOf(before), await statusOf(after)]).toEqual([200, 404]);
});

test('replica: it is made, restored on a host that has nothing, and practised', async () => {
  await run('replica', 'systemctl restart');
  await machine.stop();
  await machine.stopLitestream();
  await rm(machine.at('etc/sendwerk/data'), { recursive: true });
  await run('replica', 'set -a');
  expect(await practicesAt(machine.app())).toEqual(['praxis-am-markt']);
  await run('replica', 'sendwerk litestream-restore');
});

test('move: a practice goes to another host while both run', async () => {
  await run('move', 'sendwerk tenant move');
  expect(await practicesAt(machine.other)).toEqual(['praxis-am-markt', 'praxis-sonnenhof']);
});

test('scale: the other host takes over what a lost one had', async () => {
  const { at, other } = machine;
  const fleet = machine.textHere(pages.blockOf('scale', '# /etc/sendwerk/fleet.yaml').text);
  await writeFile(at('etc/sendwerk/fleet.yaml'), fleet);
  const proxy = await startHaproxy({
    one: new URL(machine.app().origin).host,
    two: new URL(other.origin).host,
  });
  machine.callHere('/etc/haproxy/sendwerk', proxy.maps);
  machine.callHere('/run/haproxy/admin.sock', proxy.socket);
  await mkdir(at('etc/sendwerk/fleet/one'));
  await writeFile(at('etc/sendwerk/fleet/one/service.yaml'), await readFile(at('etc/sendwerk/service.yaml')));
  const { slug } = await machine.app().createPractice({ name: 'Praxis am See' });
  expect(await machine.type('sendwerk fleet list')).toContain(slug);
  await machine.type('sendwerk fleet maps --out /etc/haproxy/sendwerk');
  await machine.type('sendwerk fleet plan');
  // The unit does that by itself, within ten seconds.
  await machine.stopLitestream();
  await machine.startLitestream();
  await machine.stop();
  await machine.stopLitestream();
  await machine.goTo(path.join(other.home, 'service.yaml'));
  await run('scale', 'sendwerk litestream-restore');
  expect(await practicesAt(other)).toContain(slug);
  expect(await readFile(path.join(proxy.maps, 'names.map'), 'utf8')).toContain('mail.example.org two');
  // The command's user is not root.
  expect((await stat(proxy.socket)).uid).not.toBe(0);
  await proxy.stop();
});

test('no block of these pages is left', () => expect(pages.left()).toEqual([]));
