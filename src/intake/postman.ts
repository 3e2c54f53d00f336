// Hands the notices of the outbox to the one way in, as mail of the system tenant, and then takes them out: a queue of the work
// engine, in which each notice is a target of its own. Its id is the idempotency key, so that nothing needs to be written
// before: after a crash in between it is handed in again, and sent once. A notice that fails is tried again after 1 s at first,
// a minute at most, until it has expired; meanwhile the others go on. An address that no mail can go to is given up at once.

import type { Outbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { type NoticeRow, noticeStore } from '#src/accounts/mails/store.ts';
import { mailOf } from '#src/accounts/mails/texts.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import { accept } from './accept.ts';
import { type Draft, draftWith } from './draft.ts';
import type { IntakeContext } from './intake-context.ts';

/** Handed in together: they share commits. */
const AT_ONCE = 50;
/** The engine knows tenants by name, and the outbox is one of all. */
const OUTBOX = 'outbox';

/** No answering machine is to answer: RFC 3834 §5, and the field that Exchange reads instead. */
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
  /** Begins nothing more; resolves when what is in flight has ended. */
  stop(): Promise<void>;
}

const draftOf = (notice: Exclude<Notice, { kind: 'nothing' }>, serviceName: string): Draft =>
  draftWith({
    to: [{ address: parseAddress(notice.to).address }],
    ...mailOf(notice, serviceName),
    // Not the default route, which the operator may have changed.
    route: 'outgoing',
    kind: 'transactional',
    tags: [notice.kind],
  });

/** Whatever is tried, no mail goes there. All other refusals are of a state that may change. */
const isOfTheAddress = (error: unknown): boolean =>
  error instanceof AddressError || (error instanceof AppError && error.code === 'invalid_recipient');

/** A notice's failure; null where it is done. */
type Failure = { readonly error: unknown } | null;

interface WaitingNotice extends WorkItem {
  readonly row: NoticeRow;
}

export const createPostman = (deps: PostmanDeps): Postman => {
  const { platform, outbox, intake, systemTenantId, log, serviceName } = deps;
  const { clock } = intake;

  const handIn = async (row: NoticeRow): Promise<void> => {
    const notice = outbox.open(row);
    const tenantId = systemTenantId();
    if (tenantId === null) throw new Error('there is no system tenant');
    if (notice.kind === 'nothing') return;
    try {
      await accept(intake, {
        source: 'system',
        ownHeaders: OWN_HEADERS,
        tenantId,
        projects: null,
        projectId: null,
        draft: draftOf(notice, serviceName),
        // The key is not made of its content: a caller that may ask whether two are alike could guess a code.
        idempotency: { key: row.id, request: row.id },
      });
    } catch (error) {
      if (!isOfTheAddress(error)) throw error;
      log.warn({ notice: row.id, kind: notice.kind }, 'a notice is dropped: no mail can go to its address');
    }
  };

  // A code to sign in with is valid for minutes: after a fault of the disk it must not wait for longer than that.
  const work = createWorkEngine({ clock, log, lastRetry: MINUTE });
  const queue = work.open<WaitingNotice, Failure>({
    name: 'notices',
    limits: {
      total: { running: AT_ONCE, claimed: AT_ONCE },
      tenant: { running: AT_ONCE, claimed: AT_ONCE },
      target: () => ({ running: 1, claimed: 1 }),
    },
    pausesFrom: 1,
    claimDue: async (_, { room, isInFlight, take }) => {
      if (systemTenantId() === null) return null;
      await platform.read((db) => {
        const isLeftOut = (id: string): boolean => isInFlight(id) || room(id) === 0;
        for (const row of noticeStore(db).waiting(AT_ONCE, isLeftOut))
          if (room(row.id) > 0) take({ key: row.id, target: row.id, bytes: row.sealed.length, row });
      });
      return null;
    },
    attempt: async (_, { row }) => {
      try {
        if (row.expires_at > clock.now()) await handIn(row);
        else log.warn({ notice: row.id }, 'a notice is dropped: it expired before it could be sent');
        return null;
      } catch (error) {
        return { error };
      }
    },
    resultOf: (failure) => ({ isSuccess: failure === null }),
    settle: async (_, { row }, failure, failures) => {
      if (failure === null) return platform.write((db) => noticeStore(db).remove(row.id));
      const { error } = failure;
      const facts = { notice: row.id, failures };
      if (error instanceof AppError)
        log.warn({ ...facts, code: error.code, reason: error.message }, 'a notice could not be sent');
      else log.error({ ...facts, err: error }, 'a notice could not be sent');
    },
    giveBack: async () => undefined,
  });
  work.start();

  return { wake: () => queue.wake(OUTBOX), stop: () => work.stop() };
};
