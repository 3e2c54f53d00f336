// The command that moves a practice is run twice, or its steps come in another order: the practice is never removed where it is alone.
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { MASTER_KEY_JOB } from '#src/app/master-key-job.ts';
import { endHost, type Host, move, restartHost, startHost, steps } from '#test/flows/move-scene.ts';
import type { Sender } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { seedList } from '#test/support/subscribers.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await endHost(host);
});

const started = async (name: string): Promise<Host> => {
  const host = await startHost(name);
  hosts.push(host);
  return host;
};

const restarted = async (host: Host): Promise<Host> => {
  const again = await restartHost(host);
  hosts[hosts.indexOf(host)] = again;
  return again;
};

const scene = async () => {
  const [old, next] = [await started('alt.example'), await started('neu.example')];
  const sender = await old.app.createSender();
  return { old, next, sender, id: sender.practice.id, step: steps(old, next, sender.practice.id) };
};

const statusAt = async ({ app }: Host, { base, token }: Sender): Promise<number> =>
  (await app.request('GET', base, undefined, token)).status;

/** As if its disk had lost what it took. */
const loseArrival = async (host: Host, id: string): Promise<Host> => {
  await host.app.stop();
  const data = path.join(host.app.home, 'data');
  const db = new Database(path.join(data, 'platform.db'));
  db.pragma('foreign_keys = ON');
  db.prepare('DELETE FROM tenants WHERE id = ?').run(id);
  db.close();
  await rm(path.join(data, 'tenants', id), { recursive: true });
  await rm(path.join(data, 'arriving'), { recursive: true, force: true });
  return restarted(host);
};

const readMoves = async ({ app }: Host): Promise<{ id: string }[]> =>
  (await app.request<{ data: { id: string }[] }>('GET', '/api/admin/moves', undefined, app.adminToken)).body
    .data;

describe('two commands for one practice', () => {
  test('refuse each other', async () => {
    const { old, next, sender, id } = await scene();
    const [first, second] = await Promise.allSettled([move(old, next, id), move(old, next, id)]);
    const failed = [first, second].filter((one) => one.status === 'rejected');
    expect(failed.map(({ reason }) => String(reason))).toEqual([
      'CommandError: another `sendwerk tenant move` of this practice is running: wait until it has ended',
    ]);
    expect(await statusAt(next, sender)).toBe(200);
  });

  test('what waits is not removed once the old host has given it up, and begins', async () => {
    const { old, next, sender, step } = await scene();
    const frozen = await step.freeze();
    const taken = await step.take(frozen);
    // What a second command asks, which looked before the old host gave the practice up.
    await expect(step.take(frozen)).rejects.toThrow('waits here');
    await step.move(frozen.freeze, taken);
    expect(await step.release(frozen.freeze)).toMatchObject({ status: 404 });
    expect(await step.cancel()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await step.begin()).toMatchObject({ status: 204 });
    expect(await statusAt(next, sender)).toBe(200);
    expect(await statusAt(old, sender)).toBe(200);
  });

  test('what waits is removed by the proof of the old host that this freeze is over, and by no other', async () => {
    const { old, next, sender, step } = await scene();
    const first = await step.freeze();
    const { proof: early } = (await step.release(first.freeze)).body;
    const second = await step.freeze();
    await step.take(second);
    expect(await step.cancel(`?freeze=${first.freeze}&proof=${early}`)).toMatchObject({ status: 409 });
    expect(await step.cancel(`?freeze=${second.freeze}&proof=${early}`)).toMatchObject({ status: 409 });
    // Both were started again: the old host does not know the freeze, and has not given the practice up.
    const [back, again] = [await restarted(old), await restarted(next)];
    const later = steps(back, again, sender.practice.id);
    const { proof } = (await later.release(second.freeze)).body;
    expect(await later.cancel(`?freeze=${second.freeze}&proof=${proof}`)).toMatchObject({ status: 204 });
    expect(await later.state()).toBeNull();
    expect(await statusAt(back, sender)).toBe(200);
    expect((await again.app.files()).filter((name) => name.includes(sender.practice.id))).toEqual([]);
  });
});

describe('a new host that has lost what it took', () => {
  test('gets the former file again', async () => {
    const { old, next, sender, id, step } = await scene();
    const frozen = await step.freeze();
    await step.move(frozen.freeze, await step.take(frozen));
    const again = await loseArrival(next, id);
    expect(await steps(old, again, id).begin()).toMatchObject({ status: 404 });
    expect(await move(old, again, sender.practice.slug)).toContain(`works on ${again.app.origin}`);
    expect(await statusAt(again, sender)).toBe(200);
    expect(await statusAt(old, sender)).toBe(200);
    expect((await old.app.files()).filter((name) => name.startsWith('leaving/'))).toEqual([]);
  });

  test('does not get it again where it had begun', async () => {
    const { old, next, sender, id } = await scene();
    await move(old, next, id);
    const again = await loseArrival(next, id);
    await expect(move(old, again, id)).rejects.toThrow('it was erased there');
    expect(await steps(old, again, id).state()).toBeNull();
    expect(await statusAt(again, sender)).toBe(401);
  });
});

describe('the way back', () => {
  const movedOnce = async () => {
    const { old, next, sender, id } = await scene();
    await move(old, next, id);
    const way = steps(next, old, id);
    const frozen = await way.freeze();
    await way.take(frozen);
    return { old, next, sender, id, way, frozen };
  };

  test('ends before the hand-over: what comes to the host of before is handed on as it was', async () => {
    const { old, next, sender, id, way, frozen } = await movedOnce();
    expect(await way.state()).toBe('arriving');
    const { proof } = (await way.release(frozen.freeze)).body;
    expect(await statusAt(old, sender)).toBe(200);
    expect(await way.cancel(`?freeze=${frozen.freeze}&proof=${proof}`)).toMatchObject({ status: 204 });
    expect(await way.state()).toBe('moved');
    for (const host of [old, await restarted(old)]) {
      if (host === hosts[0]) expect(await statusAt(host, sender)).toBe(200);
      expect((await host.app.files()).filter((name) => name.includes(id))).toContain(`moved/${id}/tenant.db`);
    }
    const [back] = hosts as [Host];
    expect(await readMoves(back)).toMatchObject([{ id }]);
    expect(await statusAt(next, sender)).toBe(200);
  });

  test('waits over a start of the host, and then takes the place of what was handed on', async () => {
    const { old, next, sender, id, frozen } = await movedOnce();
    const back = await restarted(old);
    const way = steps(next, back, id);
    expect(await way.state()).toBe('arriving');
    expect(await readMoves(back)).toMatchObject([{ id }]);
    expect(await way.cancel()).toMatchObject({ status: 409 });
    const moved = await way.move(frozen.freeze, {
      host: 'mail.alt.example',
      mail: { host: '127.0.0.1', port: 25 },
    });
    expect(moved.status).toBe(200);
    expect(await way.begin()).toMatchObject({ status: 204 });
    expect(await way.begin()).toMatchObject({ status: 204 });
    expect(await readMoves(back)).toEqual([]);
    expect(await statusAt(next, sender)).toBe(200);
    const last = await restarted(back);
    expect(await statusAt(last, sender)).toBe(200);
    const files = (await last.app.files()).filter((name) => name.includes(id));
    expect(files.filter((name) => !name.startsWith(`tenants/${id}`) && !name.startsWith('moving/'))).toEqual(
      [],
    );
  });
});

test('a change of the master key ends while a practice waits and another has moved, and both are readable', async () => {
  const { old, next, sender, id, step } = await scene();
  const other = await next.app.createSender();
  await move(next, old, other.practice.id);
  const frozen = await step.freeze();
  const taken = await step.take(frozen);
  const home = (name: string): string => path.join(next.app.home, name);
  renameSync(home('master.key'), home('former.key'));
  writeFileSync(home('master.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const secrets = { master_key_file: home('master.key'), former_master_key_file: home('former.key') };
  const { config } = next.options;
  const changed = await restarted({ ...next, options: { ...next.options, config: { ...config, secrets } } });
  await changed.app.runJob(MASTER_KEY_JOB);
  const registry = changed.app.sql<{ former: unknown }>(null, 'SELECT former FROM master_key_check');
  expect(registry).toEqual([{ former: null }]);
  const without = { ...config, secrets: { master_key_file: home('master.key') } };
  const last = await restarted({ ...changed, options: { ...changed.options, config: without } });
  await step.move(frozen.freeze, taken);
  expect(await steps(old, last, id).begin()).toMatchObject({ status: 204 });
  // Its DKIM keys are sealed.
  await last.app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, last.app.adminToken);
  await last.app.send(sender, { to: 'anna@example.org' });
  await last.receiver.waitFor(1);
  expect(last.receiver.messages[0]?.content.toString()).toContain('DKIM-Signature');
  // The former file of the other one, sealed for a way.
  const copied = await last.app.request(
    'POST',
    `/api/admin/moves/${other.practice.id}/copy`,
    undefined,
    last.app.adminToken,
  );
  expect(copied.status).toBe(200);
});

test('a campaign that is being sent goes on at the new host, and each person gets it once', async () => {
  // So slow that it has not sent all before the practice is frozen, however long that takes.
  const old = await startHost('alt.example', { upstream: { rate: 20 } });
  hosts.push(old);
  const next = await started('neu.example');
  const sender = await old.app.createSender({ plan: 'gruppe' });
  await old.app.completeLegal(sender.practice.id);
  await old.app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, old.app.adminToken);
  const people = Array.from({ length: 300 }, (_, index) => ({
    address: `p${index}@example.org`,
    name: 'Erika',
  }));
  const list = seedList(old.app.home, sender.practice.id, people, { name: 'Liste' });
  const letter = { list_id: list.id, subject: 'Herbst', text: 'Guten Tag, wir impfen wieder.' };
  const campaigns = `${sender.base}/campaigns`;
  const made = await old.app.request<{ id: string }>('POST', campaigns, letter, sender.token);
  const path = `${campaigns}/${made.body.id}`;
  expect((await old.app.request('POST', `${path}/send`, {}, sender.token)).status).toBeLessThan(300);
  const came = (): string[] =>
    [old, next].flatMap(({ receiver }) =>
      receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address)),
    );
  await until('some have it', () => came().length > 10);
  await move(old, next, sender.practice.id);
  expect(came().length).toBeLessThan(people.length);
  await until('all have it', () => came().length >= people.length);
  const read = () => next.app.request<{ status: string }>('GET', path, undefined, sender.token);
  await until('it is sent', async () => (await read()).body.status === 'sent');
  expect(came().toSorted()).toEqual(people.map(({ address }) => address).toSorted());
});
