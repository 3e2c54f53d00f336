// Mail that comes for a tenant which has moved to another host goes on to the listener there, with the sender that it came with. It is
// taken here only once it has been taken there, so nothing of it is ever stored on this host.
import { CUT_OFF_MS } from '#src/kernel/base.ts';
import type { Log } from '#src/kernel/log.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { SECOND } from '#src/kernel/time.ts';
import { createSmtpUpstream } from './smtp/upstream.ts';
import type { Envelope, Transcript, Upstream } from './upstream.ts';

/** Connections to one new host. */
const AT_ONCE = 4;
/** The client that hands in a mail waits, and gives up after minutes. */
const TIMEOUTS = {
  connect: 20 * SECOND,
  setup: 30 * SECOND,
  command: 60 * SECOND,
  data: 60 * SECOND,
  stop: CUT_OFF_MS,
};

export type HandOn = (to: NewHost['mail'], envelope: Envelope, content: Buffer) => Promise<Transcript>;

export const createHandOn = (ehloName: string, log: Log) => {
  const hosts = new Map<string, Upstream>();
  const hostOf = ({ host, port }: NewHost['mail']): Upstream => {
    const key = `${host}:${port}`;
    const upstream =
      hosts.get(key) ??
      createSmtpUpstream(
        {
          name: `moved to ${key}`,
          ...{ host, port, ehloName },
          // TLS is used as between any two hosts of which one receives for the world.
          tls: 'opportunistic',
          pool: AT_ONCE,
          deliveredOn: 'accept',
          timeouts: TIMEOUTS,
        },
        log,
      );
    hosts.set(key, upstream);
    return upstream;
  };
  const handOn: HandOn = (to, envelope, content) =>
    hostOf(to).transmit(envelope, content, { tenantId: '', messageId: '' });
  return {
    handOn,
    stop: async (): Promise<void> => {
      await Promise.all(Array.from(hosts.values(), (upstream) => upstream.stop()));
    },
  };
};
