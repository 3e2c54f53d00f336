// An installation whose keys are watched: it answers for its own zones and asks itself, its clock is moved by hand, every
// token has a real key of its own, and every mail is verified as a receiver does at that moment.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { dkimKeySchema } from '#src/domains/keys/key-schema.ts';
import { type GenerateKeyPair, generateDkimKeyPair } from '#src/domains/keys/keys.ts';
import { HOUR } from '#src/kernel/time.ts';
import { type AppOptions, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import type { DnsZone } from '#test/support/dns-zone.ts';
import { freePort } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

export type Key = z.infer<typeof dkimKeySchema>;

export interface Verdict {
  readonly selector: string;
  readonly algorithm: string;
  readonly result: string;
}

export type ResolveTxt = (name: string, type: string) => Promise<unknown>;

export interface KeyScene {
  readonly app: TestApp;
  readonly clock: TestClock;
  readonly receiver: SmtpReceiver;
  /** Asks what the DNS holds at this moment. */
  readonly resolve: ResolveTxt;
  pass(milliseconds: number): void;
  /** Runs the job that is due by now. */
  lookAfterKeys(): Promise<void>;
  keys(sender: Sender): Promise<readonly Key[]>;
  /** The one of a token. */
  key(sender: Sender, position: number): Promise<Key>;
  rotate(sender: Sender, body?: object): Promise<{ status: number; body: Refusal }>;
  /** Sends, and resolves with what a receiver makes of the mail on its arrival. */
  sendAndVerify(sender: Sender, fields?: Readonly<Record<string, unknown>>): Promise<readonly Verdict[]>;
  verify(content: Buffer, resolve?: ResolveTxt): Promise<readonly Verdict[]>;
}

export const JOB = 'look after DKIM keys';

/** `now` is the time of the daemon: a signature must not come from the future. */
const verifyAt = async (content: Buffer, resolve: ResolveTxt, now: number): Promise<readonly Verdict[]> => {
  const { results } = await dkimVerify(content, {
    resolver: resolve as never,
    curTime: new Date(now),
  });
  return results.map(({ selector = '', algo = '', status }) => ({
    selector,
    algorithm: algo,
    result: status.result,
  }));
};

const made: Awaited<ReturnType<GenerateKeyPair>>[][] = [];

/** Real ones, none twice in a scene; the next scene gets the same, for making them takes longer than most tests. */
const distinctKeyPairs = (): GenerateKeyPair => {
  let given = 0;
  return async (algorithm) => {
    const place = given++;
    made[place] ??= [];
    const known = made[place].find(({ privateKey }) =>
      algorithm.startsWith(String(privateKey.asymmetricKeyType)),
    );
    if (known) return known;
    const pair = await generateDkimKeyPair(algorithm);
    made[place].push(pair);
    return pair;
  };
};

interface SceneOptions extends AppOptions {
  readonly clock?: TestClock;
}

/** Whatever is missing in `options` is as described above. `zone` stands for the public DNS. */
export const startKeyScene = async (options: SceneOptions = {}, zone?: DnsZone): Promise<KeyScene> => {
  const { clock = createTestClock() } = options;
  const receiver = options.receiver ?? (await createSmtpReceiver());
  onTestFinished(() => receiver.stop());
  const dns = `127.0.0.1:${await freePort()}`;
  const resolvers = [zone?.address ?? dns];
  const config: ConfigFile = { dns: { authoritative: { listen: dns }, resolvers }, ...options.config };
  const app = await startApp({
    generateKeyPair: distinctKeyPairs(),
    clock,
    ...options,
    receiver,
    config,
  });
  onTestFinished(() => app.remove());
  for (const suffix of ['mail.example.com', 'send.example.com']) zone?.delegate(suffix, app.dnsPort ?? 0);
  const resolver = new Resolver();
  resolver.setServers(resolvers);
  const resolve: ResolveTxt = async (name, type) => {
    const found = await resolver.resolve(name, type).catch((error) => error);
    if (Array.isArray(found) && found.length > 0) return found;
    // `zone` follows no alias.
    const [target] = await resolver.resolveCname(name).catch(() => []);
    if (target === undefined) throw found;
    return resolve(target, type);
  };

  const keys: KeyScene['keys'] = async ({ base, token }) => {
    const answer = await app.request<{ data: readonly Key[] }>('GET', `${base}/dkim-keys`, undefined, token);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data;
  };
  const verify: KeyScene['verify'] = (content, by = resolve) => verifyAt(content, by, clock.now());
  return {
    app,
    clock,
    receiver,
    resolve,
    pass: (milliseconds) => clock.set(clock.now() + milliseconds),
    lookAfterKeys: () => app.runJob(JOB),
    keys,
    key: async (sender, position) => {
      const found = (await keys(sender)).find((key) => key.position === position);
      if (found === undefined) throw new Error(`no key at position ${position}`);
      return found;
    },
    rotate: ({ base, token }, body = {}) =>
      app.request<Refusal>('POST', `${base}/dkim-keys/rotate`, body, token),
    sendAndVerify: async (sender, fields = {}) => {
      const id = await app.send(sender, fields);
      await app.untilStatus(sender, id, 'processed');
      const arrived = receiver.messages.find(({ content }) => content.includes(`<${id}@`));
      if (arrived === undefined) throw new Error(`${id} has not arrived`);
      return verify(arrived.content);
    },
    verify,
  };
};

/** A practice whose keys are settled, so that they can be rotated. */
export const settledSender = async ({ app, pass, lookAfterKeys }: KeyScene): Promise<Sender> => {
  const sender = await app.createSender();
  pass(HOUR);
  await lookAfterKeys();
  return sender;
};
