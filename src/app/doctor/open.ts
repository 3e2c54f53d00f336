// The daemon's own look at the installation: hourly, and as the operator asks. What the checks need is loaded when one begins.
import type { Base } from '#src/kernel/base.ts';
import type { LoadedConfig } from '#src/kernel/config/config.ts';
import type { HealthPart, HealthState } from '#src/kernel/health.ts';
import { SECOND } from '#src/kernel/time.ts';
import { skipped, tripNames } from '#src/operations/doctor/finding.ts';
import { doctorRoutes } from '#src/operations/doctor/routes.ts';
import type { Check } from '#src/operations/doctor/run.ts';
import { createDoctorWatch } from '#src/operations/doctor/watch.ts';
import type { DaemonHealth } from './daemon-facts.ts';
import type { TripParts } from './trips.ts';

export interface DoctorOverrides {
  /** Reads the configuration file again. */
  readonly load?: { readonly file: string; readonly read: () => LoadedConfig } | undefined;
  /** How long a message through a relay may take to come back, ms; a minute where absent. */
  readonly tripPatienceMs?: number | undefined;
}

interface DoctorParts extends TripParts, DoctorOverrides {
  readonly health: Readonly<Record<string, HealthPart>>;
}

/** An hourly look at the databases takes this much of the disk's time. */
const FILES_BUDGET_MS = 5 * SECOND;

const NOT_SENT = skipped('no message was sent: the operator’s page and sendwerk doctor --round-trip do it');
const notSent: readonly Check[] = tripNames.map((name) => ({ name, run: async () => NOT_SENT }));

const healthOf = (parts: Readonly<Record<string, HealthPart>>): DaemonHealth => {
  const states = Object.entries(parts).map(([name, part]): [string, HealthState] => [
    name,
    part.state?.(part.schema.parse(part.now())) ?? 'ok',
  ]);
  const worst = (['failing', 'degraded'] as const).find((state) => states.some(([, one]) => one === state));
  const replica = parts.replica?.now() as
    | { state: 'ok' | 'behind' | 'silent' | 'off'; behind: number; lag_seconds: number }
    | undefined;
  return {
    status: worst ?? 'ok',
    unwell: states.flatMap(([name, state]) => (state === 'ok' ? [] : [name])),
    replica: replica
      ? { state: replica.state, behind: replica.behind, lagSeconds: replica.lag_seconds }
      : null,
  };
};

export const openDoctor = (base: Base, { health, load, ...trips }: DoctorParts) => {
  const watch = createDoctorWatch(base, async (asked, signal) => {
    const { diagnose } = await import('./diagnose.ts');
    const { tripChecks } = await import('./trips.ts');
    return diagnose(base.config(), {
      ...(load === undefined ? {} : { load }),
      ownHealth: () => healthOf(health),
      trips: asked.trips ? tripChecks(base, trips) : notSent,
      filesBudget: FILES_BUDGET_MS,
      now: base.clock.now,
      signal,
    });
  });
  return { routes: doctorRoutes(watch), jobs: [watch.job], stop: watch.stop };
};
