// The mail to the operator about the replica, and the names of the practices in it. It goes the way of all the service's mail, so it is
// itself in the replica only once that works again.
import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import type { Base } from '#src/kernel/base.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { answerDefault } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import { registryStore } from './registry-store.ts';

const EXPIRES_IN_MS = 3 * DAY;

interface Report {
  readonly state: Extract<NoticeContent, { kind: 'replica' }>['state'];
  readonly files: readonly string[];
  readonly count: number;
  readonly since: number | null;
}

/** Where `operator` has no address, only the log has it. Links lead to `origin`. */
export const createReplicaNotices = (
  { storage: { platform }, clock }: Pick<Base, 'storage' | 'clock'>,
  notices: Notices,
  origin: string,
  operator: () => string | null,
) => {
  const namesOf = (ids: readonly string[]): Promise<readonly string[]> =>
    platform.read((db) => ids.map((id) => registryStore(db).get(id)?.slug ?? id));
  return {
    namesOf,
    tell: async ({ state, files, count, since }: Report): Promise<void> => {
      const to = operator();
      if (to === null) return;
      const link = dashboardLink(origin, 'app/operator/health');
      const facts = { state, names: await namesOf(files), more: count - files.length, since, link };
      const now = clock.now();
      const notice = { kind: 'replica', ...facts, to, language: answerDefault } as const;
      await platform.write((db) =>
        notices.enqueue(db, { ...notice, expiresAfter: now + EXPIRES_IN_MS }, now),
      );
      notices.wake();
    },
  };
};
