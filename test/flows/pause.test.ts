// Pause and resumption by people: who may, what they see of it, what the owners are told, also after a crash in between.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { join, mailsTo, makeOwner, signIn, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

interface Practice {
  readonly status: string;
  readonly pause: { readonly reason: string; readonly by: string; readonly at: string } | null;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
});
afterAll(() => app?.remove());

let made = 0;
interface Owned extends Sender {
  readonly owner: string;
  readonly ownerToken: string;
}
const owned = async (): Promise<Owned> => {
  made += 1;
  const sender = await app.createSender({ name: `Praxis ${made}`, plan: 'gruppe' });
  const owner = `owner${made}@example.org`;
  await makeOwner(app, sender.practice.id, owner);
  return { ...sender, owner, ownerToken: (await signIn(app, owner)).token };
};

const pause = ({ base }: Sender, token: string, reason: unknown = 'Neue Liste') =>
  app.request<Practice & Refusal>('POST', `${base}/pause`, { reason }, token);
const resume = ({ base }: Sender, token: string) =>
  app.request<Practice & Refusal>('POST', `${base}/resume`, undefined, token);
const practice = async ({ base, token }: Sender) =>
  (await app.request<Practice>('GET', base, undefined, token)).body;

/** Subjects of what that owner was told of sending, once nothing waits. */
const told = async ({ practice: { id }, owner }: Owned, of = app) => {
  const isTold = () => of.sql<{ told: number }>(id, 'SELECT pause_told AS told FROM practice')[0]?.told === 1;
  await until('it is told', isTold);
  await until('no notice waits', () => of.sql(null, 'SELECT 1 FROM notices').length === 0);
  await until('all are sent', () => of.sql(systemTenant(of), 'SELECT 1 FROM queue').length === 0);
  return (await mailsTo(of, owner)).filter(({ subject }) => subject.startsWith('Der Versand'));
};

describe('who may', () => {
  test('pauses by whom, and who lifts them', async () => {
    const sender = await owned();
    const admin = (await join(app, sender.practice.id, `admin${made}@example.org`, { role_id: 'admin' }))
      .token;
    const member = (await join(app, sender.practice.id, `m${made}@example.org`, { role_id: 'member' })).token;
    const byName = {
      owner: sender.ownerToken,
      admin,
      member,
      'team token': sender.token,
      operator: app.adminToken,
    };
    type Who = keyof typeof byName;
    const mayPause: readonly (readonly [Who, number, by: string | null])[] = [
      ['owner', 200, 'member'],
      ['admin', 200, 'member'],
      ['team token', 200, 'member'],
      ['operator', 200, 'operator'],
      ['member', 403, null],
    ];
    const mayResume: Readonly<Record<string, readonly (readonly [Who, number])[]>> = {
      member: [
        ['member', 403],
        ['admin', 403],
        ['team token', 403],
        ['owner', 200],
      ],
      operator: [
        ['admin', 403],
        ['owner', 403],
        ['operator', 200],
      ],
    };
    for (const [who, status, by] of mayPause) {
      const answer = await pause(sender, byName[who]);
      expect([who, answer.status, answer.body.pause?.by ?? null]).toEqual([who, status, by]);
      for (const [other, expected] of mayResume[by ?? ''] ?? []) {
        const lifted = await resume(sender, byName[other]);
        expect([who, other, lifted.status]).toEqual([who, other, expected]);
        if (expected === 403) expect(lifted.body.hint).not.toBe('');
      }
      expect((await practice(sender)).status).toBe('active');
    }
    await pause(sender, sender.ownerToken);
    expect((await resume(sender, app.adminToken)).status).toBe(200);
  });

  test('nobody pauses the practice by which the service sends its codes', async () => {
    const base = `/api/practices/${systemTenant(app)}`;
    const answer = await app.request<Refusal>('POST', `${base}/pause`, { reason: 'x' }, app.adminToken);
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});

describe('a pause', () => {
  test('stands as it was made, and is not made twice', async () => {
    const sender = await owned();
    const first = await pause(sender, sender.ownerToken, '  Neue Liste ');
    expect(first.body).toMatchObject({ status: 'paused', pause: { reason: 'Neue Liste', by: 'member' } });
    expect(await pause(sender, sender.token, 'Beschwerden')).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await practice(sender)).pause).toEqual(first.body.pause);
    await resume(sender, sender.ownerToken);
    expect(await resume(sender, sender.ownerToken)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  test('is taken over by the operator, so that nobody keeps that away by a pause of their own', async () => {
    const sender = await owned();
    await pause(sender, sender.ownerToken);
    expect(await told(sender)).toHaveLength(1);
    const taken = await pause(sender, app.adminToken, 'Beschwerden');
    expect(taken).toMatchObject({
      status: 200,
      body: { status: 'paused', pause: { reason: 'Beschwerden', by: 'operator' } },
    });
    expect((await resume(sender, sender.ownerToken)).body.code).toBe('forbidden');
    expect((await pause(sender, app.adminToken, 'Noch einmal')).body.code).toBe('conflict');
    expect((await pause(sender, sender.ownerToken)).body.code).toBe('conflict');
    expect((await practice(sender)).pause?.reason).toBe('Beschwerden');
    expect(await told(sender)).toHaveLength(2);
    expect((await resume(sender, app.adminToken)).body.status).toBe('active');
  });

  test.each([[''], ['   '], ['zwei\nZeilen'], ['x'.repeat(501)], [7], [undefined]])(
    'needs a reason of one line: not %j',
    async (reason) => {
      const sender = await owned();
      expect((await pause(sender, sender.ownerToken, reason ?? null)).status).toBe(400);
      expect((await practice(sender)).status).toBe('active');
    },
  );

  test('lets nothing in, and holds what is scheduled until it is lifted', async () => {
    const clock = createTestClock(Date.UTC(2026, 10, 20, 12));
    const other = await startApp({ clock });
    try {
      const sender = await other.createSender();
      const at = new Date(clock.now() + HOUR).toISOString();
      const id = await other.send(sender, { scheduled_at: at });
      const ask = (path: string, body?: object) =>
        other.request<Refusal>('POST', `${sender.base}/${path}`, body, other.adminToken);
      await ask('pause', { reason: 'Urlaub' });
      const letter = { to: 'a@example.org', subject: 'Termin', text: 'Montag' };
      expect(await ask('send', letter)).toMatchObject({
        status: 409,
        body: { code: 'tenant_paused', reason: 'Urlaub', paused_at: '2026-11-20T12:00:00.000Z' },
      });
      clock.set(clock.now() + 5 * DAY);
      await ask('resume');
      await other.untilStatus(sender, id, 'processed');
    } finally {
      await other.remove();
    }
  });
});

describe('the owners are told', () => {
  test('who paused and resumed it, and why, once each', async () => {
    const sender = await owned();
    await pause(sender, sender.ownerToken, 'Neue Liste');
    const [first] = await told(sender);
    expect(first?.text).toContain(`${sender.owner} hat den Versand von „${sender.practice.name}“`);
    expect(first?.text).toContain('\nNeue Liste\n');
    await resume(sender, app.adminToken);
    const mails = await told(sender);
    expect(mails.map(({ subject }) => subject)).toEqual([
      `Der Versand von „${sender.practice.name}“ ist angehalten`,
      `Der Versand von „${sender.practice.name}“ geht weiter`,
    ]);
    expect(mails[1]?.text).toContain('der Betreiber von ');
  });

  /** As a crash between the pause and its mail leaves it. */
  const leave = ({ practice: { id } }: Sender): void => {
    app.sql(
      id,
      `UPDATE practice SET paused_at = 1, pause_by = 'operator', pause_reason = 'Beschwerden', pause_told = 0,
       pause_facts_json = '{"by":"operator","name":""}'`,
    );
  };

  test('after a crash by the nightly round', async () => {
    const sender = await owned();
    leave(sender);
    await app.runJob('remove what is old');
    expect(await told(sender)).toMatchObject([{ text: expect.stringContaining('Beschwerden') }]);
    await app.runJob('remove what is old');
    expect(await told(sender)).toHaveLength(1);
  });

  test('after a crash when mail of it is looked at, which a start does', async () => {
    const sender = await owned();
    await app.send(sender, { scheduled_at: new Date(Date.now() + HOUR).toISOString() });
    const { home } = app;
    await app.stop();
    leave(sender);
    app.sql(null, 'UPDATE queue_due SET due_at = 1 WHERE tenant_id = ?', sender.practice.id);
    app = await startApp({ home, config: unlimitedSignIn });
    expect(await told(sender)).toMatchObject([{ text: expect.stringContaining('Beschwerden') }]);
  });
});
