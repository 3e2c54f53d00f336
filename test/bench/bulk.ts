// The case `bulk`: one mailing to as many recipients as the messages are, each with values of their own, as a newsletter with
// text and HTML. Its content is in the file once for each request.
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { startSending } from '#test/bench/daemon-side.ts';
import {
  type CaseOptions,
  type Column,
  figuresTable,
  measure,
  type RunningSide,
} from '#test/bench/harness.ts';
import { type Installation, makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { STRAY_MS } from '#test/bench/timed-run.ts';
import { cpuSeconds, peakMemory } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';

/** The most that one request takes. */
export const PER_REQUEST = 10_000;
export const PATIENCE_MS = 1_800_000;
const PARAGRAPH =
  'Unsere Praxis ist in den Herbstferien geschlossen; in dringenden Fällen hilft die Vertretung. ';
export const TEMPLATE = {
  subject: 'Neues aus der Praxis, {{name}}',
  text: `Guten Tag {{name}},\n\n${PARAGRAPH.repeat(20)}\n\nIhr nächster Termin: {{date}}`,
  html: `<p>Guten Tag {{name}},</p>${`<p>${PARAGRAPH}</p>`.repeat(38)}<p>Ihr nächster Termin: {{date}}</p>`,
};
export const LEGAL = {
  street: 'Am Markt 1',
  city: '20095 Hamburg',
  privacy_url: 'https://praxis.example/datenschutz',
};

const start = async (installation: Installation): Promise<RunningSide> => {
  await using started = new AsyncDisposableStack();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const { daemon, stop } = await startSending({ installation, bytes: 0, clients: 0 }, sink.port);
  started.defer(stop);
  const [practice] = installation.practices;
  const base = `/api/practices/${practice?.id}`;
  const { status } = await daemon.request('PATCH', `${base}/compliance`, LEGAL, daemon.adminToken);
  if (status !== 200) throw new Error(`no legal block: ${status}`);
  const file = tenantFile(daemon, practice?.id ?? '');
  const token = await daemon.createToken(practice?.id ?? '');

  const sendAll = async (messages: number): Promise<number> => {
    let requests = 0;
    for (let first = 0; first < messages; first += PER_REQUEST, requests += 1) {
      const recipients = Array.from({ length: Math.min(PER_REQUEST, messages - first) }, (_, index) => ({
        email: `${first + index}@example.net`,
        data: { name: `Erika Muster ${first + index}`, date: `${1 + (index % 28)}. Oktober` },
      }));
      const asked = { template: TEMPLATE, recipients };
      const answer = await daemon.request<{ results: { status?: string }[] }>(
        'POST',
        `${base}/send/bulk`,
        asked,
        token,
      );
      const queued =
        answer.status === 202 ? answer.body.results.filter((one) => one.status === 'queued') : [];
      if (queued.length !== recipients.length)
        throw new Error(`${queued.length} queued: ${JSON.stringify(answer.body).slice(0, 1_000)}`);
    }
    return requests;
  };
  const checkStoredOnce = (messages: number, requests: number): void => {
    const db = new Database(file, { readonly: true });
    const count = (sql: string) => db.prepare<[], number>(sql).pluck().get();
    const contents = count('SELECT count(*) FROM shared_contents');
    const sharing = count('SELECT count(*) FROM message_bodies WHERE text IS NULL AND html IS NULL');
    db.close();
    if (contents !== requests || sharing !== messages)
      throw new Error(`${contents} contents for ${requests} requests, shared by ${sharing} messages`);
  };
  const owned = started.move();
  return {
    run: async (messages) => {
      const cpu = cpuSeconds(daemon.pid);
      const begin = performance.now();
      const requests = await sendAll(messages);
      const accepted = performance.now();
      await sink.received(messages, PATIENCE_MS);
      const relayed = performance.now();
      const serviceMicros = ((cpuSeconds(daemon.pid) - cpu) / messages) * 1e6;
      await pause(STRAY_MS);
      const received = await sink.count();
      if (received !== messages) throw new Error(`the sink got ${received} of ${messages} messages`);
      checkStoredOnce(messages, requests);
      return {
        acceptedSeconds: (accepted - begin) / 1_000,
        relayedSeconds: (relayed - begin) / 1_000,
        relayedPerSecond: (messages / (relayed - begin)) * 1_000,
        serviceMicros,
        peakBytes: peakMemory(daemon.pid),
        bytesEach: ((await stat(file)).size + (await stat(`${file}-wal`)).size) / messages,
      };
    },
    stop: () => owned.disposeAsync(),
  };
};

export async function benchBulk(options: CaseOptions): Promise<void> {
  const installation = await makeInstallation(1);
  try {
    const side = { name: 'one mailing', start: () => start(installation) };
    const results = await measure([side], options, 0);
    options.print(`${figuresTable(columns(options.rsaMs), results)}\n\n${LEGEND}`);
  } finally {
    await installation.remove();
  }
}

const columns = (rsaMs: number): readonly Column[] => [
  { head: 'all accepted, s', figure: 'acceptedSeconds', digits: 1, range: true },
  { head: 'all relayed, s', figure: 'relayedSeconds', digits: 1, range: true },
  { head: 'relayed/s', figure: 'relayedPerSecond' },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'in RSA', figure: 'serviceMicros', unit: rsaMs * 1_000, digits: 2 },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6 },
  { head: 'file and log, bytes a message', figure: 'bytesEach' },
];

const LEGEND = `Medians (least–greatest), from the first request on. Requests of ${PER_REQUEST} recipients, one after the other; 2 KB of text and 4 KB of HTML with
two placeholders each, RSA and Ed25519 signatures. Every run checks that the content is stored once for each request, and values only for each message.`;
