// The case `redirect`: tracked links followed over keep-alive connections, beside `/healthz` in the same run. What the
// daemon spends on each, with what it writes later of those whose recipient is there.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import { type CaseOptions, median, spread, table } from '#test/bench/harness.ts';
import { connect, exchange } from '#test/bench/load.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { keysIn } from '#test/support/keys.ts';
import { cpuSeconds, until } from '#test/support/process.ts';

const CONNECTIONS = 32;
const PLAN = 'gruppe';
const BATCH = 100;
const LINKED = 'https://praxis.example/newsletter/herbst?utm_source=mail&utm_campaign=grippe#termin';
const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
/** Sooner clicks are taken for a machine's, of which less is written. */
const PERSON_MS = 10_500;
/** What is noted is written within that. */
const WRITTEN_MS = 5_000;

interface Case {
  readonly name: string;
  readonly status: number;
  readonly path: (index: number) => string;
}

/** Microseconds of the daemon's CPU for each request, and requests a second. */
async function follow(daemon: Daemon, { status, path }: Case, requests: number): Promise<[number, number]> {
  const port = Number(new URL(daemon.origin).port);
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(port)));
  const cpu = cpuSeconds(daemon.pid);
  const start = performance.now();
  let next = 0;
  const work = async (socket: (typeof sockets)[number]): Promise<void> => {
    while (next < requests) {
      const head = `GET ${path(next++)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${AGENT}\r\n\r\n`;
      const answer = await exchange(socket, head);
      if (!answer.startsWith(`HTTP/1.1 ${status}`)) throw new Error(`not ${status}: ${answer}`);
    }
  };
  await Promise.all(sockets.map(work));
  const seconds = (performance.now() - start) / 1_000;
  for (const socket of sockets) socket.destroy();
  await pause(WRITTEN_MS);
  return [((cpuSeconds(daemon.pid) - cpu) / requests) * 1e6, requests / seconds];
}

/** Messages that were handed over; resolves with the practice's number and its recipients' ids. */
async function sent(daemon: Daemon, practiceId: string, count: number) {
  const token = await daemon.createToken(practiceId);
  const messages = Array.from({ length: BATCH }, (_, index) => ({
    to: `${index}@example.net`,
    subject: 'Newsletter',
    text: 'Guten Tag',
  }));
  for (let done = 0; done < count; done += BATCH)
    await daemon.request('POST', `/api/practices/${practiceId}/send/batch`, messages, token);
  const db = new Database(path.join(daemon.dataDir, 'tenants', practiceId, 'tenant.db'));
  const left = db.prepare('SELECT count(*) FROM queue').pluck();
  await until('all is handed over', async () => left.get() === 0, 120_000);
  const number = Number(db.prepare('SELECT number FROM practice').pluck().get());
  const ids = db.prepare<[], number>('SELECT id FROM recipients').pluck().all();
  const clicks = () => db.prepare("SELECT count(*) FROM events WHERE type = 'message.clicked'").pluck().get();
  return { number, ids, clicks, close: () => db.close() };
}

/** Prints a table; throws where a click that was answered was not written. */
export async function benchRedirect({ runs, messages, print }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const daemon = await startDaemon();
  started.defer(daemon.remove);
  const { id } = await daemon.createPractice({ plan: PLAN });
  const { number, ids, clicks, close } = await sent(daemon, id, messages);
  started.defer(() => void close());
  const links = createTrackingLinks('', keysIn(path.dirname(daemon.configFile))('tracking links'));
  const clicked = ids.map((recipientId) => links.click({ tenantNumber: number, recipientId }, LINKED));
  const gone = ids.map((recipientId) => links.click({ tenantNumber: 999_999, recipientId }, LINKED));
  const cases: readonly Case[] = [
    { name: '/healthz', status: 200, path: () => '/healthz' },
    {
      name: 'redirect, nobody to write it of',
      status: 302,
      path: (index) => gone[index % gone.length] ?? '',
    },
    { name: 'redirect, written', status: 302, path: (index) => clicked[index % clicked.length] ?? '' },
  ];
  await pause(PERSON_MS);
  const figures = new Map(cases.map((one) => [one, [] as [number, number][]]));
  for (const one of cases) await follow(daemon, one, messages);
  for (let run = 0; run < runs; run += 1)
    for (const [one, measured] of run % 2 === 0 ? figures : [...figures].toReversed())
      measured.push(await follow(daemon, one, messages));
  if (clicks() !== (runs + 1) * messages)
    throw new Error(`${clicks()} clicks of ${(runs + 1) * messages} were written`);
  const micros = (one: Case): number => median((figures.get(one) ?? []).map(([cpu]) => cpu));
  const [health] = cases;
  const rows = cases.map((one) => [
    one.name,
    spread((figures.get(one) ?? []).map(([cpu]) => cpu)),
    health ? (micros(one) / micros(health)).toFixed(2) : '-',
    spread((figures.get(one) ?? []).map(([, perSecond]) => perSecond)),
  ]);
  print(table(['', 'CPU µs', 'x', 'answers/s'], rows));
  print('Medians (least–greatest). CPU: of the daemon, for each request. x: ratio to /healthz.');
}
