// `sendwerk quickstart` shows the whole way of a message on one machine. It runs the real daemon on loopback with an
// empty data directory, the capture upstream and the built-in DNS, uses its public HTTP API only, and verifies the
// signatures of the captured message against the DNS that the daemon serves.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { stringify } from 'yaml';
import { createApp } from '#src/app/app.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import { createLog } from '#src/kernel/log.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';
import type { ProcessSignals } from './serve.ts';

export interface QuickstartOptions {
  readonly once: boolean;
  readonly print: (text: string) => void;
  readonly signals: ProcessSignals;
}

const HOST = '127.0.0.1';
const RELAY_TIMEOUT_MS = 30 * SECOND;
const POLL_MS = 50;
const CODES_POLL_MS = SECOND;
/** Who signs in to the dashboard. */
const OWNER = 'owner@example.org';
const OPERATOR = 'operator@example.org';

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const writeConfig = async (directory: string, port: number, adminToken: string): Promise<string> => {
  const file = join(directory, 'service.yaml');
  const keyFile = join(directory, 'master.key');
  const tokenFile = join(directory, 'admin.token');
  await writeFile(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  await writeFile(tokenFile, adminToken, { mode: 0o600 });
  const config = {
    service: {
      public_origin: `http://${HOST}:${port}`,
      host: 'mail.sendwerk.test',
      managed_suffix: 'send.sendwerk.test',
    },
    data_dir: join(directory, 'data'),
    http: { listen: `${HOST}:${port}` },
    smtp: { inbound: { listen: `${HOST}:0` } },
    admin: { token_file: tokenFile },
    secrets: { master_key_file: keyFile },
    upstreams: [{ name: 'capture', kind: 'capture' }],
    dns: { authoritative: { listen: `${HOST}:0` }, zones: { addresses: [HOST] } },
    // Nothing leaves the machine: the capture upstream delivers nothing.
    safe_mode: { default: false },
    log: { level: 'warn' },
    operators: [OPERATOR],
  };
  await writeFile(file, stringify(config));
  return file;
};

type Api = <T>(
  method: string,
  path: string,
  options: { token?: string; adminToken?: string; body?: unknown },
) => Promise<T>;

const createApi =
  (origin: string): Api =>
  async <T>(method: string, path: string, options: Parameters<Api>[2]) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
        ...(options.adminToken === undefined ? {} : { 'X-Admin-Token': options.adminToken }),
        ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
  };

const untilStatus = async (api: Api, path: string, token: string, wanted: string): Promise<void> => {
  let status = '';
  for (const deadline = Date.now() + RELAY_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    ({ status } = await api<{ status: string }>('GET', path, { token }));
    if (status === wanted) return;
  }
  throw new Error(`the message is ${status}, not ${wanted}, after ${RELAY_TIMEOUT_MS / SECOND} s`);
};

/** The mailbox simulator's answers, and what becomes of a message by them. */
const SIMULATED = { bounce: 'hard_bounced', complaint: 'spam_complaint', ooto: 'auto_replied' } as const;

const verifySignatures = async (source: string, dnsPort: number) => {
  const resolver = new Resolver();
  resolver.setServers([`${HOST}:${dnsPort}`]);
  const { results } = await dkimVerify(source, {
    resolver: (name, type) => resolver.resolve(name, type) as never,
  });
  return results.map(({ algo, signingDomain, selector, status }) => ({
    algorithm: algo,
    domain: signingDomain,
    selector,
    result: status.result,
  }));
};

interface CapturedMail {
  readonly id: string;
  readonly recipient: string;
}

/** Prints the codes of sign-ins, which are captured as all mail is, until it is ended. */
const printCodes = async (
  api: Api,
  adminToken: string,
  print: (text: string) => void,
  ended: () => boolean,
) => {
  const system = '/api/admin/practices?purpose=system';
  const { data: practices } = await api<{ data: readonly { id: string }[] }>('GET', system, { adminToken });
  const captures = `/api/practices/${practices[0]?.id}/captures`;
  const seen = new Set<string>();
  for (; !ended(); await sleep(CODES_POLL_MS)) {
    const { data } = await api<{ data: readonly CapturedMail[] }>('GET', captures, { adminToken });
    for (const { id, recipient } of data.filter((mail) => !seen.has(mail.id)).reverse()) {
      seen.add(id);
      const source = await api<string>('GET', `${captures}/${id}`, { adminToken });
      const code = /^\s*(\d{6})\s*$/m.exec(source)?.[1];
      if (code !== undefined) print(`   code for ${recipient}: ${code}\n`);
    }
  }
};

const example = {
  to: 'Erika Muster <erika@example.org>',
  subject: 'Ihr Termin am Montag um 9:30 Uhr',
  text: 'Guten Tag,\n\nwir freuen uns auf Sie am Montag um 9:30 Uhr.\n\nIhre Praxis am Markt\n',
  message_kind: 'termin',
};

const walk = async (options: QuickstartOptions, directory: string): Promise<number> => {
  const { once, print, signals } = options;
  let step = 0;
  const say = (title: string, ...lines: string[]) =>
    print(`${++step}. ${title}\n${lines.map((line) => `   ${line}\n`).join('')}\n`);

  const port = await freePort();
  const origin = `http://${HOST}:${port}`;
  const adminToken = randomBytes(24).toString('base64url');
  const ended = new Promise<void>((resolve) => signals.onEnd(() => resolve()));
  const { config } = loadConfig(await writeConfig(directory, port, adminToken), {});
  const app = await createApp(config, createLog(config.log.level));
  const { dnsPort, inboundPort } = await app.start();
  try {
    say(
      'The daemon is up',
      `HTTP ${origin}`,
      `SMTP ${HOST}:${inboundPort}, for mail from the world`,
      `DNS  ${HOST}:${dnsPort} (UDP and TCP)`,
      `data ${config.data_dir}`,
    );

    const api = createApi(origin);
    const practice = await api<{ id: string; name: string; managed_host: string; default_from: string }>(
      'POST',
      '/api/practices',
      { adminToken, body: { name: 'Praxis am Markt' } },
    );
    const { token } = await api<{ token: string }>('POST', `/api/practices/${practice.id}/api-tokens`, {
      adminToken,
      body: { name: 'quickstart', scope: 'team' },
    });
    say(
      `A practice: ${practice.name}`,
      `id    ${practice.id}`,
      `host  ${practice.managed_host}, sends as ${practice.default_from}`,
      `token ${token}`,
    );

    const sent = await api<{ id: string; status: string }>('POST', `/api/practices/${practice.id}/send`, {
      token,
      body: example,
    });
    say(
      'A message was accepted and is on the disk',
      `POST ${origin}/api/practices/${practice.id}/send`,
      JSON.stringify(sent),
    );

    const messagePath = `/api/practices/${practice.id}/messages/${sent.id}`;
    await untilStatus(api, messagePath, token, 'processed');
    say('It was composed, signed and relayed', 'status processed', `GET ${origin}${messagePath}`);

    const capturesPath = `/api/practices/${practice.id}/captures`;
    const { data } = await api<{ data: { id: string }[] }>('GET', `${capturesPath}?message_id=${sent.id}`, {
      token,
    });
    const sourcePath = `${capturesPath}/${data[0]?.id}`;
    const source = await api<string>('GET', sourcePath, { token });
    const signatures = await verifySignatures(source, dnsPort ?? 0);
    say(
      'The captured message was verified against the DNS served here',
      ...signatures.map(
        ({ algorithm, domain, selector, result }) => `dkim=${result} ${algorithm} d=${domain} s=${selector}`,
      ),
      `GET ${origin}${sourcePath}`,
      `dig @${HOST} -p ${dnsPort} TXT ${signatures[0]?.selector}._domainkey.${practice.managed_host}`,
    );
    if (signatures.length !== 2 || signatures.some(({ result }) => result !== 'pass')) {
      throw new Error('expected two signatures that pass');
    }

    const practicePath = `/api/practices/${practice.id}`;
    const answered: string[] = [];
    for (const [kind, status] of Object.entries(SIMULATED)) {
      const { id } = await api<{ id: string }>('POST', `${practicePath}/send-test`, {
        token,
        body: { kind },
      });
      await untilStatus(api, `${practicePath}/messages/${id}`, token, status);
      answered.push(`${kind}@simulator.${config.service.host}`.padEnd(45) + status);
    }
    say(
      'A bounce, a complaint and an automatic reply came back by SMTP from the mailbox simulator',
      ...answered,
      `POST ${origin}${practicePath}/send-test {"kind": "bounce"}`,
    );

    await api('POST', `${practicePath}/inbound/enable`, { token, body: {} });
    const reply = 'From: erika@home.test\\nSubject: Re: Ihr Termin\\n\\nDanke!\\n';
    say(
      `Mail to any address of in.${practice.managed_host} is received`,
      `printf '${reply}' | curl --crlf smtp://${HOST}:${inboundPort} \\`,
      `  --mail-from erika@home.test --mail-rcpt praxis@in.${practice.managed_host} -T -`,
      `and read it: curl -H 'Authorization: Bearer ${token}' ${origin}${practicePath}/inbound/messages`,
    );

    const next = JSON.stringify({ to: 'you@example.org', subject: 'Hello', text: 'The next one.' });
    say(
      'Send the next one',
      `curl ${origin}/api/practices/${practice.id}/send \\`,
      `  -H 'Authorization: Bearer ${token}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${next}'`,
      `and read it: curl -H 'Authorization: Bearer ${token}' ${origin}${capturesPath}`,
      `all calls: ${origin}/reference`,
    );

    await api('POST', `${practicePath}/owners`, { adminToken, body: { email: OWNER } });
    say(
      'Look at all of it in a browser',
      `${origin}/app`,
      `Sign in as ${OWNER}, or as ${OPERATOR} for the whole machine; the codes appear here.`,
    );
    if (!once) {
      print(`The daemon stays up until Ctrl-C; then ${directory} is removed.\n\n`);
      let isEnded = false;
      const codes = printCodes(api, adminToken, print, () => isEnded);
      await ended;
      isEnded = true;
      await codes;
    }
    return 0;
  } finally {
    await app.stop();
  }
};

/** Resolves with the exit code: 0 if the message has two valid signatures. */
export const quickstart = async (options: QuickstartOptions): Promise<number> => {
  const directory = await mkdtemp(join(tmpdir(), 'sendwerk-quickstart-'));
  try {
    return await walk(options, directory);
  } catch (error) {
    options.print(`It did not work: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
