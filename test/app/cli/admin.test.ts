// The operator at the command line, against a running daemon: what is done is done by the API, with its mails and its
// audit, and what is printed is what the API says.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { adminCommands } from '#src/app/cli/admin.ts';
import { readCommandLine } from '#src/app/cli/command.ts';
import { type List, startApp, type TestApp } from '#test/support/app.ts';
import { mailsTo, signIn, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';

const ENTRY = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

let app: TestApp;
let configFile: string;

/** The configuration of the app with the address that it really listens at. */
const configAt = (listen: string, name: string): string => {
  const file = join(app.home, name);
  const config = parse(readFileSync(join(app.home, 'service.yaml'), 'utf8'));
  writeFileSync(file, stringify({ ...config, http: { listen } }));
  return file;
};

beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  configFile = configAt(new URL(app.origin).host, 'admin.yaml');
});
afterAll(() => app.remove());

/** What `sendwerk admin ...` prints; rejects with what it says instead. */
const admin = async (...args: string[]): Promise<string> => {
  const asked = readCommandLine(['admin', ...args, '--config', configFile], adminCommands);
  if ('usage' in asked) return asked.usage;
  const { exitCode, output } = await asked.run({});
  expect(exitCode).toBe(0);
  return output;
};
const adminJson = async <T>(...args: string[]): Promise<T> => JSON.parse(await admin(...args, '--json'));

const asOperator = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await app.request<T>(method, path, body, app.adminToken);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

/** A mail of the service to that address has come whose text says it. */
const untilMail = (email: string, says: RegExp): Promise<void> =>
  until(`a mail to ${email} that says ${says}`, async () =>
    (await mailsTo(app, email)).some(({ text }) => says.test(text)),
  );

/** The line of a table that begins with this. */
const lineOf = (output: string, start: string): string[] | undefined =>
  output
    .split('\n')
    .find((line) => line.startsWith(`${start} `))
    ?.split(/ {2,}/);

interface Practice {
  readonly id: string;
  readonly slug: string;
  readonly plan: string;
  readonly safe_mode: boolean;
}

describe('practices', () => {
  test('create-practice makes one with its owner, who is told in the language asked for', async () => {
    const email = 'anna@praxis.example';
    const made = ['--name', 'Praxis am Hafen', '--owner', email, '--plan', 'praxis', '--language', 'en'];
    const output = await admin('create-practice', ...made);
    expect(output).toMatch(/^id +[0-9a-f-]{36}\nslug +praxis-am-hafen\nplan +praxis\n/);
    expect(output).toMatch(/^owner +anna@praxis\.example$/m);
    await untilMail(email, /Praxis am Hafen.*This email was sent automatically/s);
  });

  test('practices shows them with owners, plan and usage', async () => {
    const { practice, ...sender } = await app.createSender({
      name: 'Praxis im Tal',
      owner_email: 'tal@x.example',
    });
    await app.send({ practice, ...sender });
    const output = await admin('practices');
    expect(output).toMatch(
      /^SLUG +NAME +STATUS +PLAN +SAFE MODE +MAILS +CAP +USED +MEMBERS +OWNERS +DATA +ID\n/,
    );
    const cells = [
      'Praxis im Tal',
      'active',
      'test',
      'no',
      '1',
      '200',
      '0.5 %',
      '1',
      'tal@x.example',
      'ok',
      practice.id,
    ];
    expect(lineOf(output, 'praxis-im-tal')).toEqual(['praxis-im-tal', ...cells]);
  });

  test('practices --plan shows those on it, --system the service’s own', async () => {
    const practice = await app.createPractice({ name: 'Gruppe Nord', plan: 'gruppe' });
    const onPlan = await adminJson<List<Practice>>('practices', '--plan', 'gruppe');
    expect(onPlan.data.map(({ id }) => id)).toEqual([practice.id]);
    const system = await adminJson<List<Practice>>('practices', '--system');
    expect(system.data.map(({ id }) => id)).toEqual([systemTenant(app)]);
  });

  test('a practice whose file cannot be read has its line all the same', async () => {
    const practice = await app.createPractice({ name: 'Praxis Kaputt' });
    app.sql(practice.id, 'ALTER TABLE practice RENAME TO practice_gone');
    const output = await admin('practices').finally(() =>
      app.sql(practice.id, 'ALTER TABLE practice_gone RENAME TO practice'),
    );
    expect(lineOf(output, 'praxis-kaputt')?.slice(0, 3)).toEqual(['praxis-kaputt', '-', 'unavailable']);
    expect(output).toContain(practice.id);
  });

  test('create-owner makes an owner of an address, who then signs in by code', async () => {
    const { id, slug } = await app.createPractice({ name: 'Praxis am Wald' });
    const email = 'wald@praxis.example';
    expect(await admin('create-owner', '--practice', slug, '--email', email)).toBe(
      `${email} is an owner of ${slug}.\n`,
    );
    await untilMail(email, /Praxis am Wald/);
    const { token } = await signIn(app, email);
    const { body } = await app.request<{ practices: { practice_id: string; role: { slug: string } }[] }>(
      'GET',
      '/api/auth/me',
      undefined,
      token,
    );
    expect(body.practices).toMatchObject([{ practice_id: id, role: { slug: 'owner' } }]);
  });

  test('create-owner takes an id as well, and may be repeated', async () => {
    const { id } = await app.createPractice({ name: 'Praxis Eins' });
    const args = ['create-owner', '--practice', id, '--email', 'eins@praxis.example', '--language', 'en'];
    const first = await adminJson<{ id: string }>(...args);
    expect(await adminJson<{ id: string }>(...args)).toEqual(first);
    await untilMail('eins@praxis.example', /Praxis Eins.*This email was sent automatically/s);
  });

  test('plan and safe-mode change the practice, and the audit names the operator', async () => {
    const { id, slug } = await app.createPractice({ name: 'Praxis Zwei' });
    expect(await admin('plan', '--practice', slug, '--plan', 'termin')).toBe(
      'praxis-zwei is on the plan termin: 5000 mails a month.\n',
    );
    expect(await admin('safe-mode', '--practice', slug, '--on')).toBe(
      'The safe mode of praxis-zwei is on.\n',
    );
    expect(await asOperator('GET', `/api/practices/${id}`)).toMatchObject({
      plan: 'termin',
      safe_mode: true,
    });
    expect(await admin('safe-mode', '--practice', slug, '--off')).toBe(
      'The safe mode of praxis-zwei is off.\n',
    );
    expect(await asOperator('GET', `/api/practices/${id}`)).toMatchObject({ safe_mode: false });

    const output = await admin('audit', '--practice', slug);
    expect(output).toMatch(/^AT +ACTION +BY +NAME +TARGET +FROM\n/);
    const actions = output
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/).slice(1, 3));
    expect(actions.map(([action]) => action)).toEqual([
      'practice.safe_mode',
      'practice.safe_mode',
      'practice.plan',
      'practice.create',
    ]);
    expect(actions.every(([, by]) => by === 'operator')).toBe(true);
    expect(await admin('audit', '--practice', id, '--action', 'practice.plan')).toMatch(
      /^.*\n.*practice\.plan.*\n$/,
    );
    const limited = await adminJson<List<unknown>>('audit', '--practice', id, '--limit', '3');
    expect(limited).toMatchObject({ data: { length: 3 }, next_cursor: expect.any(String) });
  });

  test('plans lists them', async () => {
    const output = await admin('plans');
    expect(lineOf(output, 'praxis')).toEqual(['praxis', '20000', 'yes']);
    expect(await adminJson('plans')).toEqual(await asOperator('GET', '/api/admin/plans'));
  });
});

describe('abuse tickets', () => {
  const report = async (fields: object = {}): Promise<string> => {
    const body = { email: 'rita@example.org', subject: 'Werbung', description: 'Ungefragt.', ...fields };
    const answer = await app.request<{ id: string }>('POST', '/api/public/abuse', body);
    expect(answer.status, answer.text).toBe(202);
    return answer.body.id;
  };

  test('tickets lists them, newest first, by stage', async () => {
    const older = await report({ subject: 'Erste' });
    const newer = await report({ subject: 'Zweite' });
    await admin('ticket', '--id', older, '--stage', 'investigating');
    const idsIn = (output: string) =>
      output
        .split('\n')
        .map((line) => line.split(' ', 1)[0])
        .filter((id) => id === older || id === newer);
    expect(idsIn(await admin('tickets'))).toEqual([newer, older]);
    expect(idsIn(await admin('tickets', '--stage', 'open'))).toEqual([newer]);
    expect(lineOf(await admin('tickets'), newer)).toEqual([
      newer,
      'open',
      expect.stringMatching(/^2\d{3}-.*Z$/),
      'rita@example.org',
      '-',
      'Zweite',
    ]);
  });

  test('ticket shows one; what a stranger wrote steers no terminal', async () => {
    const description = 'Erste Zeile\n\u001b[2Jzweite\u202e';
    const id = await report({ description, source: 'From: x\r\n\r\nHallo' });
    const output = await admin('ticket', '--id', id);
    expect(output).toMatch(new RegExp(`^id +${id}\nstage +open\nreporter +rita@example\\.org\n`));
    expect(output).toContain('\n  Erste Zeile\n  \ufffd[2Jzweite\ufffd\n');
    expect(output).toContain(` 16 bytes, at /api/admin/abuse-tickets/${id}/source\n`);
    const printed = await admin('ticket', '--id', id, '--json');
    expect(printed).not.toMatch(/[\u001b\u202e]/);
    expect(JSON.parse(printed)).toMatchObject({ id, description, source_bytes: 16 });
  });

  test('ticket moves one on, with note and practice; the reporter is told of the stage', async () => {
    const { id: practiceId, slug } = await app.createPractice({ name: 'Praxis Verdacht' });
    const email = 'rolf@example.org';
    const id = await report({ email });
    const output = await admin(
      'ticket',
      '--id',
      id,
      '--stage',
      'investigating',
      '--note',
      'geprüft',
      '--practice',
      slug,
    );
    expect(output).toMatch(/^stage +investigating$/m);
    expect(output).toMatch(new RegExp(`^practice +${practiceId}$`, 'm'));
    expect(output).toMatch(/^\S+Z +investigating +geprüft$/m);
    await until('the reporter is told', async () => (await mailsTo(app, email)).length === 2);
    expect((await mailsTo(app, email)).some(({ text }) => text.includes('geprüft'))).toBe(false);

    expect(await admin('ticket', '--id', id, '--no-practice')).toMatch(/^practice +-$/m);
    await admin('ticket', '--id', id, '--stage', 'closed');
    await expect(admin('ticket', '--id', id, '--stage', 'open')).rejects.toThrow(/./);
    expect(await adminJson('ticket', '--id', id)).toMatchObject({ stage: 'closed', practice_id: null });
    const audited = await adminJson<List<{ target: { id: string } }>>('audit', '--action', 'abuse_ticket');
    expect(audited.data.filter(({ target }) => target.id === id)).toHaveLength(3);
  });
});

describe('the waiting list', () => {
  test('waitlist lists who waits, waitlist-remove takes them off', async () => {
    for (const [email, plan] of [
      ['w1@example.org', 'termin'],
      ['w2@example.org', 'gruppe'],
    ]) {
      const body = { email, plan, note: 'Zeile\n\u001b[2J' };
      expect((await app.request('POST', '/api/public/waitlist', body)).status).toBe(202);
    }
    const all = await adminJson<List<{ id: string; email: string }>>('waitlist');
    expect(all.data.map(({ email }) => email)).toEqual(['w1@example.org', 'w2@example.org']);
    const output = await admin('waitlist', '--plan', 'gruppe');
    const [, entry] = all.data;
    expect(lineOf(output, entry?.id ?? '')).toMatchObject({
      1: 'gruppe',
      2: 'w2@example.org',
      6: 'Zeile\ufffd\ufffd[2J',
    });
    expect(output).not.toContain('w1@example.org');

    expect(await admin('waitlist-remove', '--id', entry?.id ?? '')).toBe('Removed.\n');
    expect(await admin('waitlist', '--plan', 'gruppe')).toBe('No one is waiting.\n');
    expect(await admin('waitlist-remove', '--id', all.data[0]?.id ?? '', '--json')).toBe('');
  });
});

describe('what is refused', () => {
  test.each([
    [['plan', '--practice', 'no-such', '--plan', 'test'], /^there is no practice with the slug no-such;/],
    [
      ['plan', '--practice', '018f0000-0000-7000-8000-000000000001', '--plan', 'test'],
      /^There is no such practice\. /,
    ],
    [['practices', '--plan', 'gold'], /^plan: /],
    [['create-practice', '--name', 'X', '--owner', 'nobody'], /owner_email: /],
    [['create-practice', '--name', 'X', '--owner', 'x@example.org', '--language', 'it'], /^language: /],
    [['tickets', '--stage', 'lost'], /^stage: /],
    [['waitlist', '--plan', 'test'], /^plan: /],
    [['ticket', '--id', '018f0000-0000-7000-8000-000000000001'], /There is no such/],
    [['waitlist-remove', '--id', '018f0000-0000-7000-8000-000000000001'], /There is no such/],
  ])('%j', async (args, message) => {
    const before = app.sql(null, 'SELECT count(*) AS n FROM tenants');
    await expect(admin(...args)).rejects.toThrow(message);
    await expect(admin(...args)).rejects.toThrow(/^.+$/);
    expect(app.sql(null, 'SELECT count(*) AS n FROM tenants')).toEqual(before);
  });

  test.each([
    [['safe-mode', '--practice', 'x'], 'admin safe-mode: one of --on and --off is needed'],
    [['safe-mode', '--practice', 'x', '--on', '--off'], 'admin safe-mode: one of --on and --off is needed'],
    [
      ['ticket', '--id', 'x', '--practice', 'x', '--no-practice'],
      'admin ticket: only one of --practice and --no-practice is possible',
    ],
    [['audit', '--limit', 'many'], 'admin audit: --limit expects a whole number above 0'],
    [['audit', '--limit', '0'], 'admin audit: --limit expects a whole number above 0'],
  ])('%j: before anything is asked', async (args, message) => {
    const asked = readCommandLine(['admin', ...args, '--config', '/nonexistent'], adminCommands);
    if ('usage' in asked) throw new Error('a usage');
    await expect(async () => asked.run({})).rejects.toThrow(message);
  });
});

describe('as a program', () => {
  const sendwerk = (...args: string[]) =>
    new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(execPath, [ENTRY, ...args], (_, stdout, stderr) =>
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
      );
    });

  test('what was asked for goes to standard output, exit code 0', async () => {
    const { exitCode, stdout, stderr } = await sendwerk('admin', 'plans', '--json', '--config', configFile);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(await asOperator('GET', '/api/admin/plans'));
  });

  test('what cannot be done goes to standard error in one line, exit code 1', async () => {
    const port = await freePort();
    const file = configAt(`127.0.0.1:${port}`, 'elsewhere.yaml');
    expect(await sendwerk('admin', 'plans', '--config', file)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `no daemon is reached at http://127.0.0.1:${port}: ECONNREFUSED\n`,
    });
  });

  test('a wrong command line goes to standard error in one line, exit code 2', async () => {
    expect(await sendwerk('admin', 'create-owner', '--email', 'x@example.org')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'admin create-owner: --practice ID|SLUG is missing\n',
    });
  });

  test('a reader that has seen enough is no failure', async () => {
    const child = spawn('sh', ['-c', '"$0" "$@" | true', execPath, ENTRY, 'help'], { stdio: 'pipe' });
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test('an output that cannot be written is one', async () => {
    const child = spawn('sh', ['-c', '"$0" "$@" > /dev/full', execPath, ENTRY, 'help'], { stdio: 'pipe' });
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^standard output: .*ENOSPC.*\n$/),
    });
  });

  test('the usage goes to standard output where it was asked for', async () => {
    const { exitCode, stdout } = await sendwerk('admin', '--help');
    expect(exitCode).toBe(0);
    for (const { name, summary } of adminCommands)
      expect(stdout).toMatch(new RegExp(`^ +${name} +${summary}$`, 'm'));
  });
});
