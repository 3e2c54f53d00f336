// The case `long-work`: what takes seconds in a large practice, while mail is sent at a steady rate: a CSV of all messages, an import
// of a third as many people, and the erasure of a person, each beside the time of the sends alone.
import { setTimeout as pause } from 'node:timers/promises';
import { eventStore } from '#src/events/store.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { runGenerator, upstreamAt } from '#test/bench/daemon-side.ts';
import { type CaseOptions, table } from '#test/bench/harness.ts';
import { makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { fill, makeIndex, makePlaces } from '#test/bench/search.ts';
import { type Daemon, expectCreated, startDaemon } from '#test/support/daemon.ts';
import { cpuSeconds, until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';

const PATIENCE_MS = 600_000;
const SENDS_PER_SECOND = 50;
const SENT_ALONE = 1_000;
/** Followers read what was written behind them, and rest. */
const SETTLE_MS = 30_000;

const addEvents = (db: TenantDb): void => {
  const rows = db
    .prepare<[], { id: number; message_seq: number }>('SELECT id, message_seq FROM recipients')
    .all();
  db.transaction(() => {
    for (const { id, message_seq } of rows) {
      const of = { messageSeq: message_seq, at: 1 };
      eventStore(db).append({ ...of, type: 'message.created', recipientId: null });
      eventStore(db).append({ ...of, type: 'message.sent', recipientId: id });
      eventStore(db).append({ ...of, type: 'message.delivered', recipientId: id });
    }
  })();
};

interface Done {
  readonly seconds: number;
  readonly cpu: number;
  /** Of the sends meanwhile, ms. */
  readonly p99Ms: number;
}

/** `work` beside sends that go on until it has ended. */
const besideSends = async (
  daemon: Daemon,
  practiceId: string,
  work: () => Promise<unknown>,
): Promise<Done> => {
  const senders = [{ practiceId, from: '', token: await daemon.createToken(practiceId) }];
  const port = Number(new URL(daemon.origin).port);
  const load = { protocol: 'http', port, senders, connections: 32, bytes: 6_000 } as const;
  const [start, cpu] = [performance.now(), cpuSeconds(daemon.pid)];
  let isDone = false;
  const worked = work().finally(() => {
    isDone = true;
  });
  const latencies: number[] = [];
  while (!isDone) {
    const sent = await runGenerator({ ...load, messages: SENDS_PER_SECOND, rate: SENDS_PER_SECOND });
    latencies.push(sent.latencies?.p99Ms ?? Number.NaN);
  }
  await worked;
  const seconds = (performance.now() - start) / 1_000;
  return { seconds, cpu: cpuSeconds(daemon.pid) - cpu, p99Ms: Math.max(...latencies) };
};

/** One run: the practice takes longer to make than all of it. */
export async function benchLongWork({ messages, print }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const installation = await makeInstallation(1);
  started.defer(installation.remove);
  const practiceId = installation.practices[0]?.id ?? '';
  const db = openSqlite(tenantFile(installation, practiceId), {
    create: false,
    busyTimeoutMs: 0,
  }) as TenantDb;
  fill(db, makePlaces(db), messages);
  addEvents(db);
  makeIndex(db, messages);
  const address = db.prepare<[], string>('SELECT address FROM recipients WHERE id = 1000').pluck().get();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const daemon = await startDaemon({ dataDir: installation.dataDir, config: upstreamAt(sink.port) });
  started.defer(async () => void (await daemon.stop()));
  const token = await daemon.createToken(practiceId);
  const base = `/api/practices/${practiceId}`;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const call = async <Body>(verb: string, place: string, body?: unknown): Promise<Body> =>
    (await daemon.request<Body>(verb, `${base}${place}`, body, token)).body;
  await pause(SETTLE_MS);

  const csv = async (): Promise<void> => {
    const answer = await fetch(`${daemon.origin}${base}/messages/search/export`, { headers });
    const lines = (await answer.text()).split('\n').length;
    if (lines < messages) throw new Error(`the file has ${lines} lines: ${answer.status}`);
  };
  const people = Math.ceil(messages / 3);
  const importing = async (): Promise<void> => {
    const fields = { name: 'Rundbrief', wording: 'Ich will ihn.' };
    const list = expectCreated(await daemon.request<{ id: string }>('POST', `${base}/lists`, fields, token));
    const rows = Array.from({ length: people }, (_, index) => `p${index}@example.org,Erika Muster ${index}`);
    const place = `${base}/lists/${list.id}/subscribers/import?status=active&evidence=Ordner`;
    const answer = await fetch(`${daemon.origin}${place}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/csv' },
      body: `email,name\n${rows.join('\n')}\n`,
    });
    const { id } = (await answer.json()) as { id: string };
    await until(
      'all are imported',
      async () => (await call<{ status: string }>('GET', `/imports/${id}`)).status === 'done',
      PATIENCE_MS,
    );
  };
  const erasing = async (): Promise<void> => {
    const { id } = await call<{ id: string }>('POST', '/people/erase', { address });
    await until(
      'the person is erased',
      async () => (await call<{ status: string }>('GET', `/people/erasures/${id}`)).status === 'done',
      PATIENCE_MS,
    );
  };
  const sendsAlone = () => pause((1_000 * SENT_ALONE) / SENDS_PER_SECOND);
  const works: readonly (readonly [name: string, wanted: string, work: () => Promise<unknown>])[] = [
    ['sends alone', '-', sendsAlone],
    [`CSV of ${messages} messages`, '< 20 s of 300,000, p99 < 100 ms', csv],
    [`import of ${people} people`, '< 15 s of 100,000', importing],
    [`erasure, ${messages} messages`, '< 10 s of 150,000', erasing],
  ];
  const rows: string[][] = [];
  for (const [name, wanted, work] of works) {
    const { seconds, cpu, p99Ms } = await besideSends(daemon, practiceId, work);
    rows.push([name, seconds.toFixed(1), cpu.toFixed(1), p99Ms.toFixed(1), wanted]);
  }
  print(
    `${table(['', 'seconds', 'service CPU s', 'p99 of a send ms', 'wanted'], rows)}\n\n` +
      `${SENDS_PER_SECOND} sends a second meanwhile, of 6,000 bytes; p99 is the worst second.`,
  );
}
