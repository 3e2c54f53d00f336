// What every room is opened with: the installation's files, clock, log and configuration, and keys for each purpose.

import type { KeyObject } from 'node:crypto';
import type { ByteBudget } from './byte-budget.ts';
import type { Config } from './config/config.ts';
import type { Storage } from './db/storage.ts';
import type { ExportTable } from './export-table.ts';
import type { HealthPart } from './health.ts';
import type { Held } from './held.ts';
import type { Job } from './job.ts';
import type { KeyFor, Keys } from './keys.ts';
import type { ReadKnownBy } from './known-by.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metric } from './metrics.ts';
import type { OldRows } from './old-rows.ts';
import type { Pace } from './pace.ts';
import type { PersonalData } from './personal-data.ts';
import type { Registers } from './registers.ts';
import type { Route } from './route.ts';
import type { SealedPlaces } from './sealed-place.ts';
import type { Clock } from './time.ts';

export interface Base {
  /** The configuration in force; a reload replaces it. */
  readonly config: () => Config;
  readonly limits: () => Limits;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly key: KeyFor;
  /** The lasting keys of tenants, and those that came with a tenant from another host. */
  readonly tenantKeys: Pick<Keys, 'ofTenant' | 'isOwn' | 'bring' | 'forget'>;
  /** Signs evidence of consent: see `evidenceKeyOf`. */
  readonly evidenceKey: KeyObject;
  /** Holds each message that practices send from its first byte until it is stored. */
  readonly messageBudget: ByteBudget;
  /** Mail to addresses below this host is answered by the simulator. */
  readonly simulatorDomain: string;
  /** The tenant that sends the service's own mail; null until the start has found or created it. */
  readonly systemTenantId: () => string | null;
  /** The daemon is stopping: no new work. */
  readonly draining: () => boolean;
}

/** Something to do for every tenant once a night. Ends early when the signal aborts; the rest is done the next night. */
export interface NightlyTask {
  /** The log names it so. */
  readonly what: string;
  /** `oldRows`: what all rooms hand in. */
  readonly run: (
    tenantId: string,
    signal: AbortSignal,
    pace: Pace,
    oldRows: readonly OldRows[],
  ) => Promise<void>;
}

/** What each room hands to the composition root, beside its own parts. */
export interface Room {
  readonly routes: readonly Route[];
  readonly jobs?: readonly Job[];
  readonly nightly?: readonly NightlyTask[];
  readonly personalData?: PersonalData;
  /** What of its tables is removed when it is old, in the order of removal. */
  readonly oldRows?: readonly OldRows[];
  /** Where its tables have sealed values. */
  readonly sealed?: SealedPlaces;
  /** What a restore has held of it. */
  readonly held?: Held;
  /** The tenant's file is another one than before: what is remembered of it is read again. */
  readonly reopened?: (tenantId: string) => Promise<void>;
  /** Makes the room's rows of a tenant in the registry again. */
  readonly registers?: Registers;
  /** Which of its rows in the registry a request for the tenant is known by. */
  readonly knownBy?: ReadKnownBy;
  /** Once a night, before the tenants: removes old data from the registry. */
  readonly nightlyRegistry?: (signal: AbortSignal, pace: Pace) => Promise<void>;
  /** Its parts, by their names in health. */
  readonly health?: Readonly<Record<string, HealthPart>>;
  readonly metrics?: readonly Metric[];
  /** Tables for spreadsheets and programs that evaluate them, by the names of the export. */
  readonly exports?: Readonly<Record<string, ExportTable>>;
}

/** What still runs after the drain is cut off; so long it has to notice and to be written down, ms. */
export const CUT_OFF_MS = 2_000;
