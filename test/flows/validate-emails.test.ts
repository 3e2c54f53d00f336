// Addresses are looked at over HTTP, with a real name server behind: what the form, the DNS and the practice's own
// suppressions say of each.
// @module-tag debian/knot
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type Knot, startKnot } from '#test/support/knot.ts';
import { createTestClock } from '#test/support/storage.ts';

interface Result {
  readonly email: string;
  readonly address: string | null;
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly suggestion: string | null;
  readonly suppressed: { readonly scope: string; readonly reason: string } | null;
}

const HEAD = '$TTL 60\n@ SOA ns.test. hostmaster.test. 1 60 60 60 60\n@ NS ns.test.\n';
const ZONES = [
  {
    name: 'test.',
    text: `${HEAD}mx MX 10 mail.test.\nhost A 192.0.2.1\nsix AAAA 2001:db8::1\nnull MX 0 .\ntxt TXT "no mail"\nalias CNAME mx.test.\nxn--mller-kva MX 10 mail.test.\n`,
  },
  {
    name: 'com.',
    text: `${HEAD}mailinator MX 10 mail.test.\n*.mailinator MX 10 mail.test.\ngmail MX 10 mail.test.\n`,
  },
  { name: 'de.', text: `${HEAD}wed MX 10 mail.test.\n` },
];

let knot: Knot;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  knot = await startKnot(ZONES);
  // The clock stands still: the rate does not recover while addresses are looked at.
  app = await startApp({ clock: createTestClock(), config: { dns: { resolvers: [knot.server] } } });
  sender = await app.createSender();
});

afterAll(async () => {
  await app.remove();
  await knot.stop();
});

const validate = (emails: readonly unknown[], token = sender.token) =>
  app.request<{ results: Result[] }>('POST', `${sender.base}/validate-emails`, { emails }, token);
const resultOf = async (email: string, token?: string): Promise<Result> => {
  const { status, body } = await validate([email], token);
  expect(status).toBe(200);
  return body.results[0] as Result;
};

describe('an address', () => {
  test.each([
    ['erika@mx.test', 'deliverable', []],
    ['erika@host.test', 'deliverable', []],
    ['erika@six.test', 'deliverable', []],
    ['erika@alias.test', 'deliverable', []],
    ['success@simulator.mail.example.com', 'deliverable', []],
    ['erika@null.test', 'undeliverable', ['null_mx']],
    ['erika@txt.test', 'undeliverable', ['no_mail_host']],
    ['erika@nowhere.test', 'undeliverable', ['no_mail_host']],
    ['erika@elsewhere.example', 'unknown', ['dns_failed']],
    // The capture mailbox takes it; `smtputf8` where an upstream does not is in smtputf8.test.ts.
    ['jürgen@mx.test', 'deliverable', []],
    ['info@mx.test', 'risky', ['role']],
    ['erika@mailinator.com', 'risky', ['disposable']],
    ['erika@any.mailinator.com', 'risky', ['disposable']],
    ['erika', 'undeliverable', ['syntax']],
    ['Erika <erika@mx.test>', 'undeliverable', ['syntax']],
    ['erika@mx.test, otto@mx.test', 'undeliverable', ['syntax']],
    ['', 'undeliverable', ['syntax']],
  ])('%s is %s', async (email, verdict, reasons) => {
    expect(await resultOf(email)).toMatchObject({
      email,
      verdict,
      reasons,
      suggestion: null,
      suppressed: null,
    });
  });

  test.each([
    ['Erika.M@wed.de', 'risky', ['typo'], 'Erika.M@web.de'],
    ['erika@gmx.ed', 'unknown', ['dns_failed'], null],
    ['erika@t-onlien.de', 'undeliverable', ['no_mail_host', 'typo'], 'erika@t-online.de'],
  ])('%s was perhaps meant to be another', async (email, verdict, reasons, suggestion) => {
    expect(await resultOf(email)).toMatchObject({ verdict, reasons, suggestion });
  });

  test('is told in the form that is sent to', async () => {
    expect(await resultOf(' Erika@MÜLLER.test ')).toMatchObject({
      email: ' Erika@MÜLLER.test ',
      address: 'Erika@xn--mller-kva.test',
      verdict: 'deliverable',
    });
  });
});

describe('suppressions', () => {
  test('of the practice are named, of another are not, and a project sees its own', async () => {
    const project = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/projects`,
      { name: 'Labor' },
      sender.token,
    );
    const add = async (fields: object) => {
      const answer = await app.request('POST', `${sender.base}/suppression`, fields, sender.token);
      expect(answer.status).toBe(201);
    };
    await add({ address: 'ALLE@mx.test' });
    await add({ address: 'labor@mx.test', project_id: project.body.id });
    expect(await resultOf('alle@mx.test')).toMatchObject({
      verdict: 'risky',
      reasons: ['suppressed'],
      suppressed: { scope: 'team', reason: 'manual' },
    });
    expect(await resultOf('labor@mx.test')).toMatchObject({
      suppressed: { scope: 'project', reason: 'manual' },
    });

    const others = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/projects`,
      { name: 'Andere' },
      sender.token,
    );
    const tokenOf = (id: string) => app.createToken(sender.practice.id, { scope: 'project', project_id: id });
    expect((await resultOf('labor@mx.test', await tokenOf(project.body.id))).suppressed).not.toBeNull();
    expect((await resultOf('labor@mx.test', await tokenOf(others.body.id))).suppressed).toBeNull();
    expect((await resultOf('alle@mx.test', await tokenOf(others.body.id))).suppressed).not.toBeNull();

    const stranger = await app.createSender();
    const answer = await app.request<{ results: Result[] }>(
      'POST',
      `${stranger.base}/validate-emails`,
      { emails: ['alle@mx.test'] },
      stranger.token,
    );
    expect(answer.body.results).toMatchObject([{ verdict: 'deliverable', suppressed: null }]);
  });
});

test('a thousand at once, in their order, and nothing is stored', async () => {
  const before = app.rowCounts(sender.practice.id);
  const emails = Array.from(
    { length: 1_000 },
    (_, number) => `person-${number}@${number % 2 === 0 ? 'mx' : 'null'}.test`,
  );
  const { status, body } = await validate(emails);
  expect(status).toBe(200);
  expect(body.results.map(({ email }) => email)).toEqual(emails);
  expect(body.results.filter(({ verdict }) => verdict === 'deliverable')).toHaveLength(500);
  expect(app.rowCounts(sender.practice.id)).toEqual(before);
});

test.each([
  ['none', []],
  ['more than a thousand', Array.from({ length: 1_001 }, () => 'a@mx.test')],
  ['what is no text', [1]],
  ['too long a text', ['x'.repeat(1_001)]],
])('not %s', async (_, emails) => {
  const { status, body } = await validate(emails);
  expect({ status, code: (body as unknown as Refusal).code }).toEqual({
    status: 400,
    code: 'invalid_request',
  });
});

test('a practice that asks for too many is asked to wait', async () => {
  const busy = await app.createSender();
  const emails = Array.from({ length: 1_000 }, () => 'erika@mx.test');
  const ask = () => app.request<Refusal>('POST', `${busy.base}/validate-emails`, { emails }, busy.token);
  const statuses = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await ask()).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await ask()).body).toMatchObject({ code: 'rate_limited', retry_after: expect.any(Number) });
});
