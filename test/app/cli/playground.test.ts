// The playground of `sendwerk quickstart --keep`, as someone uses it who pastes what it prints: the lines are run as they
// stand, by bash, swaks and node, and what they send is found captured.
// @module-tag slow
import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Server, smtpSend } from '#dashboard/pages/examples/code.ts';
import { quickstart } from '#src/app/cli/quickstart.ts';
import { until } from '#test/support/process.ts';
import { temporaryDirectory } from '../../flows/fixture.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** The playground in this process; `end` is Ctrl-C. */
const play = (keep: string) => {
  let printed = '';
  let end = (): void => undefined;
  const code = quickstart({
    once: false,
    keep,
    print: (text) => {
      printed += text;
    },
    signals: {
      onEnd: (listener) => {
        end = () => listener('SIGINT');
      },
      onReload: () => undefined,
    },
  });
  return {
    code,
    ready: () =>
      until(
        'the lines are printed',
        () => printed.includes('until Ctrl-C') || printed.includes('did not work'),
      ),
    printed: () => printed,
    block: (first: string): string => {
      const [, found] = new RegExp(`^(${first} [\\s\\S]*?)\\n\\n`, 'm').exec(printed) ?? [];
      if (found === undefined) throw new Error(`no lines begin with ${first} in:\n${printed}`);
      return found;
    },
    end: () => end(),
  };
};
type Playground = ReturnType<typeof play>;

const bash = async (...lines: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('bash', ['-euc', lines.join('\n')], { cwd: ROOT });
  return stdout;
};

const files = new AsyncDisposableStack();
/** Takes the usual HTTP port, where nothing has it yet. */
const taken = createServer();
let directory: string;
let first: Playground;

beforeAll(async () => {
  directory = path.join(await temporaryDirectory(files), 'playground');
  await new Promise<void>((resolve) => {
    taken.once('error', () => resolve());
    taken.listen(8080, '127.0.0.1', resolve);
  });
  first = play(directory);
  await first.ready();
});
afterAll(async () => {
  first.end();
  await first.code;
  taken.close();
  await files.disposeAsync();
});

const asked = async <T>(where: string, body?: unknown): Promise<T> => {
  const send =
    body === undefined
      ? '-H "Authorization: Bearer $SENDWERK_TOKEN"'
      : `-H "Authorization: Bearer $SENDWERK_TOKEN" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  return JSON.parse(
    await bash(
      first.block('export'),
      `curl -sS ${send} "$SENDWERK_URL/api/practices/$SENDWERK_PRACTICE/${where}"`,
    ),
  ) as T;
};
const captured = async (subject: string) => {
  const { data } = await asked<{ data: readonly { subject: string; recipient: string }[] }>('captures');
  return data.filter((mail) => mail.subject === subject).map(({ recipient }) => recipient);
};

test('a port that is taken is left to who has it, and the lines name the next one', () => {
  expect(first.printed()).toMatch(/^Port 8080 is taken: HTTP is at (\d+) this time\.$/m);
  expect(first.block('export')).not.toContain(':8080');
});

describe('what is printed works as it stands', () => {
  test.each([
    ['curl', 'Hello from curl', /"status":"queued"/],
    ['node', 'Hello from nodemailer', /^250 2\.0\.0 queued as/],
  ])('%s', async (program, subject, says) => {
    expect(await bash(first.block('export'), first.block(program))).toMatch(says);
    await until(`${subject} is captured`, async () => (await captured(subject)).length > 0);
    expect(await captured(subject)).toEqual(['you@example.org']);
  });

  test('swaks', { tags: 'debian/swaks' }, async () => {
    expect(await bash(first.block('export'), first.block('swaks'))).toContain('<-  250 2.0.0 queued as');
    await until('it is captured', async () => (await captured('Hello from swaks')).length > 0);
  });

  test('swaks, as the dashboard shows it', { tags: 'debian/swaks' }, async () => {
    const { submission } = JSON.parse(
      await bash(
        first.block('export'),
        'curl -sS -H "Authorization: Bearer $SENDWERK_TOKEN" "$SENDWERK_URL/api/meta"',
      ),
    ) as { submission: Server };
    const [, from = ''] = /--from (\S+)/.exec(first.block('swaks')) ?? [];
    const to = 'erika@example.org';
    expect(await bash(first.block('export'), smtpSend({ from, to }, submission))).toContain(
      '2.0.0 queued as',
    );
  });

  test('a mail from the world, and reading it', async () => {
    const [, write = '', read = ''] =
      /^ +(printf [\s\S]*? -T -)\n +and read it: (curl .*)$/m.exec(first.printed()) ?? [];
    await bash(write);
    await until('it is in the inbox', async () => (await bash(`${read} -sS`)).includes('Re: Ihr Termin'));
  });

  test('what was captured is read by the line below them', async () => {
    const [, line = ''] = /^ +or (curl .*captures)$/m.exec(first.printed()) ?? [];
    expect(await bash(first.block('export'), `${line} -sS`)).toContain('Ihr Termin am Montag');
  });

  test('who asks for a code later gets a link where the playground runs', async () => {
    const ask = `curl -sS -H 'Content-Type: application/json' -d '{"email":"operator@example.org"}' "$SENDWERK_URL/api/auth/request-otp"`;
    await bash(first.block('export'), ask);
    await until('the link is printed', () =>
      /for operator@example\.org: http\S+code=\d{6}\n/.test(first.printed()),
    );
  });

  test('the link signs the owner in', async () => {
    const [, origin, hash] = /(\S+)\/app\/sign-in#(\S+)/.exec(first.printed()) ?? [];
    const body = JSON.stringify(Object.fromEntries(new URLSearchParams(hash)));
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/api/auth/verify-otp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    const cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const me = await fetch(`${origin}/api/auth/me`, { headers: { cookie } });
    expect(await me.text()).toContain('Praxis am Markt');
  });
});

test('a webhook to this machine needs no TLS and no special port', async () => {
  const events: string[] = [];
  const receiver = createHttpServer(async (request, response) => {
    events.push(String(request.headers['content-type']));
    response.end();
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = receiver.address() as { port: number };
    const { id } = await asked<{ id: string }>('webhooks', {
      name: 'Here',
      url: `http://localhost:${port}/hook`,
      events: ['message.created'],
    });
    expect(id).toBeTruthy();
    await bash(first.block('export'), first.block('curl'));
    await until('the webhook is called', () => events.length > 0);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});

test('the practice can send newsletters: it has its legal block and templates', async () => {
  const { legal, monthly_cap } = await asked<{
    legal: Record<string, string | null>;
    monthly_cap: number;
  }>('');
  expect(monthly_cap).toBeGreaterThan(10_000);
  expect(legal).toMatchObject({ street: 'Marktplatz 1', privacy_url: expect.stringContaining('https:') });
  const { data } = await asked<{ data: readonly unknown[] }>('templates');
  expect(data.length).toBeGreaterThan(10);
});

test('the next start goes on with the same practice, token, ports and mail', async () => {
  const before = first.block('export');
  expect(await quickstart({ once: true, keep: directory, print: () => undefined, signals: never })).toBe(1);
  first.end();
  expect(await first.code).toBe(0);
  first = play(directory);
  await first.ready();
  expect(first.block('export')).toBe(before);
  expect(first.printed()).not.toContain('is taken');
  expect(await captured('Hello from nodemailer')).toEqual(['you@example.org']);
});

/** A run that is refused, or ends by itself. */
const never = { onEnd: () => undefined, onReload: () => undefined };

test('a directory of something else is refused', async () => {
  await expect(
    quickstart({ once: true, keep: path.join(directory, 'data'), print: () => undefined, signals: never }),
  ).rejects.toThrow(/not empty/);
});
