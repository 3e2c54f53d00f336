// The peer: Postfix with its stock settings and its queue on the same disk, with or without opendkim, fed by
// smtp-source. It answers once a message is synced to its queue, which is the durability it is compared at.
import type { Side } from '#test/bench/harness.ts';
import { startSinkFor } from '#test/bench/reading-sink.ts';
import { timedRun } from '#test/bench/timed-run.ts';
import { startOpendkim } from '#test/support/opendkim.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';

const SENDER_DOMAIN = 'example.org';

export interface PostfixSideOptions {
  readonly name: string;
  readonly signed: boolean;
  readonly sessions: number;
  /** Of each message's body. */
  readonly bytes: number;
  readonly share?: number;
}

export const postfixSide = ({ name, signed, sessions, bytes, share = 1 }: PostfixSideOptions): Side => ({
  name: `${name}, ${sessions} sessions`,
  share,
  start: async () => {
    await using started = new AsyncDisposableStack();
    const sink = await startSinkFor(bytes);
    started.defer(sink.stop);
    const opendkim = signed ? await startOpendkim(SENDER_DOMAIN) : undefined;
    started.defer(async () => opendkim?.stop());
    const milter = opendkim === undefined ? {} : { milterSocket: opendkim.socket };
    const postfix = await startPostfix({ relayTo: sink.port, ...milter });
    started.defer(postfix.stop);
    const services = opendkim === undefined ? [postfix.pid] : [postfix.pid, opendkim.pid];
    const load = {
      port: postfix.smtpPort,
      sessions,
      bytes,
      from: `sender@${SENDER_DOMAIN}`,
      to: 'b@example.net',
    };
    const generate = async (messages: number) => {
      const start = performance.now();
      await runSmtpSource({ ...load, messages });
      return { start, end: performance.now() };
    };
    const owned = started.move();
    return {
      run: (messages) => timedRun(messages, { sink, services, generate: () => generate(messages) }),
      stop: () => owned.disposeAsync(),
    };
  },
});
