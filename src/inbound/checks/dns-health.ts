// Whether the resolver answers at all. Mail whose author cannot be checked is asked to come again, so a dead resolver ends all
// reception, and each single mail looks as if its own domain failed. After some failures in a row the resolver is asked for the
// root's name servers, which it can tell whatever else fails: so no stranger's domain makes it look dead. While it is, it is
// asked again by itself.
import type { DnsLookup, Lookup } from '#src/kernel/dns-lookup.ts';
import type { ResolvedLookup } from '#src/kernel/dns-resolver.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, SECOND } from '#src/kernel/time.ts';

export interface DnsHealth {
  readonly state: 'ok' | 'failing';
  /** ms since the epoch; null while it works. */
  readonly since: number | null;
}

export interface DnsHealthOptions {
  readonly lookup: ResolvedLookup & Pick<DnsLookup, 'ns'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** ms between two questions while it fails. */
  readonly againMs?: number | undefined;
}

/** A mail of a single broken domain asks some questions that fail. */
const SUSPICIOUS = 5;
const AGAIN_MS = 10 * SECOND;
const ROOT = '.';

export const watchDns = ({ lookup, clock, log, stopping, againMs = AGAIN_MS }: DnsHealthOptions) => {
  let failures = 0;
  let since: number | null = null;
  /** The DNS is being asked, or will be. */
  let isAsking = false;
  let timer: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', () => clearTimeout(timer), { once: true });

  const works = (): void => {
    failures = 0;
    if (since === null) return;
    since = null;
    log.warn('the resolver answers again: mail that comes in is checked and taken');
  };

  const ask = async (): Promise<void> => {
    isAsking = true;
    const answer = await lookup.ns(ROOT);
    if (stopping.aborted) return;
    if (answer.kind !== 'failed') {
      isAsking = false;
      works();
      return;
    }
    // Other questions were answered meanwhile: some resolvers refuse this one alone.
    if (failures < SUSPICIOUS) {
      isAsking = false;
      return;
    }
    if (since === null) {
      since = clock.now();
      log.warn(
        { reason: answer.reason },
        'the resolver does not answer: mail whose author has to be checked is asked to come later (dns.resolvers)',
      );
    }
    timer = setTimeout(() => void ask(), againMs);
    timer.unref();
  };

  const watched =
    <T>(look: (name: string) => Promise<Lookup<T>>) =>
    async (name: string): Promise<Lookup<T>> => {
      const answer = await look(name);
      if (stopping.aborted) return answer;
      if (answer.kind !== 'failed') works();
      else {
        failures += 1;
        if (failures >= SUSPICIOUS && !isAsking) void ask();
      }
      return answer;
    };

  return {
    lookup: {
      txt: watched(lookup.txt),
      cname: watched(lookup.cname),
      mx: watched(lookup.mx),
      addresses: watched(lookup.addresses),
      reverse: watched(lookup.reverse),
    } satisfies ResolvedLookup,
    health: (): DnsHealth => ({ state: since === null ? 'ok' : 'failing', since }),
  };
};
