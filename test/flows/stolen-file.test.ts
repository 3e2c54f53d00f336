// Whoever copies the data directory, of a running daemon or of one that has ended, finds no credential in it that lets
// anyone in: every secret that is issued here is looked for in every byte of every file, as it is and encoded.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import {
  codesTo,
  invite,
  join,
  makeOwner,
  requestCode,
  signIn,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

const PASSWORD = 'Siebzehn-Kamele-trinken-Tee';

interface Issued {
  readonly what: string;
  readonly secret: string;
}

/** As it is, and as base64 wherever in a longer text it may begin. */
const forms = (secret: string): Buffer[] => {
  const shifted = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + secret).toString('base64');
    // The characters at both ends also hold bits of what stands beside it.
    return encoded.slice(shift === 0 ? 0 : 4, Math.floor(((shift + secret.length) * 4) / 3) - 3);
  });
  return [secret, ...shifted].map((form) => Buffer.from(form));
};

/** A code is too short to be looked for anywhere: digits of times and ids would be taken for it. */
const codePattern = (code: string): RegExp => new RegExp(`(?<![\\w.:-])${code}(?![\\w.:-])`);

const findings = async (app: TestApp, issued: readonly Issued[]): Promise<string[]> => {
  const found: string[] = [];
  for (const name of await app.files()) {
    const file = path.join(app.home, 'data', name);
    if (!(await stat(file)).isFile()) continue;
    const bytes = await readFile(file);
    const text = bytes.toString('latin1');
    for (const { what, secret } of issued) {
      const isThere = /^\d{6}$/.test(secret)
        ? codePattern(secret).test(text)
        : forms(secret).some((form) => bytes.includes(form));
      const hashed = createHash('sha256').update(secret).digest();
      const isGuessable = /^\d{6}$/.test(secret) && bytes.includes(hashed);
      if (isThere || isGuessable) found.push(`${name} holds ${what}`);
    }
  }
  return found;
};

test('no secret that was issued stands in any file', async () => {
  const app = await startApp({ config: { ...unlimitedSignIn, auth: { password_login: true } } });
  onTestFinished(() => app.remove());
  const practice = await app.createPractice();
  const base = `/api/practices/${practice.id}`;
  const issued: Issued[] = [{ what: 'the admin token', secret: app.adminToken }];
  const note = (what: string, secret: string) => issued.push({ what, secret });

  const { body: project } = await app.request<{ id: string }>(
    'POST',
    `${base}/projects`,
    { name: 'Recall' },
    app.adminToken,
  );
  note('a team token', await app.createToken(practice.id));
  note('a project token', await app.createToken(practice.id, { scope: 'project', project_id: project.id }));

  await makeOwner(app, practice.id, 'owner@example.org');
  const owner = await signIn(app, 'owner@example.org');
  note('a session', owner.token);
  note('a CSRF token', owner.csrfToken);
  const set = await app.request('PUT', '/api/auth/password', { password: PASSWORD }, owner.token);
  expect(set.status).toBe(204);
  note('a password', PASSWORD);
  const byPassword = await app.request<{ token: string }>('POST', '/api/auth/login-password', {
    email: 'owner@example.org',
    password: PASSWORD,
  });
  expect(byPassword.status).toBe(200);
  note('a session by password', byPassword.body.token);

  const member = await join(app, practice.id, 'member@example.org', { role_id: 'member' });
  note('the session of who was invited', member.token);
  note('a live invitation', await invite(app, practice.id, 'late@example.org', { role_id: 'viewer' }));
  note('a live code', await requestCode(app, 'member@example.org'));
  for (const code of await codesTo(app, 'owner@example.org')) note('a code that was used', code);
  const follower = { name: 'Wirtschaft', url: 'https://9.9.9.9/hooks/Pfad-zum-Empfaenger-des-Webhooks' };
  note('where a webhook leads', follower.url.slice(-30));
  const made = await app.request<{ id: string; secret: string }>(
    'POST',
    `${base}/webhooks`,
    { ...follower, events: ['message.sent'] },
    owner.token,
  );
  note("a webhook's former secret", made.body.secret);
  const webhook = `${base}/webhooks/${made.body.id}`;
  const rotated = await app.request<{ secret: string }>('POST', `${webhook}/rotate`, {}, owner.token);
  note("a webhook's secret", rotated.body.secret);
  const hook = await app.request<{ id: string; secret: string }>(
    'POST',
    `${base}/inbound-hooks`,
    { name: 'Kontaktformular' },
    owner.token,
  );
  note("an inbound hook's former secret", hook.body.secret);
  const hookRotated = await app.request<{ secret: string }>(
    'POST',
    `${base}/inbound-hooks/${hook.body.id}/rotate`,
    {},
    owner.token,
  );
  note("an inbound hook's secret", hookRotated.body.secret);
  const alert = {
    name: 'Wirtschaft',
    kind: 'slack',
    url: 'https://9.9.9.9/services/Pfad-in-den-Chat-der-Praxis',
  };
  note('where an alert leads', alert.url.slice(-25));
  expect((await app.request('POST', `${base}/alerts`, alert, owner.token)).status).toBe(201);
  const moved = await app.request('PATCH', webhook, { url: `${follower.url}-2` }, owner.token);
  expect(moved.status).toBe(200);
  expect(issued).toHaveLength(17);

  await until('nothing waits to be told', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);
  expect(await findings(app, issued)).toEqual([]);
  await app.stop();
  expect(await findings(app, issued)).toEqual([]);
  // The search itself finds what is there.
  expect(await findings(app, [{ what: 'a name', secret: practice.default_from }])).not.toEqual([]);
});
