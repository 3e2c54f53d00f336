// What the budget is counted for: the ways into the service, each to the end of what follows.
import { type Measured, type Meter, type Spending, startMeter } from '#test/bench/budget-meter.ts';
import { generate } from '#test/bench/load.ts';
import type { Daemon } from '#test/support/daemon.ts';
import { outboundTo } from '#test/support/hooks.ts';
import { startHttpsReceiver } from '#test/support/https-receiver.ts';
import { cpuSeconds, freePort } from '#test/support/process.ts';
import { bounceOf, bring } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const MESSAGE_BYTES = 6_000;
const CLIENTS = 32;
const REPORTING = 8;
/** The one with the highest monthly cap. */
const PLAN = 'gruppe';
const LEGAL = {
  street: 'Am Markt 1',
  city: '20095 Hamburg',
  privacy_url: 'https://praxis.example/datenschutz',
};
/** Prepared statements, connections and the day's counters are there then. */
const WARM_UP = 8;
const ROUNDS = 2;
/** Where there is a limit. */
const MOST_ROUNDS = 8;
/** One hard bounce in twenty pauses the practice, which is another case. */
const SENT_FOR_A_BOUNCE = 21;
/** As many as the search index takes at once: so the share of its work is one message's. */
const MANY = 500;
const BATCH = 100;

const LINE = 'Your appointment on Monday at 10:30 is confirmed, please come in time.';
const TEXT = `${LINE}\n`.repeat(Math.ceil(MESSAGE_BYTES / (LINE.length + 1))).slice(0, MESSAGE_BYTES);
/** As SMTP brings it. */
const TEXT_LINES = `${TEXT.replaceAll('\n', '\r\n')}\r\n`;

interface Scene extends Meter {
  readonly receiver: SmtpReceiver;
  readonly inboundPort: number;
  readonly submissionPort: number;
  readonly practiceId: string;
  /** `/api/practices/<id>/send`. */
  readonly path: string;
  readonly token: string;
  readonly from: string;
  /** Takes the events of a webhook. */
  readonly followerUrl: string;
  /** Absent: the case is only measured. */
  readonly limit: Spending | undefined;
}

const isWithin = (limit: Spending, spending: Spending): boolean =>
  (Object.keys(limit) as (keyof Spending)[]).every((figure) => spending[figure] <= limit[figure]);

/**
 * Warmed up, then measured in rounds. What else runs on the machine only makes batches smaller, so the round with the
 * fewest writes is the least disturbed one; where there is a limit, a round within it is the last.
 */
const each = async (
  scene: Scene,
  messages: number,
  work: (count: number) => Promise<unknown>,
  most = scene.limit === undefined ? ROUNDS : MOST_ROUNDS,
): Promise<Measured> => {
  await work(WARM_UP);
  await scene.settled(scene.practiceId);
  const rounds: Measured[] = [];
  while (rounds.length < most) {
    const round = await scene.measure(scene.practiceId, messages, () => work(messages));
    if (scene.limit !== undefined && isWithin(scene.limit, round.spending)) return round;
    rounds.push(round);
  }
  return rounds.reduce((a, b) => (b.spending.writeCalls < a.spending.writeCalls ? b : a));
};

const post = async ({ daemon, token }: Scene, path: string, body: unknown): Promise<void> => {
  const answer = await daemon.request('POST', path, body, token);
  if (answer.status !== 202) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
};

const send = (scene: Scene, index: number): Promise<void> =>
  post(scene, scene.path, { to: `${index}@example.net`, subject: `Appointment ${index}`, text: TEXT });

const sendTogether = async (scene: Scene, messages: number, protocol: 'http' | 'smtp'): Promise<void> => {
  const { daemon, submissionPort, practiceId, token, from } = scene;
  const port = protocol === 'smtp' ? submissionPort : Number(new URL(daemon.origin).port);
  const load = { protocol, port, messages, connections: CLIENTS, bytes: MESSAGE_BYTES };
  await generate({ ...load, senders: [{ practiceId, token, from }] });
};

const sendAlone = async (scene: Scene, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await send(scene, index);
    await scene.settled(scene.practiceId);
  }
};

const sendBulk = (scene: Scene, count: number): Promise<void> =>
  post(scene, `${scene.path}/bulk`, {
    template: {
      subject: 'News for {{name}}',
      text: `Dear {{name}},\n\n${TEXT}`,
      html: `<p>Dear {{name}},</p><p>${TEXT}</p><p><a href="https://praxis.example/news?for={{name}}">More</a></p>`,
    },
    recipients: Array.from({ length: count }, (_, index) => ({
      email: `${index}@example.net`,
      data: { name: `Ada the ${index}th` },
    })),
  });

/** Hard bounces of mails that left before, each by a connection of its own, as they come. */
const bounce = async (scene: Scene, messages: number): Promise<Measured> => {
  const { receiver, inboundPort, path, practiceId } = scene;
  const first = receiver.messages.length;
  const reports = ROUNDS * messages + WARM_UP;
  for (let sent = 0; sent < reports * SENT_FOR_A_BOUNCE; sent += BATCH)
    await post(
      scene,
      `${path}/batch`,
      Array.from({ length: BATCH }, (_, index) => ({
        to: `${sent + index}@example.net`,
        subject: 'News',
        text: LINE,
      })),
    );
  await scene.settled(practiceId);
  const copies = receiver.messages.slice(first, first + reports);
  const bringSome = (count: number) => {
    const bringing = copies.splice(0, count);
    return Promise.all(
      Array.from({ length: REPORTING }, async () => {
        for (let copy = bringing.pop(); copy !== undefined; copy = bringing.pop()) {
          const reply = await bring(inboundPort, copy.mailFrom, bounceOf(copy.recipients[0]?.address ?? ''));
          if (!reply?.startsWith('250')) throw new Error(`refused: ${reply}`);
        }
      }),
    );
  };
  return each(scene, messages, bringSome, ROUNDS);
};

/** What follows of each send for a practice whose webhook gets one event of it. */
const sendFollowed = async (scene: Scene): Promise<Measured> => {
  const { daemon, token, followerUrl, practiceId } = scene;
  const hook = { name: 'Budget', url: followerUrl, events: ['message.sent'] };
  const { status } = await daemon.request('POST', `/api/practices/${practiceId}/webhooks`, hook, token);
  if (status !== 201) throw new Error(`no webhook: ${status}`);
  return each(scene, MANY, (count) => sendTogether(scene, count, 'http'));
};

/** Mail from the world into a mailbox. */
const receive = async (scene: Scene): Promise<Measured> => {
  const { daemon, practiceId, token, inboundPort: port, from } = scene;
  const { status } = await daemon.request('POST', `/api/practices/${practiceId}/inbound/enable`, {}, token);
  if (status !== 200) throw new Error(`receiving is not enabled: ${status}`);
  const to = `info@in.${from.split('@')[1]}`;
  return each(scene, MANY, async (messages) => {
    let left = messages;
    const client = async (): Promise<void> => {
      const talk = await talkTo(port);
      await talk.hello();
      while (left > 0) {
        left -= 1;
        const from = 'anna@patient.example';
        await talk.envelope(from, to);
        talk.write(`From: ${from}\r\nTo: ${to}\r\nSubject: Question ${left}\r\n\r\n${TEXT_LINES}.\r\n`);
        const said = await talk.reply();
        if (!said?.startsWith('250')) throw new Error(`refused: ${said}`);
      }
      talk.end();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  });
};

export type BudgetCase =
  | 'send'
  | 'send alone'
  | 'send with a webhook'
  | 'bulk recipient'
  | 'submission'
  | 'bounce'
  | 'inbound';

/**
 * `send` comes from 32 clients at once, as in the case of that name, because what a batch shares is shared only there;
 * `send alone` shares nothing, so that it costs the same each time to the last statement.
 */
const cases: Readonly<Record<BudgetCase, (scene: Scene) => Promise<Measured>>> = {
  send: (scene) => each(scene, MANY, (count) => sendTogether(scene, count, 'http')),
  'send alone': (scene) => each(scene, 20, (count) => sendAlone(scene, count)),
  'send with a webhook': sendFollowed,
  'bulk recipient': (scene) => each(scene, MANY, (count) => sendBulk(scene, count)),
  submission: (scene) => each(scene, MANY, (count) => sendTogether(scene, count, 'smtp')),
  bounce: (scene) => bounce(scene, 24),
  inbound: receive,
};

interface Installation {
  readonly daemon: Daemon;
  /** A new practice in it. */
  openScene(limit?: Spending): Promise<Scene>;
}

const start = async (started: AsyncDisposableStack, counting: boolean): Promise<Installation> => {
  const receiver = await createSmtpReceiver();
  started.defer(() => receiver.stop());
  const follower = await startHttpsReceiver({ plain: true, keep: false });
  started.defer(() => follower.stop());
  const [inboundPort, submissionPort] = [await freePort(), await freePort()];
  const meter = await startMeter(
    {
      upstreams: [{ name: 'relay', kind: 'smtp', host: receiver.host, port: receiver.port, tls: 'none' }],
      smtp: {
        inbound: { listen: `127.0.0.1:${inboundPort}` },
        submission: { listen: `127.0.0.1:${submissionPort}` },
      },
      security: outboundTo(follower),
      // What operators run with.
      log: { level: 'info' },
      // CPU is counted in RSA signatures, as that of `send`: one signature a message.
      dkim: { ed25519: counting },
    },
    counting,
  );
  started.defer(meter.stop);
  const { daemon } = meter;
  return {
    daemon,
    openScene: async (limit) => {
      const { id: practiceId, default_from: from } = await daemon.createPractice({ plan: PLAN });
      await daemon.request('PATCH', `/api/practices/${practiceId}/compliance`, LEGAL, daemon.adminToken);
      const token = await daemon.createToken(practiceId);
      const path = `/api/practices/${practiceId}/send`;
      const followerUrl = follower.url();
      const places = { inboundPort, submissionPort, followerUrl };
      return { ...meter, ...places, receiver, token, practiceId, from, path, limit };
    },
  };
};

/** Every case in a practice of its own, one after the other, until it is within its limits. */
export async function measureBudget(
  limits?: Readonly<Record<BudgetCase, Spending>>,
): Promise<ReadonlyMap<BudgetCase, Measured>> {
  await using started = new AsyncDisposableStack();
  const { openScene } = await start(started, true);
  const measured = new Map<BudgetCase, Measured>();
  for (const [name, measureCase] of Object.entries(cases) as [BudgetCase, (typeof cases)[BudgetCase]][])
    measured.set(name, await measureCase(await openScene(limits?.[name])));
  return measured;
}

/** CPU seconds of the service for a message sent from 32 clients, in a daemon that nobody counts in. */
export async function measureCpu(messages: number): Promise<number> {
  await using started = new AsyncDisposableStack();
  const { daemon, openScene } = await start(started, false);
  const scene = await openScene();
  const work = async (count: number): Promise<void> => {
    await sendTogether(scene, count, 'http');
    await scene.settled(scene.practiceId);
  };
  await work(messages);
  const before = cpuSeconds(daemon.pid);
  await work(messages);
  return (cpuSeconds(daemon.pid) - before) / messages;
}
