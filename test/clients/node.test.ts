// The client for Node as its users have it: packed, installed into an empty directory, and used from there at a real service, over
// connections that fail.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createHook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { freePort, until } from '#test/support/process.ts';
import type * as Client from '../../clients/node/index.js';
import { type Front, startFront } from './front.ts';
import { type Installed, installNode, ROOT, runNode, samplesOf } from './packed.ts';

const files = new AsyncDisposableStack();
let app: TestApp;
let sender: Sender;
let front: Front;
let hooks: HttpsReceiver;
let installed: Installed;
let client: typeof Client;

beforeAll(async () => {
  hooks = await startHttpsReceiver({ plain: true });
  files.defer(() => hooks.stop());
  app = await startApp({ config: { security: outboundTo(hooks) } });
  files.defer(() => app.remove());
  sender = await app.createSender({ plan: 'gruppe' });
  front = files.use(await startFront(app.origin));
  installed = files.use(await installNode());
  const entry = path.join(installed.directory, 'node_modules/@sendwerk/client/index.js');
  client = await import(pathToFileURL(entry).href);
});

afterAll(() => files.disposeAsync());

const open = (more: Partial<Client.SendwerkOptions> = {}): Client.Sendwerk =>
  new client.Sendwerk({ url: front.origin, token: sender.token, practice: sender.practice.id, ...more });

const letter = (subject: string) => ({ to: 'erika@example.org', subject, text: 'Am Montag um 9:30 Uhr.' });

const failure = async (work: Promise<unknown>): Promise<Client.SendwerkError> => {
  const error = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof client.SendwerkError)) throw new Error(`no SendwerkError: ${error}`);
  return error;
};

const sentWith = async (subject: string): Promise<number> => {
  const { data } = await open().searchMessages({ q: subject });
  return data.length;
};

/** The keys of the sends that came since then. */
const keysSince = (place: number): unknown[] =>
  front.seen
    .slice(place)
    .filter(({ path }) => path.endsWith('/send'))
    .map(({ headers }) => headers['idempotency-key']);

test('a send whose answer was lost is repeated under its key, and there is one message', async () => {
  const place = front.seen.length;
  front.faults.push('cut', 503, 429);
  const { id, status } = await open().sendMessage({ body: letter('verloren') });
  const keys = keysSince(place);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
  expect(status).toBe('queued');
  expect((await open().getMessage({ messageID: id })).subject).toBe('verloren');
  expect(await sentWith('verloren')).toBe(1);
});

test('without retries, and for what would be done twice, the first failure is told', async () => {
  front.faults.push('cut');
  const off = await failure(open({ retries: 0 }).sendMessage({ body: letter('einmal') }));
  expect([off.code, off.status]).toEqual(['network_error', 0]);
  const place = front.seen.length;
  front.faults.push('cut');
  expect((await failure(open().createList({ body: { name: 'Patienten' } }))).code).toBe('network_error');
  expect(front.seen.length - place).toBe(1);
  front.faults.push(429);
  await open().createList({ body: { name: 'Kollegen' } });
  const { data } = await open().listLists();
  expect(data.map(({ name }) => name).sort()).toEqual(['Kollegen', 'Patienten']);
});

test('retries end: by their number, and before a pause that would be too long', async () => {
  const place = front.seen.length;
  front.faults.push(500, 502);
  const counted = await failure(open({ retries: 1 }).getPractice());
  expect([counted.status, counted.code, front.seen.length - place]).toEqual([502, 'http_error', 2]);
  front.faults.push(503);
  // The pause is of a random length, which may be next to nothing.
  expect((await failure(open({ retryTime: 0 }).getPractice())).status).toBe(503);
});

test('silence ends by the timeout or by the signal', async () => {
  front.faults.push('silence');
  expect((await failure(open({ retries: 0 }).getPractice({ timeout: 50 }))).code).toBe('timeout');
  front.faults.push('silence');
  await expect(open().getPractice({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
});

test('a refusal has its code, hint, fields and request id, and never the token', async () => {
  const error = await failure(
    open().sendMessage({ body: { ...letter('x'), to: 'nobody', html: 1 } as never }),
  );
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', retryAfter: null });
  expect(error.hint).toEqual(expect.any(String));
  expect(error.fields.map(({ path }) => path)).toContain('body.html');
  expect(error.requestId).toEqual(expect.stringMatching(/\S/));
  const sendwerk = open();
  const all = [
    inspect(sendwerk, { depth: 9, showHidden: true }),
    inspect(error, { depth: 9 }),
    JSON.stringify(sendwerk),
  ];
  expect(all.join()).not.toContain(sender.token);
  expect(() => open({ token: `${sender.token}\n` })).toThrow(/^token: it has characters/);
  expect(() => open({ url: 'http://mail.example.com' })).toThrow(/https/);
  await expect(open().getMessage({ id: 'x', nix: 1 } as never)).rejects.toThrow(
    'getMessage: nix is no parameter of it',
  );
});

test('pages follow the cursor, and files go in and out as streams', async () => {
  const sendwerk = open();
  for (const subject of ['Seite a', 'Seite b', 'Seite c'])
    await sendwerk.sendMessage({ body: letter(subject) });
  const place = front.seen.length;
  const subjects: unknown[] = [];
  for await (const { subject } of sendwerk.each('searchMessages', { q: 'Seite', limit: 1 }))
    subjects.push(subject);
  expect(subjects.sort()).toEqual(['Seite a', 'Seite b', 'Seite c']);
  // A search on a busy machine may answer a page with fewer rows, and go on.
  expect(front.seen.length - place).toBeGreaterThanOrEqual(3);
  const { body, headers } = await sendwerk.stream('exportMessages', { q: 'Seite' });
  expect(headers.get('content-type')).toContain('text/csv');
  expect(await new Response(body).text()).toContain('Seite b');
  const { id } = await sendwerk.createList({ body: { name: 'Import' } });
  const form = new FormData();
  form.append('file', new Blob(['email\nanna@example.org\n'], { type: 'text/csv' }), 'people.csv');
  for (const body of [form, 'email\notto@example.org\n', new Blob(['email\nida@example.org\n'])])
    await sendwerk.importSubscribers({ listID: id, body });
  await until(
    'all are imported',
    async () => (await sendwerk.listSubscribers({ listID: id })).data.length === 3,
  );
});

test('live events go on after a lost connection, without a gap', async () => {
  const sendwerk = open();
  const { last_event_id } = await sendwerk.listEvents();
  const events = sendwerk.events({ last_event_id });
  const told: string[] = [];
  for (const subject of ['live eins', 'live zwei']) {
    const sent = await sendwerk.sendMessage({ body: letter(subject) });
    for (let isTold = false; !isTold; ) {
      const { data } = (await events.next()).value;
      told.push(data.id);
      isTold = 'message_id' in data.data && data.data.message_id === sent.id;
    }
    front.drop();
  }
  await events.return(undefined as never);
  const kept = (await sendwerk.listEvents({ limit: 200 })).data.map(({ id }) => id).toReversed();
  const start = kept.indexOf(told[0] ?? '');
  expect(kept.slice(start, start + told.length)).toEqual(told);
});

test('a delivery of the service is verified, also after a change of the secret', async () => {
  const hook = await createHook(app, sender, hooks.url('/node'), ['message.delivered']);
  const told = async (place: number) => {
    const answer = await app.request('POST', `${hook.base}/test`, undefined, sender.token);
    expect(answer.status).toBe(200);
    return requestTo(hooks, hook, place);
  };
  const { headers, body } = await told(0);
  const verified = await client.verifyWebhook({ secret: hook.secret, headers, body });
  expect(verified.event).toBe('webhook.test');
  const refused = (given: object) =>
    expect(client.verifyWebhook({ secret: hook.secret, headers, body, ...given })).rejects.toThrow(
      client.WebhookError,
    );
  await refused({ body: `${body} ` });
  await refused({ secret: `whsec_${Buffer.alloc(32).toString('base64')}` });
  await refused({ tolerance: -1 });
  await refused({ headers: { ...headers, 'webhook-signature': 'v1,AAAA' } });
  await refused({ secret: [] });
  const rotated = await open().rotateWebhookSecret({ webhookID: hook.id });
  const next = await told(1);
  for (const secret of [hook.secret, rotated.secret, ['whsec_AAAA', rotated.secret]])
    await client.verifyWebhook({ secret, headers: new Headers(next.headers as never), body: next.body });
});

test('every sample of its page runs as it is printed', async () => {
  const samples = await samplesOf('node', 'js', app);
  expect(samples.length).toBeGreaterThan(6);
  const named = Object.fromEntries(samples.map((code, place) => [`sample${place}.mjs`, code]));
  const names = Object.keys(named);
  const server = names.find((name) => named[name]?.includes('createServer')) ?? '';
  const main = [
    ...names.filter((name) => name !== server).map((name) => `await import('./${name}');`),
    `const { server } = await import('./${server}');`,
    "const post = () => fetch('http://127.0.0.1:' + process.env.PORT, { method: 'POST', body: '{}' });",
    "server.once('listening', async () => { console.log((await post()).status); server.close(); });",
  ].join('\n');
  const more = { PORT: String(await freePort()), SENDWERK_WEBHOOK_SECRET: 'whsec_AAAA' };
  const printed = await runNode(installed, { ...named, 'main.mjs': main }, 'main.mjs', sender, more);
  expect(printed).toMatch(/422 invalid_recipient/);
  expect(printed).toMatch(/^true$/m);
  expect(printed).toMatch(/message\.\w+ \{/);
  expect(printed).toMatch(/401\n$/);
});

test('it names itself, and follows no redirect', async () => {
  const asked: unknown[] = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { Location: '/away' }).end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => elsewhere.listen(port, '127.0.0.1', resolve));
  await new client.Sendwerk({
    url: `http://127.0.0.1:${port}/under`,
    token: 'x',
    practice: 'y',
  }).getPractice();
  elsewhere.close();
  expect(asked).toEqual(['/under/api/practices/y']);
  expect(front.seen.at(-1)?.headers['user-agent']).toBe(`sendwerk-node/${client.VERSION}`);
});

/** Where an error is expected and there is none, that is an error too. */
const PROGRAM = `
import { type AcceptedMessage, Sendwerk, SendwerkError, verifyWebhook } from '@sendwerk/client';
import { sendwerkTransport } from '@sendwerk/client/nodemailer';
import { createTransport } from 'nodemailer';

const sendwerk = new Sendwerk({ url: 'https://mail.example.com', token: process.env.SENDWERK_TOKEN });
const body = { to: ['erika@example.org'], subject: 'x', text: 'y' };
const accepted: AcceptedMessage = await sendwerk.sendMessage({ body, idempotencyKey: 'x', timeout: 5 });
const { subject } = await sendwerk.getMessage({ messageID: accepted.id });
const words: string = subject;
for await (const row of sendwerk.each('searchMessages', { q: words })) row.id.slice(1);
const { body: bytes } = await sendwerk.stream('exportMessages');
await bytes.cancel();
const source: Uint8Array = await sendwerk.getMessageSource({ messageID: accepted.id });
const nothing: undefined = await sendwerk.deleteTemplate({ templateID: 'x' });
const delivery = await verifyWebhook({ secret: ['x'], headers: new Headers(), body: source });
if (delivery.event === 'message.hard_bounced') delivery.data.recipient?.slice(1);
const info = await createTransport(sendwerkTransport(sendwerk)).sendMail({ to: 'x', sendwerk: { tags: ['x'] } } as never);
info.accepted.join();
export const failed = (error: unknown): string => (error instanceof SendwerkError ? error.code : String(nothing));

// @ts-expect-error: the name of a field is wrong
await sendwerk.sendMessage({ body: { ...body, too: 'x' } });
// @ts-expect-error: its value has the wrong type
await sendwerk.sendMessage({ body: { ...body, tags: 4711 } });
// @ts-expect-error: a parameter of the path is missing
await sendwerk.getMessage({});
// @ts-expect-error: there is no such parameter
await sendwerk.searchMessages({ query: 'x' });
// @ts-expect-error: it has no pages
sendwerk.each('getMessage', { messageID: 'x' });
// @ts-expect-error: the answer has no such field
(await sendwerk.getMessage({ messageID: 'x' })).subjekt;
// @ts-expect-error: the API has no such operation
await sendwerk.sendMassage({ body });
`;

test('a program is checked against the types of the package, and wrong names are errors', async () => {
  await writeFile(path.join(installed.directory, 'program.ts'), PROGRAM);
  const types = ['--typeRoots', path.join(ROOT, 'node_modules/@types'), '--types', 'node', '--lib', 'es2024'];
  const modules = ['--ignoreConfig', '--noEmit', '--module', 'nodenext', '--target', 'esnext'];
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  const command = [
    path.join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...modules,
    ...strict,
    ...types,
    'program.ts',
  ];
  const { stdout } = await promisify(execFile)(execPath, command, { cwd: installed.directory });
  expect(stdout).toBe('');
});
