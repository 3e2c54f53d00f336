// A practice moves to another host while both work: what was accepted leaves once, and what comes for it at the old host goes on.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import {
  endHost,
  type Host,
  hostConfig,
  move,
  restartHost,
  startHost,
  steps,
} from '#test/flows/move-scene.ts';
import type { Refusal, Sender } from '#test/support/app.ts';
import { makeOwner, signIn } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';
import { bounceOf, bring } from '#test/support/reports.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock } from '#test/support/storage.ts';

/** A picture of four points. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAE0lEQVQImWM4w8BwhgGMzzAwAAAZjgMx8FJdJAAAAABJRU5ErkJggg==';
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await endHost(host);
});

const started = async (name: string): Promise<Host> => {
  const host = await startHost(name);
  hosts.push(host);
  return host;
};

/** As it comes up after a kill: nothing that it had in memory is there. */
const restarted = async (host: Host): Promise<Host> => {
  const again = await restartHost(host);
  hosts[hosts.indexOf(host)] = again;
  return again;
};

const headOf = (content: Buffer): string =>
  (content.toString('latin1').split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
const fieldOf = (content: Buffer, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(headOf(content))?.[1] ?? '';

const reached = (...all: readonly Host[]): string[] =>
  all.flatMap(({ receiver }) =>
    receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address)),
  );

const sendOne = ({ app }: Host, { base, token }: Sender, to: string) =>
  app.request<{ id: string }>('POST', `${base}/send`, { to, subject: 'Termin', text: 'Bis Montag.' }, token);

describe('a practice that moves under load', () => {
  test('loses and doubles nothing, and works on with its old addresses, links and tokens', async () => {
    const [old, next] = [await started('alt.example'), await started('neu.example')];
    // At the new host another practice has its number, which is in return paths, and its short name.
    await next.app.createSender();
    const sender = await old.app.createSender({ plan: 'gruppe' });
    await old.app.completeLegal(sender.practice.id);
    await old.app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, old.app.adminToken);

    const firstOf = async (
      fields: Readonly<Record<string, unknown>>,
    ): Promise<{ content: Buffer; mailFrom: string }> => {
      const count = old.receiver.messages.length;
      await old.app.send(sender, fields);
      await old.receiver.waitFor(count + 1);
      const found = old.receiver.messages.at(-1);
      if (!found) throw new Error('nothing came');
      return found;
    };
    const bounced = await firstOf({ to: 'weg@example.org' });
    const letter = await firstOf({
      to: 'leserin@example.org',
      message_kind: 'newsletter',
      route: 'broadcast',
    });
    const byMail = await firstOf({ to: 'leser@example.org', message_kind: 'newsletter', route: 'broadcast' });

    const { body: image } = await old.app.request<{ id: string; url: string }>(
      'POST',
      `${sender.base}/images`,
      { content: DOT },
      sender.token,
    );
    const shown = new URL(image.url).pathname;
    const bytes = await (await fetch(old.app.origin + shown)).text();

    const accepted = ['weg@example.org', 'leserin@example.org', 'leser@example.org'];
    const refused: number[] = [];
    let loading = true;
    const load = async (client: number): Promise<void> => {
      for (let index = 0; loading; index += 1) {
        const to = `p${client}-${index}@example.org`;
        const { status } = await sendOne(old, sender, to);
        if (status === 202) accepted.push(to);
        else refused.push(status);
      }
    };
    const clients = [1, 2, 3].map(load);
    await until('there is load', () => accepted.length > 20);
    const said = await move(old, next, sender.practice.slug);
    const before = accepted.length;
    await until('the new host accepts what comes to the old one', () => accepted.length > before + 20);
    loading = false;
    await Promise.all(clients);

    expect(said).toContain(`works on              ${next.app.origin}`);
    // Refused is what came while neither host had it, and nothing else.
    expect(refused.filter((status) => status !== 503)).toEqual([]);
    await until('all have come', () => reached(old, next).length >= accepted.length);
    expect(reached(old, next).toSorted()).toEqual(accepted.toSorted());
    expect(reached(next).length).toBeGreaterThan(20);

    // The same token at the old address: the record is the new host's.
    const practice = await old.app.request<{ id: string; managed_host: string }>(
      'GET',
      sender.base,
      undefined,
      sender.token,
    );
    expect(practice.body).toMatchObject({
      id: sender.practice.id,
      managed_host: `${sender.practice.slug}-2.send.neu.example`,
    });

    // The images of old mails, at their old address and at the new host.
    for (const { app } of [old, next]) {
      const answer = await fetch(app.origin + shown);
      expect([answer.status, await answer.text()]).toEqual([200, bytes]);
    }

    // A bounce at the old return path.
    expect(await bring(old.app.inboundPort, bounced.mailFrom, bounceOf('weg@example.org'))).toMatch(/^250/);
    // The button of the mail program, at the old address of the link.
    const link = /<(https:[^>]*)>/.exec(fieldOf(letter.content, 'List-Unsubscribe'))?.[1] ?? '';
    expect(new URL(link).host).toBe('mail.alt.example');
    const { pathname, search } = new URL(link);
    const oneClick = await fetch(`${old.app.origin}${pathname}${search}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: 'a=b' },
      body: 'List-Unsubscribe=One-Click',
      redirect: 'error',
    });
    expect(oneClick.status).toBe(200);
    // Unsubscribing by mail.
    const address = /<mailto:([^?>]*)/.exec(fieldOf(byMail.content, 'List-Unsubscribe'))?.[1] ?? '';
    expect(
      await bring(old.app.inboundPort, address, 'Subject: unsubscribe\r\n\r\n', 'leser@example.org'),
    ).toMatch(/^250/);
    const suppressions = await next.app.request<{ data: { address: string; reason: string }[] }>(
      'GET',
      `/api/suppressions?practice_id=${sender.practice.id}`,
      undefined,
      next.app.adminToken,
    );
    expect(suppressions.body.data.map(({ address, reason }) => `${address} ${reason}`).toSorted()).toEqual([
      'leser@example.org unsubscribe',
      'leserin@example.org unsubscribe',
      'weg@example.org hard_bounce',
    ]);

    // Mail and its answers by the new host alone.
    const { status } = await sendOne(next, sender, 'danach@example.org');
    expect(status).toBe(202);
    await until('it has come', () => reached(next).includes('danach@example.org'));
    const last = next.receiver.messages.at(-1);
    expect(await bring(next.app.inboundPort, last?.mailFrom ?? '', bounceOf('danach@example.org'))).toMatch(
      /^250/,
    );

    // What is kept here is where it went. Nothing else of it is found.
    const moves = await old.app.request<{ data: object[] }>(
      'GET',
      '/api/admin/moves',
      undefined,
      old.app.adminToken,
    );
    expect(moves.body.data).toMatchObject([
      { id: sender.practice.id, new_host: { origin: next.app.origin } },
    ]);
    const gone = await old.app.request('GET', sender.base, undefined, old.app.adminToken);
    expect(gone.status).toBe(404);
    expect(await move(old, next, sender.practice.slug)).toContain(`works on ${next.app.origin}`);
  });
});

describe('a move that is cut off', () => {
  /** A practice at the old host with one message that waits, because its relay refuses for now. */
  const waiting = async () => {
    const [old, next] = [await started('alt.example'), await started('neu.example')];
    const sender = await old.app.createSender({ plan: 'gruppe' });
    await old.app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, old.app.adminToken);
    old.receiver.setBehaviour({ rcpt: '450 4.2.0 Later' });
    const id = await old.app.send(sender, { to: 'spaeter@example.org' });
    await old.app.untilStatus(sender, id, 'delivery_delayed');
    old.receiver.setBehaviour({});
    return { old, next, sender, step: steps(old, next, sender.practice.id) };
  };

  test('before it is given up: the old host alone has it, and the next run moves it', async () => {
    const { old, next, sender, step } = await waiting();
    const frozen = await step.freeze();
    expect((await sendOne(old, sender, 'jetzt@example.org')).status).toBe(503);
    const taken = await step.take(frozen);
    expect(await step.state()).toBe('arriving');
    // The new host has all of it, and does nothing with it; not after a start either.
    expect((await sendOne(next, sender, 'jetzt@example.org')).status).toBe(503);
    const again = await restarted(next);
    expect((await sendOne(again, sender, 'jetzt@example.org')).status).toBe(503);

    // The old host was killed: it does not know of a freeze.
    const back = await restarted(old);
    expect((await sendOne(back, sender, 'danach@example.org')).status).toBe(202);
    await until('it has come', () => reached(back).includes('danach@example.org'));
    const late = await steps(back, again, sender.practice.id).move(frozen.freeze, taken);
    expect(late).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(reached(again)).toEqual([]);

    await move(back, again, sender.practice.slug);
    expect((await sendOne(back, sender, 'zuletzt@example.org')).status).toBe(202);
    await until('it has come', () => reached(again).includes('zuletzt@example.org'));
  });

  test('after it was given up: neither sends, both say so, and the next run lets the new host begin', async () => {
    const { old, next, sender, step } = await waiting();
    const frozen = await step.freeze();
    const { status } = await step.move(frozen.freeze, await step.take(frozen));
    expect(status).toBe(200);
    // Both were killed.
    const [back, again] = [await restarted(old), await restarted(next)];
    expect((await sendOne(back, sender, 'jetzt@example.org')).status).toBe(503);
    expect((await sendOne(again, sender, 'jetzt@example.org')).status).toBe(503);
    expect(await back.app.files()).toContain(`moved/${sender.practice.id}/tenant.db`);

    expect(await move(back, again, sender.practice.slug)).toContain('works on');
    expect((await sendOne(back, sender, 'zuletzt@example.org')).status).toBe(202);
    await until('it has come', () => reached(again).includes('zuletzt@example.org'));
    expect(reached(back)).toEqual([]);
  });

  test('cancelled: nothing of it is left at the new host, and it works at the old one', async () => {
    const { old, next, sender, step } = await waiting();
    await step.take(await step.freeze());
    expect(await move(old, next, sender.practice.slug, { cancel: true })).toContain('works here');
    expect(await step.state()).toBeNull();
    expect((await next.app.files()).filter((name) => name.includes(sender.practice.id))).toEqual([]);
    expect((await sendOne(old, sender, 'danach@example.org')).status).toBe(202);
  });
});

test('a practice that has moved comes back with what it has got meanwhile', async () => {
  const [old, next] = [await started('alt.example'), await started('neu.example')];
  const sender = await old.app.createSender();
  await move(old, next, sender.practice.slug);
  const { id } = sender.practice;
  const renamed = await next.app.request(
    'PATCH',
    sender.base,
    { name: 'Praxis am Ring' },
    next.app.adminToken,
  );
  expect(renamed.status).toBe(200);
  await move(next, old, id);
  const practice = await next.app.request<{ name: string }>('GET', sender.base, undefined, sender.token);
  expect(practice.body.name).toBe('Praxis am Ring');
  expect((await old.app.request('GET', sender.base, undefined, sender.token)).status).toBe(200);
});

test('ninety days later the old host knows nothing of it', async () => {
  const clock = createTestClock(Date.now());
  const old = await startHost('alt.example', { clock });
  hosts.push(old);
  const next = await started('neu.example');
  const sender = await old.app.createSender();
  await move(old, next, sender.practice.slug);
  const get = () => old.app.request('GET', sender.base, undefined, sender.token);
  const now = clock.now();
  clock.set(now + 89 * DAY);
  await old.app.runJob('remove what is old');
  expect((await get()).status).toBe(200);
  clock.set(now + 91 * DAY);
  await old.app.runJob('remove what is old');
  expect((await get()).status).toBe(401);
  expect((await old.app.files()).filter((name) => name.includes(sender.practice.id))).toEqual([]);
});

test('what is for the old host alone is not forwarded, and a new host that is away is waited for', async () => {
  const { smtp, ...config } = await hostConfig('alt.example');
  const submission = { listen: `127.0.0.1:${await freePort()}` };
  const kept = { upstreams: [{ name: 'kept', kind: 'capture' }], smtp: { ...Object(smtp), submission } };
  const old = await startHost('alt.example', { config: { ...config, ...kept } });
  hosts.push(old);
  const next = await started('neu.example');
  const sender = await old.app.createSender();
  await makeOwner(old.app, sender.practice.id, 'anna@praxis.example');
  const owner = await signIn(old.app, 'anna@praxis.example');
  const to = 'success@simulator.mail.alt.example';
  await old.app.untilStatus(sender, await old.app.send(sender, { to }), 'delivered');
  await old.app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, old.app.adminToken);
  await old.app.untilStatus(sender, await old.app.send(sender, { to: 'weg@example.org' }), 'processed');
  const [captured] = old.app.sql<{ return_path: string }>(
    sender.practice.id,
    'SELECT return_path FROM captures',
  );
  await move(old, next, sender.practice.slug);
  const bySession = await old.app.request<Refusal>('GET', sender.base, undefined, owner.token);
  expect(bySession).toMatchObject({
    status: 404,
    body: { error: `This practice has moved to ${next.app.origin}.` },
  });

  // Its programs that submit by SMTP keep their mail until they know the new host.
  const talk = await talkTo(old.app.submissionPorts.port ?? 0);
  await talk.hello();
  expect(await talk.say(`AUTH PLAIN ${Buffer.from(`\0x\0${sender.token}`).toString('base64')}`)).toBe(
    '454 4.7.0 this practice has moved: submit its mail at 127.0.0.1',
  );
  talk.end();

  // What the new host gets of a request.
  const seen: IncomingHttpHeaders[] = [];
  const listener = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Own': 'yes' }).end('{}');
  });
  const { port } = new URL(next.app.origin);
  await next.app.stop();
  const away = await sendOne(old, sender, 'jetzt@example.org');
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('5');
  const bounce = bounceOf('weg@example.org');
  expect(await bring(old.app.inboundPort, captured?.return_path ?? '', bounce)).toMatch(/^451 4\.4\.1/);
  await new Promise<void>((resolve) => listener.listen(Number(port), '127.0.0.1', resolve));
  const headers = { Cookie: 'session=1', 'X-Admin-Token': old.app.adminToken, 'Idempotency-Key': 'k1' };
  const forwarded = await old.app.request('GET', sender.base, undefined, sender.token, headers);
  expect([forwarded.status, forwarded.headers.get('x-own')]).toEqual([200, 'yes']);
  await new Promise((resolve) => listener.close(resolve));
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    authorization: `Bearer ${sender.token}`,
    'idempotency-key': 'k1',
    'x-forwarded-for': '127.0.0.1',
    host: new URL(next.app.origin).host,
  });
  expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['cookie']));
  expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['x-admin-token']));
});
