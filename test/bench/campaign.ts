// The case `campaign`: a campaign beside a mailing by one request, and, where its mails carry two images, beside single sends of the
// same mails; to the same people, with the same values, in turn in one daemon. The list is there before. Statements are counted in a
// daemon of their own, which counting slows down.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { type Meter, startMeter } from '#test/bench/budget-meter.ts';
import { LEGAL, PATIENCE_MS, PER_REQUEST, TEMPLATE } from '#test/bench/bulk.ts';
import { upstreamAt } from '#test/bench/daemon-side.ts';
import {
  type CaseOptions,
  type Column,
  type Figures,
  figuresTable,
  medianOf,
  ratioLine,
} from '#test/bench/harness.ts';
import { STRAY_MS } from '#test/bench/timed-run.ts';
import { cpuSeconds, until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { seedList } from '#test/support/subscribers.ts';

/** The one with the highest monthly cap, 100,000. */
const PLAN = 'gruppe';
/** Prepared statements, connections, and the slow start of the first campaign. */
const WARM_UP = 500;
const names = ['bulk', 'campaign', 'single sends with two images', 'campaign with two images'] as const;
type Name = (typeof names)[number];
const [, , SINGLE, WITH_IMAGES] = names;
const [counted, further] = [names.slice(0, 2), names.slice(2)];
/** Connections of the single sends. */
const CLIENTS = 32;

/** A picture of noise, which no encoder makes smaller: some 15 KB. */
const PICTURE = { width: 70, height: 70, channels: 3 } as const;
const makePicture = async (number: number) => {
  const octets = randomBytes(PICTURE.width * PICTURE.height * PICTURE.channels);
  const png = await sharp(octets, { raw: PICTURE }).png().toBuffer();
  return { name: `picture-${number}.png`, content: png.toString('base64') };
};
const withPictures = (addresses: readonly string[]): string =>
  TEMPLATE.html + addresses.map((address) => `<p><img src="${address}" alt="Unser Garten"></p>`).join('');
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '');

interface Scene extends Pick<Meter, 'measure'> {
  readonly practiceId: string;
  /** To that many people; resolves once all is relayed, and the campaign is done. */
  readonly run: (name: Name, messages: number) => Promise<Figures>;
}

const startScene = async (started: AsyncDisposableStack, counting: boolean): Promise<Scene> => {
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const { daemon, settled, measure, stop } = await startMeter(upstreamAt(sink.port), counting);
  started.defer(stop);
  const { id: practiceId } = await daemon.createPractice({ plan: PLAN });
  const token = await daemon.createToken(practiceId);
  const call = async <Body>(verb: string, place: string, body?: unknown, by = token): Promise<Body> => {
    const answer = await daemon.request<Body>(verb, `/api/practices/${practiceId}${place}`, body, by);
    if (answer.status < 300) return answer.body;
    throw new Error(`refused: ${JSON.stringify(answer.body).slice(0, 1_000)}`);
  };
  await call('PATCH', '/compliance', LEGAL, daemon.adminToken);

  const people = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      address: `${index}@example.net`,
      name: `Erika Muster ${index}`,
      data: { date: `${1 + (index % 28)}. Oktober` },
    }));
  const pictures = await Promise.all([0, 1].map(makePicture));
  const stored = async (): Promise<string> => {
    const answers = pictures.map(({ name, content }) =>
      call<{ url: string }>('POST', '/images', { name, content }),
    );
    return withPictures((await Promise.all(answers)).map(({ url }) => url));
  };
  const lists = new Map<number, string>();
  const listOf = (count: number): string => {
    const home = path.dirname(daemon.dataDir);
    const id = lists.get(count) ?? seedList(home, practiceId, people(count), { name: `${count} people` }).id;
    lists.set(count, id);
    return id;
  };
  const prepareCampaign = async (count: number, changes: Readonly<Record<string, unknown>>) => {
    const content = { ...TEMPLATE, ...changes };
    const asked = { ...content, name: 'News', list_ids: [listOf(count)], message_kind: 'newsletter' };
    const { id } = await call<{ id: string }>('POST', '/campaigns', asked);
    const status = async () => (await call<{ status: string }>('GET', `/campaigns/${id}`)).status;
    return async () => {
      await call('POST', `/campaigns/${id}/send`, {});
      return () => until('the campaign is sent', async () => (await status()) === 'sent', PATIENCE_MS);
    };
  };
  /** Prepares it; resolves with what sends it, which resolves with what waits for its end. */
  const prepare: Readonly<Record<Name, (count: number) => Promise<() => Promise<() => Promise<void>>>>> = {
    bulk: async (count) => {
      const recipients = people(count).map(({ address, name, data }) => ({
        email: address,
        data: { ...data, name },
      }));
      return async () => {
        for (let first = 0; first < count; first += PER_REQUEST) {
          const some = recipients.slice(first, first + PER_REQUEST);
          await call('POST', '/send/bulk', {
            template: TEMPLATE,
            recipients: some,
            message_kind: 'newsletter',
          });
        }
        return async () => undefined;
      };
    },
    campaign: (count) => prepareCampaign(count, {}),
    [SINGLE]: async (count) => {
      const html = withPictures(pictures.map(({ name }) => `cid:${name}`));
      const attachments = pictures.map(({ name, content }) => ({
        ...{ filename: name, content, content_type: 'image/png', content_id: name },
      }));
      const waiting = people(count);
      const sendNext = async (): Promise<void> => {
        for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
          const fill = (text: string) => filled(text, { ...one.data, name: one.name });
          const texts = { subject: fill(TEMPLATE.subject), text: fill(TEMPLATE.text), html: fill(html) };
          await call('POST', '/send', { to: one.address, ...texts, attachments });
        }
      };
      return async () => {
        await Promise.all(Array.from({ length: CLIENTS }, sendNext));
        return async () => undefined;
      };
    },
    [WITH_IMAGES]: async (count) => prepareCampaign(count, { html: await stored(), images: 'inline' }),
  };
  return {
    measure,
    practiceId,
    run: async (name, count) => {
      const send = await prepare[name](count);
      const wanted = (await sink.count()) + count;
      const cpu = cpuSeconds(daemon.pid);
      const start = performance.now();
      const end = await send();
      await sink.received(wanted, PATIENCE_MS);
      const seconds = (performance.now() - start) / 1_000;
      await settled(practiceId);
      await pause(STRAY_MS);
      const serviceMicros = ((cpuSeconds(daemon.pid) - cpu) / count) * 1e6;
      await end();
      const received = await sink.count();
      if (received !== wanted) throw new Error(`the sink got ${received} messages, not ${wanted}`);
      return { relayedPerSecond: count / seconds, serviceMicros };
    },
  };
};

export async function benchCampaign({ runs, messages, print }: CaseOptions): Promise<void> {
  const of = (some: readonly Name[]) => some.map((name) => ({ name, figures: [] as Figures[] }));
  const [plain, pictured] = [of(counted), of(further)];
  const results = [...plain, ...pictured];
  {
    await using started = new AsyncDisposableStack();
    const { run } = await startScene(started, false);
    for (const { name } of results) await run(name, Math.min(WARM_UP, messages));
    for (let round = 1; round <= runs; round++)
      for (const { name, figures } of round % 2 === 1 ? results : results.toReversed()) {
        figures.push(await run(name, messages));
        console.error(`run ${round}/${runs}  ${name}: ${JSON.stringify(figures.at(-1))}`);
      }
  }
  await using started = new AsyncDisposableStack();
  const { run, measure, practiceId } = await startScene(started, true);
  for (const { name } of plain) await run(name, Math.min(WARM_UP, messages));
  for (const { name, figures } of plain) {
    const { spending } = await measure(practiceId, messages, () => run(name, messages));
    figures.push({ statements: spending.statements, walFrames: spending.walFrames });
  }
  const ratio = ([theirs, ours]: typeof plain) =>
    medianOf(ours, 'relayedPerSecond') / medianOf(theirs, 'relayedPerSecond');
  print(
    [
      ...[figuresTable(COLUMNS, results), ''],
      ...ratioLine('rate, campaign / bulk', ratio(plain), '≥ 0.8'),
      ...ratioLine('rate with two images, campaign / single sends', ratio(pictured), '≥ 1.5'),
    ].join('\n'),
  );
  print(LEGEND);
}

const COLUMNS: readonly Column[] = [
  { head: 'relayed/s', figure: 'relayedPerSecond', range: true },
  { head: 'service CPU µs', figure: 'serviceMicros', range: true },
  { head: 'statements a mail', figure: 'statements', digits: 1 },
  { head: 'WAL frames a mail', figure: 'walFrames', digits: 2 },
];

const LEGEND = `Medians (least–greatest), from the request that begins it to the last mail at the sink; one daemon, in turn, the same people, content and
values. The campaign's rate has its slow start in it. Statements and frames are those of one round in another daemon, to the campaign's status \`sent\`.`;
