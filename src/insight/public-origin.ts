// Checks whether the service answers under its own public origin: it requests its own /healthz over the network. One
// request runs at a time, and its result is used for five minutes. A caller waits at most five seconds.
import { readShort } from '#src/kernel/outbound/read-short.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';

export interface OriginHealth {
  readonly reachable: boolean;
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Why it is not reachable; null if it is. */
  readonly error: string | null;
}

export interface OriginProbe {
  /** Never rejects. */
  check(): Promise<OriginHealth>;
  /** Ends the request in flight; no further one is made. */
  stop(): void;
}

const KEPT_MS = 5 * MINUTE;
const PATIENCE_MS = 5 * SECOND;
const MAX_ANSWER_BYTES = 64 * 1_024;

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain of its certificate is incomplete',
};

const codeOf = (error: unknown): string => {
  const { cause } = error instanceof Error ? error : {};
  const codes = [cause, error].map((thrown) =>
    thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '',
  );
  return codes.find((code) => /^[A-Z_]+$/.test(code)) ?? 'no reason known';
};

const inWords = (error: unknown): string => {
  if (error instanceof Error && error.name === 'TimeoutError') return `there was no answer in time`;
  if (error instanceof Error && error.name === 'AbortError') return 'the service is shutting down';
  const code = codeOf(error);
  return reasons[code] ?? `it could not be reached (${code})`;
};

/** Whether it has the form of this program's /healthz, which it also has during a shutdown. */
const isHealth = (text: string | null): boolean => {
  try {
    const { status, version } = JSON.parse(text ?? 'null');
    return typeof status === 'string' && typeof version === 'string';
  } catch {
    return false;
  }
};

/** Returns why the origin is not reachable; null if it is. */
const probe = async (origin: string, signal: AbortSignal): Promise<string | null> => {
  const response = await fetch(`${origin}/healthz`, { redirect: 'manual', signal });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    return `it redirects elsewhere (${response.status})`;
  }
  return isHealth(await readShort(response, MAX_ANSWER_BYTES))
    ? null
    : `something else answers there (${response.status})`;
};

export const createOriginProbe = (
  origin: string,
  clock: Clock,
  patienceMs: number = PATIENCE_MS,
): OriginProbe => {
  const stopped = new AbortController();
  let last: OriginHealth | null = null;
  let inFlight: Promise<OriginHealth> | null = null;

  const look = async (): Promise<OriginHealth> => {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(patienceMs)]);
    const error = await probe(origin, signal).catch(inWords);
    last = { reachable: error === null, checkedAt: clock.now(), error };
    return last;
  };

  return {
    check: async () => {
      const age = last === null ? Number.POSITIVE_INFINITY : clock.now() - last.checkedAt;
      // A clock that was set back must not keep an old answer for long.
      if (last !== null && age >= 0 && age < KEPT_MS) return last;
      inFlight ??= look().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
    stop: () => {
      stopped.abort();
    },
  };
};
