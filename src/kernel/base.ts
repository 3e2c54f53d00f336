// What every room is opened with: the installation's files, clock, log and configuration, and keys for each purpose.

import type { KeyObject } from 'node:crypto';
import type { ByteBudget } from './byte-budget.ts';
import type { Config } from './config/config.ts';
import type { Storage } from './db/storage.ts';
import type { Job } from './job.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Pace } from './pace.ts';
import type { Route } from './route.ts';
import { deriveKey } from './seal.ts';
import type { Clock } from './time.ts';

type KeyPurpose =
  | 'audience links'
  | 'captured mail'
  | 'consent ledger'
  | 'consent evidence'
  | 'csrf'
  | 'dkim keys'
  | 'erasures'
  | 'forwarding'
  | 'notices'
  | 'return paths'
  | 'service mail'
  | 'sign-in codes'
  | 'suppressions'
  | 'tracking links'
  | 'unsubscribe links'
  | 'webhooks'
  | 'alerts';

export interface Base {
  /** The configuration in force; a reload replaces it. */
  readonly config: () => Config;
  readonly limits: () => Limits;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** 32 bytes derived from the master key. The words of a purpose never change: sealed data depends on them. */
  readonly key: (purpose: KeyPurpose) => Buffer;
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

export const keysOf =
  (masterKey: Buffer): Base['key'] =>
  (purpose) =>
    deriveKey(masterKey, purpose);

/** Something to do for every tenant once a night. Ends early when the signal aborts; the rest is done the next night. */
export interface NightlyTask {
  /** For the log. */
  readonly what: string;
  readonly run: (tenantId: string, signal: AbortSignal, pace: Pace) => Promise<void>;
}

/** What each room hands to the composition root, beside its own parts. */
export interface Room {
  readonly routes: readonly Route[];
  readonly jobs?: readonly Job[];
  readonly nightly?: readonly NightlyTask[];
}

/** What outlives the drain is cut off; so long it has to notice and to be written down, ms. */
export const CUT_OFF_MS = 2_000;
