// Uploads of the largest size, many at once: each is taken in the end, the daemon's memory stays within its bound, and
// small mails are taken beside them.
// @module-tag debian/postfix
// @module-tag soak
import { afterEach, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { openPractice, PATIENCE_MS, relayAt, type Target, untilIdle } from '#test/flows/fixture.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { peakMemory } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { soak } from '#test/support/soak.ts';

const MIB = 1_024 * 1_024;
const UPLOADS = soak(3, 20);
/** Of the daemon with all that is in flight: held, decoded, stored, composed and sent. */
const BOUND_BYTES = 750 * MIB;
const BODY_BYTES = 48 * MIB;
const TEST_MS = 280_000;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** As large as a body may be: all that may be attached, and texts that fill the rest. */
const largest = (to: string): Buffer => {
  const content = Buffer.from(contentOf('pdf', 6 * MIB)).toString('base64');
  const attachments = Array.from({ length: 5 }, (_, index) => ({ filename: `Teil ${index}.pdf`, content }));
  const body = { to, subject: 'Unterlagen', text: '', html: '', attachments };
  const room = BODY_BYTES - Buffer.byteLength(JSON.stringify(body));
  const words = 'Anbei die Unterlagen zu Ihrer Anfrage. ';
  const half = words.repeat(Math.ceil(room / 2 / words.length)).slice(0, Math.floor(room / 2));
  return Buffer.from(JSON.stringify({ ...body, text: half, html: half }));
};

/** Sends until it is taken; what is refused for now says when to come again. */
const upload = async ({ daemon, practiceId, token }: Target, body: Buffer): Promise<void> => {
  for (;;) {
    const response = await fetch(`${daemon.origin}/api/practices/${practiceId}/send`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: new Uint8Array(body),
    }).catch(() => undefined);
    const said = await response?.text();
    if (response?.status === 202) return;
    // Refused before it was read whole: the connection may break under the client's writing.
    if (response !== undefined && response.status !== 503) throw new Error(`${response.status} ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
};

const setUp = async (): Promise<{ daemon: Daemon; received: (count: number) => Promise<unknown> }> => {
  const sink = await startSmtpSink();
  endings.push(sink.stop);
  const daemon = await startDaemon({ config: { upstreams: [relayAt(sink.port)] } });
  endings.push(daemon.remove);
  return { daemon, received: sink.received };
};

test.each([...soak([], [['one practice', 1] as const]), ['as many practices', UPLOADS] as const])(
  `${UPLOADS} uploads of 48 MiB at once, of %s`,
  async (_, practices) => {
    const { daemon, received } = await setUp();
    const targets: Target[] = [];
    for (let made = 0; made < practices; made += 1) targets.push(await openPractice(daemon));
    const [first] = targets;
    if (!first) throw new Error('no practice');
    const small = await openPractice(daemon);
    const body = largest('erika@example.org');
    expect(body.length).toBeGreaterThan(BODY_BYTES - 16);

    const uploads = Array.from({ length: UPLOADS }, (__, index) =>
      upload(targets[index % practices] ?? first, body),
    );
    // Somebody else's small mail is not kept waiting until all of them are through.
    const letter = { to: 'otto@example.org', subject: 'Termin', text: 'Am Montag um 9 Uhr.' };
    await upload(small, Buffer.from(JSON.stringify(letter)));
    await Promise.all(uploads);
    await received(UPLOADS + 1);
    await untilIdle(daemon, PATIENCE_MS);
    expect(peakMemory(daemon.pid)).toBeLessThan(BOUND_BYTES);
  },
  TEST_MS,
);
