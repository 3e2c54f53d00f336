// Mails the operator what has changed about the database files: what changes within seconds is one mail, and the next one comes
// minutes later. The mail goes the way of all the service's mail, by the registry and the file of the service's own practice;
// where these are what fails, it waits in memory until they can be written, and the log has it all the same.
import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { Base } from '#src/kernel/base.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { type FileFault, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { answerDefault } from '#src/kernel/language.ts';
import { DAY, MINUTE, SECOND } from '#src/kernel/time.ts';
import { registryStore } from './registry-store.ts';

/** A disk that fails does so for many files at once. */
const GATHER_MS = 3 * SECOND;
/** The pause from one mail to the next, so that a fault that comes and goes fills no mailbox. */
const PAUSE_MS = 10 * MINUTE;
const RETRY_MS = 10 * SECOND;
const MAX_NAMED = 20;
const EXPIRES_IN_MS = 3 * DAY;

/** Where `operator` has no address, only the log has it. Links lead to `origin`. Returns the function that ends it. */
export const sendFaultNotices = (
  { storage, clock, log }: Pick<Base, 'storage' | 'clock' | 'log'>,
  notices: Notices,
  origin: string,
  operator: () => string | null,
) => {
  const { platform, states } = storage;
  /** What has changed since the last mail, with the fault that began or ended first. */
  const changed = new Map<string, FileFault>();
  let timer: NodeJS.Timeout | undefined;
  let notBefore = 0;

  const sendIn = (milliseconds: number): void => {
    timer ??= setTimeout(() => void send(), milliseconds).unref();
  };

  const send = async (): Promise<void> => {
    timer = undefined;
    const to = operator();
    const sent = [...changed];
    changed.clear();
    if (to === null || sent.length === 0) return;
    try {
      await platform.write((db) => {
        const faults = sent.slice(0, MAX_NAMED).map(([id, first]) => {
          const { state, since, reason } = states.of(id) ?? first;
          const name = registryStore(db).get(id)?.slug ?? id;
          // What can hold the mail is in order with it.
          const ended = id === PLATFORM_FILE || states.of(id) === undefined;
          return { name, state, since, reason, ended };
        });
        const now = clock.now();
        const more = sent.length - faults.length;
        const link = dashboardLink(origin, 'app/operator/health');
        const notice = { kind: 'storage_faults', faults, more, link, to, language: answerDefault } as const;
        notices.enqueue(db, { ...notice, expiresAfter: now + EXPIRES_IN_MS }, now);
      });
    } catch (error) {
      for (const [id, first] of sent) changed.set(id, first);
      log.warn({ err: error }, 'the mail to the operator about database files has to wait');
      return sendIn(RETRY_MS);
    }
    // Its own end, which came with the write.
    if (sent.some(([id]) => id === PLATFORM_FILE)) changed.delete(PLATFORM_FILE);
    notBefore = performance.now() + PAUSE_MS;
    notices.wake();
  };

  states.watch((id, fault, former) => {
    const first = changed.get(id) ?? fault ?? former;
    if (first) changed.set(id, first);
    sendIn(Math.max(GATHER_MS, notBefore - performance.now()));
  });
  return () => clearTimeout(timer);
};
