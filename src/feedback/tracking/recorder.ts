// Holds opens and clicks in memory for some seconds, then writes them, those of one tenant together: whoever loads a pixel
// or follows a link waits for no file, and a filter that opens all links of a mail is told from a person before anything
// is written of it. What is held is bounded: by what of one recipient would be kept at all, and in all; beyond that the
// newest are not kept, which the log says. A crash loses what is held, a stop writes it.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import type { HitKind } from './machines.ts';
import { type RecipientHit, recordHits } from './record-hits.ts';
import { BURST_MS, type Hit, isBurst, MAX_KEPT } from './rules.ts';

export interface RecorderDeps {
  readonly platform: Pick<DurableFile<PlatformDb>, 'peek'>;
  readonly files: Pick<TenantFiles, 'write'>;
  readonly log: Log;
  readonly applySignals: SignalDeps;
  /** How long each is held, ms; what tells a burst needs `BURST_MS`. */
  readonly holdMs?: number;
  /** How many are held. */
  readonly capacity?: number;
}

export interface Recorder {
  /** Returns at once, whatever becomes of it; never throws. */
  note(target: ReturnPathTarget, hit: Hit): void;
  /** Resolves when what is held is written, or has been given up after some seconds. Nothing is noted any more. */
  stop(): Promise<void>;
}

/** Some of the longest user agents and addresses make 25 MB; usual ones 4. */
const CAPACITY = 10_000;
const HOLD_MS = BURST_MS + SECOND / 2;
const TICK_MS = SECOND / 2;
/** Tenants written at once: each may take one of the places for open files from somebody who waits for an answer. */
const WRITERS = 4;
/** In one transaction, which the event loop waits for: each takes 90 µs of it. */
const BATCH = 50;
/** A file that cannot be written is tried again so often, and after such pauses. */
const TRIES = 4;
const RETRY_MS = 5 * SECOND;
const STOP_MS = 5 * SECOND;
/** Of the room for all: what is called on one practice's links, by whomever, leaves the others theirs. */
const SHARE = 0.5;
const FAILING_SHARE = 0.1;
const TELL_EVERY_MS = MINUTE;

/** Monotonic: a clock that is set must neither hold back nor hurry. */
const monotonic = (): number => performance.now();

interface Held {
  readonly recipientId: number;
  readonly hit: Hit;
  readonly since: number;
  isBurst: boolean;
}

/** What is held of one tenant. */
interface Tenant {
  readonly number: number;
  /** In the order they came. */
  readonly held: Held[];
  isWriting: boolean;
  failures: number;
  /** Not before that, after a failure. */
  notBefore: number;
}

/** What is held of one recipient, in the order it came. */
type OfRecipient = Record<HitKind, Held[]>;

const writtenAs = ({ recipientId, hit, isBurst }: Held): RecipientHit => ({
  ...hit,
  recipientId,
  machine: hit.machine ?? (isBurst ? 'many_links' : null),
});

export const createRecorder = (deps: RecorderDeps): Recorder => {
  const { platform, files, log, applySignals, holdMs = HOLD_MS, capacity = CAPACITY } = deps;
  const tenants = new Map<number, Tenant>();
  const recipients = new Map<string, OfRecipient>();
  const place = limitConcurrency(WRITERS);
  const writing = new Set<Promise<void>>();
  let size = 0;
  let lost = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
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

  /** Null: as much of that kind is held as would be kept. */
  const roomFor = ({ tenantNumber, recipientId }: ReturnPathTarget, kind: HitKind): Held[] | null => {
    const key = keyOf(tenantNumber, recipientId);
    const theirs = recipients.get(key) ?? { open: [], click: [] };
    if (theirs[kind].length >= MAX_KEPT) return null;
    recipients.set(key, theirs);
    return theirs[kind];
  };

  /** One of whom very much comes, or whose file cannot be written, does not take the others' room. */
  const isFull = (tenantNumber: number): boolean => {
    const tenant = tenants.get(tenantNumber);
    const share = tenant && tenant.failures > 0 ? FAILING_SHARE : SHARE;
    return size >= capacity || (tenant?.held.length ?? 0) >= capacity * share;
  };

  const markBurst = (clicks: readonly Held[], now: number): void => {
    const recent = clicks.filter(({ since }) => now - since <= BURST_MS);
    if (isBurst(recent.map(({ hit }) => hit))) for (const click of recent) click.isBurst = true;
  };

  const note = (target: ReturnPathTarget, hit: Hit): void => {
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

  /** The first of each list are the oldest. */
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
      if (row) await files.write(row.id, (db) => recordHits(db, batch.map(writtenAs), applySignals));
      tenant.failures = 0;
      forget(tenant, batch.length);
    } catch (error) {
      failed(tenant, error);
    }
  };

  /** One batch, then the others have their turn. */
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

  const tellLost = (): void => {
    if (lost === 0 || (state === 'open' && monotonic() - toldAt < TELL_EVERY_MS)) return;
    log.warn({ lost }, 'opens and clicks were not kept: more came than could be written');
    lost = 0;
    toldAt = monotonic();
  };

  const tick = (): void => {
    startAll();
    tellLost();
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
    tellLost();
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
