// The peer: Postfix with its stock settings and its queue on the same disk, with or without opendkim, fed by
// smtp-source. It answers once a message is synced to its queue, which is the durability it is compared at.
import type { Side } from '#test/bench/harness.ts';
import { timedRun } from '#test/bench/timed-run.ts';
import { startOpendkim } from '#test/support/opendkim.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';

const SENDER_DOMAIN = 'example.org';

export interface PostfixSidesOptions {
  readonly name: string;
  readonly signed: boolean;
  /** One side each: which number suits best depends on the machine. */
  readonly sessions: readonly number[];
  /** Of each message's body. */
  readonly bytes: number;
}

/** Sides that share one instance and differ in the number of sessions. Stopping the first one stops it. */
export async function startPostfixSides(options: PostfixSidesOptions): Promise<Side[]> {
  await using started = new AsyncDisposableStack();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const opendkim = options.signed ? await startOpendkim(SENDER_DOMAIN) : undefined;
  started.defer(async () => opendkim?.stop());
  const milter = opendkim === undefined ? {} : { milterSocket: opendkim.socket };
  const postfix = await startPostfix({ relayTo: sink.port, ...milter });
  started.defer(postfix.stop);
  const services = opendkim === undefined ? [postfix.pid] : [postfix.pid, opendkim.pid];

  const load = {
    port: postfix.smtpPort,
    bytes: options.bytes,
    from: `sender@${SENDER_DOMAIN}`,
    to: 'b@example.net',
  };
  const generate = async (messages: number, sessions: number) => {
    const start = performance.now();
    await runSmtpSource({ ...load, messages, sessions });
    return { start, end: performance.now() };
  };
  const owned = started.move();
  return options.sessions.map((sessions, index) => ({
    name: `${options.name}, ${sessions} sessions`,
    run: (messages) => timedRun(messages, { sink, services, generate: () => generate(messages, sessions) }),
    stop: async () => {
      if (index === 0) await owned.disposeAsync();
    },
  }));
}
