// What the daemon of a configuration says of its own health, asked over its HTTP listener from this machine.
import type { Config } from '#src/kernel/config/config.ts';
import { formatListen, type ListenAddress } from '#src/kernel/config/values.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { DaemonFacts, ReplicaFacts } from '#src/operations/doctor/host-rules.ts';

export interface DaemonHealth extends DaemonFacts {
  /** Null where it was not told: without an admin token it is not. */
  readonly replica: ReplicaFacts | null;
}

const ANSWER_MS = 15 * SECOND;
/** States of parts that are well. */
const WELL = new Set(['ok', 'off', 'closed']);

/** Where a listener is reached from this machine. */
export const fromHere = ({ host, port }: ListenAddress): ListenAddress => ({
  host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host,
  port,
});

const statesIn = (part: unknown): string[] => {
  if (Array.isArray(part)) return part.flatMap(statesIn);
  const state = (part as { readonly state?: unknown } | null)?.state;
  return typeof state === 'string' ? [state] : [];
};

/** `health`: as `GET /api/admin/health` gives it, or `/healthz`. */
export const daemonHealthOf = (health: Readonly<Record<string, unknown>>): DaemonHealth => {
  const { status, version: _, uptime_seconds: __, replica, ...parts } = health;
  const told = replica as { state: ReplicaFacts['state']; behind: number; lag_seconds: number } | undefined;
  return {
    status: String(status),
    unwell: Object.entries({ ...parts, replica }).flatMap(([name, part]) =>
      statesIn(part).every((state) => WELL.has(state)) ? [] : [name],
    ),
    replica:
      told === undefined ? null : { state: told.state, behind: told.behind, lagSeconds: told.lag_seconds },
  };
};

/** Rejects where it does not answer, or not as ours does. */
export const askDaemon = async ({ http, admin }: Config, signal: AbortSignal): Promise<DaemonHealth> => {
  const origin = `http://${formatListen(fromHere(http.listen))}`;
  const path = admin.token === null ? '/healthz' : '/api/admin/health';
  const response = await fetch(origin + path, {
    redirect: 'manual',
    headers: admin.token === null ? {} : { 'X-Admin-Token': admin.token.reveal() },
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  });
  const health = (await response.json()) as Record<string, unknown>;
  if (typeof health.status !== 'string') throw new Error(`${origin}${path} answered ${response.status}`);
  return daemonHealthOf(health);
};
