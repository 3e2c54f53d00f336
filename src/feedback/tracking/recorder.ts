// Holds opens and clicks in memory for some seconds, then stores them in batches per tenant: so the answer waits for no
// file, and a filter that opens all links of a mail is recognised before anything is stored. The number held is bounded per
// recipient and in total; further ones are dropped, and the log reports it. A crash loses what is held, a stop stores it.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import type { HitKind } from './machines.ts';
import { type RecipientHit, recordHits } from './record-hits.ts';
import { BURST_MS, type Hit, isBurst, MAX_KEPT } from './rules.ts';

export interface RecorderDeps {
  readonly platform: Pick<DurableFile<PlatformDb>, 'peek'>;
  readonly files: Pick<TenantFiles, 'write'>;
  readonly log: Log;
  readonly signals: SignalDeps;
  /** How long each is held, ms; recognising a burst needs `BURST_MS`. */
  readonly holdMs?: number | undefined;
  /** How many are held. */
  readonly capacity?: number;
}

export interface Recorder {
  /** Returns at once. Throws TenantMoved and nothing else. */
  note(target: ReturnPathTarget, hit: Hit): void;
  /** Resolves when everything held is stored, or was given up after some seconds. Later hits are dropped. */
  stop(): Promise<void>;
}

/** This many hits take 4 MB with usual user agents and addresses, and 25 MB with the longest. */
const CAPACITY = 10_000;
const HOLD_MS = BURST_MS + SECOND / 2;
const TICK_MS = SECOND / 2;
/** Tenants stored at once: each may take one of the places for open files from a request. */
const WRITERS = 4;
/** Hits in one transaction, which blocks the event loop for 90 µs each. */
const BATCH = 50;
/** How often a file that cannot be written is tried, with `RETRY_MS` in between. */
const TRIES = 4;
const RETRY_MS = 5 * SECOND;
const STOP_MS = 5 * SECOND;
/** Share of the capacity for one tenant, so that requests to its links leave room for the others. */
const SHARE = 0.5;
const FAILING_SHARE = 0.1;
const REPORT_EVERY_MS = MINUTE;

/** Monotonic: setting the clock must neither delay nor hurry. */
const monotonic = (): number => performance.now();

interface Held {
  readonly recipientId: number;
  readonly hit: Hit;
  readonly since: number;
  isBurst: boolean;
}

/** Hits held for one tenant. */
interface Tenant {
  readonly number: number;
  /** The hits in the order in which they came. */
  readonly held: Held[];
  isWriting: boolean;
  failures: number;
  /** A failure sets it: nothing is tried before this time. */
  notBefore: number;
}

/** Hits held for one recipient, in the order in which they came. */
type OfRecipient = Record<HitKind, Held[]>;

const toRecipientHit = ({ recipientId, hit, isBurst }: Held): RecipientHit => ({
  ...hit,
  recipientId,
  machine: hit.machine ?? (isBurst ? 'many_links' : null),
});

export const createRecorder = (deps: RecorderDeps): Recorder => {
  const { platform, files, log, signals, holdMs = HOLD_MS, capacity = CAPACITY } = deps;
  const tenants = new Map<number, Tenant>();
  const recipients = new Map<string, OfRecipient>();
  const place = limitConcurrency(WRITERS);
  const writing = new Set<Promise<void>>();
  let size = 0;
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let state: 'open' | 'stopping' | 'stopped' = 'open';

  const tenantOf = (number: number): Tenant => {
    const present = tenants.get(number);
    if (present) return present;
    const tenant = { number, held: [], isWriting: false, failures: 0, notBefore: 0 };
    tenants.set(number, tenant);
    return tenant;
  };

  const keyOf = (tenantNumber: number, recipientId: number): string => `${tenantNumber} ${recipientId}`;

  /** Null where as many of that kind are held as would be stored. */
  const roomFor = ({ tenantNumber, recipientId }: ReturnPathTarget, kind: HitKind): Held[] | null => {
    const key = keyOf(tenantNumber, recipientId);
    const theirs = recipients.get(key) ?? { open: [], click: [] };
    if (theirs[kind].length >= MAX_KEPT) return null;
    recipients.set(key, theirs);
    return theirs[kind];
  };

  /** A tenant with very many hits, or whose file cannot be written, does not take the room of the others. */
  const isFull = (tenantNumber: number): boolean => {
    const tenant = tenants.get(tenantNumber);
    const share = tenant && tenant.failures > 0 ? FAILING_SHARE : SHARE;
    return size >= capacity || (tenant?.held.length ?? 0) >= capacity * share;
  };

  const markBurst = (clicks: readonly Held[], now: number): void => {
    const recent = clicks.filter(({ since }) => now - since <= BURST_MS);
    if (isBurst(recent.map(({ hit }) => hit))) for (const click of recent) click.isBurst = true;
  };

  /** A registry that cannot be read keeps no link from working. */
  const requireHere = (tenantNumber: number): void => {
    try {
      platform.peek((db) => registryStore(db).anyByNumber(tenantNumber));
    } catch (error) {
      if (error instanceof TenantMoved) throw error;
    }
  };

  const note = (target: ReturnPathTarget, hit: Hit): void => {
    requireHere(target.tenantNumber);
    if (state !== 'open' || isFull(target.tenantNumber)) {
      lost += 1;
      return;
    }
    const room = roomFor(target, hit.kind);
    if (room === null) return;
    const now = monotonic();
    const held = { recipientId: target.recipientId, hit, since: now, isBurst: false };
    room.push(held);
    if (hit.kind === 'click') markBurst(room, now);
    tenantOf(target.tenantNumber).held.push(held);
    size += 1;
    timer ??= setTimeout(tick, Math.max(holdMs, TICK_MS));
  };

  /** The oldest hits are at the beginning of each list. */
  const forget = (tenant: Tenant, count: number): void => {
    for (const { recipientId, hit } of tenant.held.splice(0, count)) {
      const key = keyOf(tenant.number, recipientId);
      const theirs = recipients.get(key);
      theirs?.[hit.kind].shift();
      if (theirs?.open.length === 0 && theirs.click.length === 0) recipients.delete(key);
    }
    size -= count;
    if (tenant.held.length === 0) tenants.delete(tenant.number);
  };

  const dueOf = ({ held, notBefore }: Tenant, now: number): readonly Held[] => {
    if (state === 'open' && now < notBefore) return [];
    const young = state === 'open' ? held.findIndex(({ since }) => now - since < holdMs) : -1;
    return held.slice(0, Math.min(BATCH, young === -1 ? held.length : young));
  };

  const failed = (tenant: Tenant, error: unknown): void => {
    tenant.failures += 1;
    tenant.notBefore = monotonic() + RETRY_MS;
    log.warn({ err: error, tenant_number: tenant.number }, 'opens and clicks could not be written');
    if (tenant.failures < TRIES && state === 'open') return;
    lost += tenant.held.length;
    forget(tenant, tenant.held.length);
  };

  const writeBatch = async (tenant: Tenant): Promise<void> => {
    const batch = dueOf(tenant, monotonic());
    if (batch.length === 0 || state === 'stopped') return;
    try {
      const row = platform.peek((db) => registryStore(db).anyByNumber(tenant.number));
      if (row) await files.write(row.id, (db) => recordHits(db, batch.map(toRecipientHit), signals));
      tenant.failures = 0;
      forget(tenant, batch.length);
    } catch (error) {
      failed(tenant, error);
    }
  };

  /** Stores one batch, then the other tenants get their turn. */
  const startWriting = (tenant: Tenant): void => {
    tenant.isWriting = true;
    const written = place(() => writeBatch(tenant)).finally(() => {
      tenant.isWriting = false;
      writing.delete(written);
      if (dueOf(tenant, monotonic()).length > 0 && state !== 'stopped') startWriting(tenant);
    });
    writing.add(written);
  };

  const startAll = (): void => {
    const now = monotonic();
    for (const tenant of tenants.values())
      if (!tenant.isWriting && dueOf(tenant, now).length > 0) startWriting(tenant);
  };

  const reportLost = (): void => {
    if (lost === 0 || (state === 'open' && monotonic() - reportedAt < REPORT_EVERY_MS)) return;
    log.warn({ lost }, 'opens and clicks were dropped: more came than could be stored');
    lost = 0;
    reportedAt = monotonic();
  };

  const tick = (): void => {
    startAll();
    reportLost();
    timer = size > 0 || lost > 0 ? setTimeout(tick, TICK_MS) : null;
  };

  const allWritten = async (): Promise<void> => {
    startAll();
    while (writing.size > 0) await Promise.all(writing);
  };

  const stopOnce = async (): Promise<void> => {
    state = 'stopping';
    if (timer) clearTimeout(timer);
    const written = new AbortController();
    await Promise.race([allWritten().finally(() => written.abort()), sleep(STOP_MS, written.signal)]);
    state = 'stopped';
    lost += size;
    reportLost();
  };

  let stopping: Promise<void> | null = null;
  return {
    note,
    stop: () => {
      stopping ??= stopOnce();
      return stopping;
    },
  };
};
