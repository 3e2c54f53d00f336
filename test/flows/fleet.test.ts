// Two hosts and the real HAProxy, with the configuration that is handed out: a practice moves under load, then a host is killed and the
// other one takes over what its backup has, in full length what its replica has. What was answered is counted.
// @module-tag debian/haproxy
// @module-tag soak
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory, untilTestEnds } from '#test/flows/fixture.ts';
import { load, type Member, newTold, openFleet, type Scene, sendThrough } from '#test/flows/fleet-scene.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { endProcess, freePort, processTree, spawnMortal, until } from '#test/support/process.ts';
import { bring, deliveryStatus } from '#test/support/reports.ts';
import { soak } from '#test/support/soak.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const LITESTREAM = fileURLToPath(
  new URL('../../node_modules/@flydotio/litestream-linux-x64/litestream', import.meta.url),
);
const PRACTICES = soak(3, 20);
/** Mails of each phase under load, at least. */
const SOME = soak(12, 600);

const reached = ({ receiver }: Scene): string[] =>
  receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address));

const inboxOf = async (scene: Scene, host: 'one' | 'two', { id }: Member): Promise<string[]> => {
  const { service } = scene[host];
  const subjects: string[] = [];
  let cursor = '';
  do {
    const { body } = await service.request<{ data: { subject: string }[]; next_cursor: string | null }>(
      'GET',
      `/api/practices/${id}/inbound/messages?limit=200${cursor}`,
      undefined,
      service.adminToken,
    );
    subjects.push(...body.data.map(({ subject }) => subject));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  return subjects;
};

const doubles = (all: readonly string[]): string[] => all.filter((one, index) => all.indexOf(one) !== index);

/** Where the copy of the lost host is, asked once it is lost. */
type Copied = () => Promise<string>;

const backUp = async ({ one, command }: Scene, directory: string): Promise<Copied> => {
  const backups = path.join(directory, 'backups');
  expect((await command(one.home, 'backup', backups)).exitCode).toBe(0);
  return async () => backups;
};

const replicaIn = async (directory: string) => ({
  replica: { to: `file://${directory}/replica`, metrics: `127.0.0.1:${await freePort()}` },
});

/** Litestream reads what the first host writes. */
const replicate = async (started: AsyncDisposableStack, { one, command }: Scene, directory: string) => {
  if (soak(true, false)) return backUp;
  const litestream = spawnMortal(
    process.execPath,
    [
      ...[MAIN, 'litestream-config', '--config', one.daemon.configFile],
      ...['--out', path.join(directory, 'litestream.yml'), '--run', LITESTREAM],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  started.defer(async () => void (await endProcess(litestream)));
  let said = '';
  for (const stream of [litestream.stdout, litestream.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await until('the replica has begun', () => said.split('snapshot written').length > 2);
  return async (): Promise<Copied> => {
    // A replica is seconds behind (docs/operate/replica.md): what is to be in it is older.
    await pause(10_000);
    return async () => {
      const tree = processTree(litestream.pid ?? 0);
      for (const pid of tree) process.kill(pid, 'SIGKILL');
      const restored = path.join(directory, 'restored');
      const ran = await command(one.home, 'litestream-restore', restored, '--litestream', LITESTREAM);
      expect(ran).toMatchObject({ exitCode: 0 });
      return restored;
    };
  };
};

test(
  'a move under load and a lost host: nothing that was answered and copied is lost or doubled',
  async () => {
    const started = untilTestEnds();
    const directory = await temporaryDirectory(started);
    const config = soak<ConfigFile>({}, await replicaIn(directory));
    const scene = await openFleet(started, directory, { practices: PRACTICES, config });
    const takeCopy = soak(backUp, await replicate(started, scene, directory));
    const { one, two, members, proxy, receiver, fleetFile, command } = scene;
    const fleet = ['--fleet', fleetFile];
    const maps = ['--out', proxy.maps, '--socket', proxy.socket];

    const written = await command(null, 'fleet', 'maps', ...fleet, '--out', proxy.maps);
    expect(written).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining('systemctl reload haproxy'),
    });
    await proxy.reload();
    const again = await command(null, 'fleet', 'maps', ...fleet, '--out', proxy.maps);
    expect(again.printed.match(/unchanged/g)).toHaveLength(4);
    expect(again.printed).not.toContain('reload');
    expect(await proxy.plain(one.name, '/reference')).toEqual({
      status: 308,
      location: `https://${one.name}/reference`,
    });

    // A practice of the first host goes to the second one, while all send and are written to.
    const mover = members[0] as Member;
    const portOf = ({ name }: Member) => (name === one.name ? one.mailPort : two.mailPort);
    const moving = newTold();
    const end = load(scene, 'zug', portOf, moving);
    await until('there is load', () => moving.accepted.size > SOME && moving.taken.size > SOME / 2);
    const moved = await command(one.home, 'fleet', 'move', mover.slug, '--to', 'two', ...fleet, ...maps);
    expect(moved).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining(`works on              ${two.service.origin}`),
    });
    const before = moving.accepted.size;
    await until('there is load again', () => moving.accepted.size > before + SOME);
    await end();
    await until('all have come', () => reached(scene).length >= moving.accepted.size);
    expect(reached(scene).toSorted()).toEqual([...moving.accepted.keys()].toSorted());
    expect(moving.broken).toEqual([]);
    expect(new Set(moving.refused)).toEqual(new Set(moving.refused.length === 0 ? [] : [503]));
    expect(moving.deferred.filter((reply) => !reply.startsWith('4'))).toEqual([]);

    // A mail that waits, and a link and a return path of before.
    const stayers = members.filter(({ id, name }) => name === one.name && id !== mover.id);
    const first = stayers[0] as Member;
    const told = newTold();
    await sendThrough(scene, first, 'weg@example.org', told);
    await until('it has come', () => reached(scene).includes('weg@example.org'));
    const returnPath = receiver.messages.at(-1)?.mailFrom ?? '';
    receiver.setBehaviour({ rcpt: '450 4.2.0 Later' });
    for (const [index, member] of stayers.entries())
      await sendThrough(scene, member, `wartet-${index}@example.org`, told);
    await receiver.waitForCommand(/RCPT TO:<wartet-0@/);
    const copied = await takeCopy(scene, directory);
    // Of this nothing is in the copy: it is what such a loss costs.
    const last = newTold();
    await sendThrough(scene, first, 'zuletzt@example.org', last);

    const running = await command(
      two.home,
      'fleet',
      'take-over',
      'one',
      '--from',
      directory,
      ...fleet,
      ...maps,
    );
    expect(running).toMatchObject({ exitCode: 1, printed: expect.stringContaining('one answers') });
    await one.daemon.kill();
    const from = await copied();
    const lost = await proxy.request(one.name, 'GET', '/api/meta');
    expect([lost.status, lost.headers['retry-after']]).toEqual([503, '5']);
    // The token of the practice that has moved leads past the lost host.
    const found = await proxy.request(one.name, 'GET', `/api/practices/${mover.id}`, {
      authorization: `Bearer ${mover.token}`,
    });
    expect(found.status).toBe(200);
    receiver.setBehaviour({});
    const begun = performance.now();
    const taken = await command(two.home, 'fleet', 'take-over', 'one', '--from', from, ...fleet, ...maps);
    const took = performance.now() - begun;
    expect(taken).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining(`taken over from one: ${stayers.length} practice`),
    });
    // The names of the lost host lead here, and its keys stay in the DNS.
    const fileAt = (name: string) => readFile(path.join(proxy.maps, name), 'utf8');
    expect(await fileAt('addresses.zone')).toContain(`${one.name}. 300 IN A 192.0.2.2`);
    expect(await fileAt(`${one.name}.zone`)).toMatch(/\.dkim\.mail\.eins\.example\.\s.*TXT/);
    expect(await readFile(fleetFile, 'utf8')).toMatch(/^# The hosts\.[\s\S]*heir: two/);
    expect(Number(/HELD: (\d+) mail/.exec(taken.printed)?.[1])).toBeGreaterThanOrEqual(stayers.length);

    // The same tokens, names and addresses as before. What was held is sent once it is released.
    const after = newTold();
    const endAfter = load(scene, 'danach', () => two.mailPort, after);
    await until('there is load', () => after.accepted.size > SOME && after.taken.size > SOME / 2);
    await endAfter();
    expect([after.broken, after.refused]).toEqual([[], []]);
    // A hard bounce of 20 mails would pause the practice.
    const bounce = deliveryStatus('weg@example.org', 'Action: failed', 'Status: 4.2.2');
    expect(await bring(two.mailPort, returnPath, bounce)).toMatch(/^250/);
    for (const { id } of stayers)
      expect((await command(two.home, 'admin', 'held-mail', '--practice', id, '--release')).exitCode).toBe(0);
    const answered = [...moving.accepted, ...told.accepted, ...after.accepted];
    const missing = () => answered.filter(([to]) => !reached(scene).includes(to));
    await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
    expect(doubles(reached(scene))).toEqual([]);
    for (const [, { member, id }] of [...told.accepted]) {
      const found = await proxy.request(one.name, 'GET', `/api/practices/${member.id}/messages/${id}`, {
        authorization: `Bearer ${member.token}`,
      });
      expect(found.status).toBe(200);
    }
    const { id: lastId = '' } = last.accepted.get('zuletzt@example.org') ?? {};
    const lastFound = await proxy.request(one.name, 'GET', `/api/practices/${first.id}/messages/${lastId}`, {
      authorization: `Bearer ${first.token}`,
    });
    const wasCopied = lastFound.status === 200;
    const inboxes = (await Promise.all(members.map((member) => inboxOf(scene, 'two', member)))).flat();
    const brought = [...moving.taken.keys(), ...after.taken.keys()];
    expect(brought.filter((subject) => !inboxes.includes(subject))).toEqual([]);
    expect(doubles(inboxes)).toEqual([]);
    // A second run finds nothing to do.
    const twice = await command(two.home, 'fleet', 'take-over', 'one', '--from', from, ...fleet, ...maps);
    expect(twice.printed).toContain(`0 practices of`);
    const listed = await command(null, 'fleet', 'list', ...fleet);
    expect(listed.printed).toContain('lost: two answers for it');
    process.stdout.write(
      `${PRACTICES} practices: ${answered.length} mails answered 202, ${moving.refused.length} refused (503) during the move; ` +
        `${brought.length} mails to inboxes answered 250, ${moving.deferred.length} asked to come later; ` +
        `${stayers.length} taken over in ${(took / 1_000).toFixed(1)} s; lost 0, doubled 0 of what was copied; the mail of the last moment ${wasCopied ? 'was' : 'was not'} in the copy\n`,
    );
  },
  soak(240_000, 900_000),
);
