// A client in TypeScript, generated from /openapi.yaml by an independent generator: it compiles, sends, reads, and its types
// know each refusal by its code.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const run = promisify(execFile);
const bin = (name: string): string => path.join(MODULES, '.bin', name);

/** Compiles only where the document names operations, records and refusals as it should. */
const PROGRAM = `
import { createWebhook, defaults, getMessage, type Message, searchMessages, sendMessage } from './client.ts';

const [origin = '', practice = '', token = ''] = process.argv.slice(2);
defaults.baseUrl = origin;
defaults.headers = { Authorization: \`Bearer \${token}\` };

const sent = await sendMessage(practice, { to: 'erika@example.org', subject: 'Befund', text: 'Er ist da.' });
if (sent.status !== 202) throw new Error(sent.data.hint);
const read = await getMessage(practice, sent.data.id);
if (read.status !== 200) throw new Error(read.data.hint);
const message: Message = read.data;
const found = await searchMessages(practice, { q: 'erika', limit: 5 });
if (found.status !== 200) throw new Error(found.data.hint);
const status: string = message.recipients[0]?.status ?? "";

const refused = await sendMessage(practice, { to: 'erika@example.org', from: 'a@bank.example', subject: 'Nein', text: 'Nein' });
if (refused.status !== 422 || refused.data.code !== 'from_not_allowed') throw new Error('it was not refused so');
const allowed: string[] = refused.data.allowed;

const unfit = await createWebhook(practice, { name: '', url: 'x', events: ['message.sent'] });
if (unfit.status !== 400 || unfit.data.code !== 'invalid_request') throw new Error('it was not refused so');
const fields = unfit.data.fields.map((field) => field.path);

console.log(JSON.stringify({ subject: message.subject, status, found: found.data.data.length, allowed, fields }));
`;

/** Must not compile: a client whose types were all `any` would take the program above, too. */
const WRONG = `
import { sendMessage } from './client.ts';
const sent = await sendMessage('id', { to: 'erika@example.org', subjekt: 'Befund' });
if (sent.status === 202) sent.data.no_such_field;
`;

const OPTIONS = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  },
};

let app: TestApp;
let directory: string;
beforeAll(async () => {
  app = await startApp();
  directory = await mkdtemp(path.join(tmpdir(), 'openapi-client-'));
  await symlink(MODULES, path.join(directory, 'node_modules'));
  const put = (name: string, text: string) => writeFile(path.join(directory, name), text);
  await put('package.json', JSON.stringify({ type: 'module' }));
  await put('tsconfig.json', JSON.stringify({ ...OPTIONS, include: ['client.ts', 'program.ts'] }));
  await put('tsconfig.wrong.json', JSON.stringify({ ...OPTIONS, include: ['wrong.ts'] }));
  await put('program.ts', PROGRAM);
  await put('wrong.ts', WRONG);
  await put('openapi.yaml', (await app.request('GET', '/openapi.yaml')).text);
  await run(bin('oazapfts'), ['openapi.yaml', 'client.ts'], { cwd: directory });
});
afterAll(async () => {
  await app.remove();
  await rm(directory, { recursive: true });
});

const compile = (project: string) => run(bin('tsc'), ['--project', project], { cwd: directory });

test('compiles', async () => {
  expect((await compile('tsconfig.json')).stdout).toBe('');
});

test('knows which fields there are', async () => {
  const { stdout } = await compile('tsconfig.wrong.json').catch((error: { stdout: string }) => error);
  expect(stdout).toContain('subjekt');
  expect(stdout).toContain('no_such_field');
});

test('sends, reads, and gets refusals with their fields', async () => {
  const { practice, token } = await app.createSender();
  const { stdout } = await run(execPath, ['program.ts', app.origin, practice.id, token], { cwd: directory });
  expect(JSON.parse(stdout)).toEqual({
    subject: 'Befund',
    status: expect.stringMatching(/^(queued|processed)$/),
    found: 1,
    allowed: [practice.domain],
    fields: ['body.name'],
  });
});
