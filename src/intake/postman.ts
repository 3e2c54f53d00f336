// Hands the notices of the outbox to the one way in, as mail of the system tenant, and then takes them out. The notice's
// id is the idempotency key: after a crash in between it is handed in again, and sent once. What fails is tried again by
// itself, after 1 s at first, a minute at most, until it has expired; meanwhile the others go on. An address that no
// mail can go to is given up at once.

import type { Outbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { type NoticeRow, noticeStore } from '#src/accounts/mails/store.ts';
import { mailOf } from '#src/accounts/mails/texts.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import { accept } from './accept.ts';
import type { Draft } from './draft.ts';
import type { IntakeContext } from './intake-context.ts';

/** Handed in together: they share commits. */
const PAGE = 50;
const FIRST_RETRY_MS = SECOND;
const LAST_RETRY_MS = MINUTE;

/** Nobody's answering machine is to answer: RFC 3834 §5, and what Exchange heeds in its place. */
const OWN_HEADERS: Draft['headers'] = [
  ['Auto-Submitted', 'auto-generated'],
  ['X-Auto-Response-Suppress', 'All'],
];

export interface PostmanDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly outbox: Outbox;
  readonly intake: IntakeContext;
  /** Null as long as there is none. */
  readonly systemTenantId: () => string | null;
  readonly log: Log;
  readonly serviceName: string;
}

export interface Postman {
  /** Something waits in the outbox, or may. */
  wake(): void;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

interface Delay {
  readonly failures: number;
  readonly dueAt: number;
}

const draftOf = (notice: Exclude<Notice, { kind: 'nothing' }>, serviceName: string): Draft => ({
  from: null,
  to: [{ address: parseAddress(notice.to).address }],
  cc: [],
  bcc: [],
  replyTo: [],
  ...mailOf(notice, serviceName),
  html: null,
  // Not the default one, which the operator may have made another.
  route: 'outgoing',
  kind: 'transactional',
  tags: [notice.kind],
  metadata: {},
  headers: [],
  attachments: [],
  settings: { track_opens: false, track_clicks: false },
  calendar: null,
  scheduledAt: null,
  shared: null,
});

/** Whatever is tried, no mail goes there. All other refusals are of a state that may change. */
const isOfTheAddress = (error: unknown): boolean =>
  error instanceof AddressError || (error instanceof AppError && error.code === 'invalid_recipient');

export const createPostman = (deps: PostmanDeps): Postman => {
  const { platform, outbox, intake, systemTenantId, log, serviceName } = deps;
  const { clock } = intake;
  /** What is not beyond this position has been tried at least once. */
  let position = 0;
  /** Notices that failed, by their id. */
  const delayed = new Map<string, Delay>();
  /** Of reading the outbox. */
  let unread: Delay | undefined;
  let running: Promise<void> | null = null;
  let woken = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const delayAfter = (earlier: Delay | undefined): Delay => {
    const failures = (earlier?.failures ?? 0) + 1;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
    return { failures, dueAt: clock.now() + wait };
  };

  const report = (error: unknown, facts: object, says: string): void => {
    if (error instanceof AppError) log.warn({ ...facts, code: error.code, reason: error.message }, says);
    else log.error({ ...facts, err: error }, says);
  };

  const handIn = async (tenantId: string, row: NoticeRow): Promise<void> => {
    const notice = outbox.open(row);
    if (notice.kind === 'nothing') return;
    try {
      await accept(intake, {
        source: 'system',
        ownHeaders: OWN_HEADERS,
        tenantId,
        projects: null,
        projectId: null,
        draft: draftOf(notice, serviceName),
        // Not by its content: who may ask whether two are alike could guess a code.
        idempotency: { key: row.id, request: row.id },
      });
    } catch (error) {
      if (!isOfTheAddress(error)) throw error;
      log.warn({ notice: row.id, kind: notice.kind }, 'a notice is dropped: no mail can go to its address');
    }
  };

  /** Never rejects. */
  const deliver = async (tenantId: string, row: NoticeRow): Promise<void> => {
    try {
      if (row.expires_at > clock.now()) await handIn(tenantId, row);
      else log.warn({ notice: row.id }, 'a notice is dropped: it expired before it could be sent');
      await platform.write((db) => noticeStore(db).remove(row.id));
      delayed.delete(row.id);
    } catch (error) {
      const delay = delayAfter(delayed.get(row.id));
      delayed.set(row.id, delay);
      report(error, { notice: row.id, failures: delay.failures }, 'a notice could not be sent');
    }
  };

  const deliverNew = async (tenantId: string): Promise<void> => {
    while (!stopped) {
      const rows = await platform.read((db) => noticeStore(db).after(position, PAGE));
      await Promise.all(rows.map((row) => deliver(tenantId, row)));
      position = rows.at(-1)?.seq ?? position;
      if (rows.length < PAGE) return;
    }
  };

  const deliverDelayed = async (tenantId: string): Promise<void> => {
    const now = clock.now();
    const due = [...delayed].flatMap(([id, { dueAt }]) => (dueAt <= now ? [id] : []));
    for (let start = 0; start < due.length && !stopped; start += PAGE) {
      const ids = due.slice(start, start + PAGE);
      const rows = await platform.read((db) => ids.map((id) => noticeStore(db).byId(id)));
      // A removal whose sync failed may have happened all the same.
      for (const [index, id] of ids.entries()) if (!rows[index]) delayed.delete(id);
      await Promise.all(rows.flatMap((row) => (row ? [deliver(tenantId, row)] : [])));
    }
  };

  /** Never rejects. */
  const run = async (): Promise<void> => {
    while (woken && !stopped) {
      woken = false;
      const tenantId = systemTenantId();
      if (tenantId === null) return;
      try {
        await deliverNew(tenantId);
        await deliverDelayed(tenantId);
        unread = undefined;
      } catch (error) {
        unread = delayAfter(unread);
        report(error, { failures: unread.failures }, 'the outbox could not be read');
      }
    }
  };

  const setTimer = (): void => {
    clearTimeout(timer);
    let next = unread?.dueAt ?? Number.POSITIVE_INFINITY;
    for (const { dueAt } of delayed.values()) next = Math.min(next, dueAt);
    if (stopped || next === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(wake, Math.max(next - clock.now(), 1));
  };

  const wake = (): void => {
    woken = true;
    if (stopped || running !== null) return;
    running = run().then(() => {
      running = null;
      if (woken && systemTenantId() !== null) wake();
      else setTimer();
    });
  };

  return {
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
