// Numbers go on a thousand million further after a restore: a list is read on from behind the gap, in as many calls as without one.
import { beforeEach, expect, test } from 'vitest';
import { auditSearchStore } from '#src/events/audit-store.ts';
import { type EventData, eventStore } from '#src/events/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { findActivity } from '#src/followers/activity/store.ts';
import { mailFindStore } from '#src/inbound/mailbox/find-store.ts';
import { GAP } from '#src/kernel/db/leave-gap.ts';
import { newId } from '#src/kernel/id.ts';
import { recordAt } from '#test/events/audit-fixture.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;

/** One row of each list. */
const fill = (number: number): void => {
  const { db } = tenant;
  receiveMail(db, { search_text: 'befund', received_at: number });
  recordAt(db, [number]);
  suppressionStore(db).insert({
    ...{ id: newId(), address_hash: Buffer.from(`hash of ${number}`), address: `r${number}@example.org` },
    ...{ scope: 'team', project_id: null, route_id: null, reason: 'manual', source_message_id: null },
    ...{ note: null, created_at: number },
  });
  eventStore(db).append({
    type: 'message.created',
    messageSeq: 1,
    recipientId: null,
    at: number,
    data: {} as EventData,
  });
};

beforeEach(async () => {
  tenant = await openTenantDb();
  fill(1);
  tenant.db.prepare('UPDATE sqlite_sequence SET seq = seq + ?').run(GAP);
  fill(2);
});

interface Page {
  readonly rows: readonly unknown[];
  readonly next: number | null;
}

/** Rows and calls until nothing is left. */
const walk = (page: (place: number | null) => Page): { rows: number; calls: number } => {
  const walked = { rows: 0, calls: 0 };
  for (let place: number | null = null; walked.calls === 0 || (place !== null && walked.calls < 10); ) {
    const { rows, next } = page(place);
    walked.rows += rows.length;
    walked.calls += 1;
    place = next;
  }
  return walked;
};

const suppressions = { scope: null, reason: null, text: null, projectId: null, routeId: null, within: null };
const events = { types: null, message: null, from: null, before: null, projects: null, withMail: true };
const mails = {
  ...{
    from: null,
    to: null,
    state: null,
    read: null,
    threadId: null,
    assignee: null,
    done: null,
    replyToSeq: null,
  },
  ...{ receivedFrom: null, receivedBefore: null },
};
const entries = { action: null, actorId: null, targetId: null, from: null, before: null };

test.each<[string, (place: number | null) => Page]>([
  [
    'the activity',
    (place) => findActivity(tenant.db, { ...events, types: ['message.created'] }, place, 50, 0),
  ],
  ['suppressions', (place) => suppressionStore(tenant.db).find(suppressions, place, 50)],
  [
    'suppressions for an export',
    (place) => suppressionStore(tenant.db).findAfter(suppressions, place ?? 0, 50),
  ],
  ['the audit', (place) => auditSearchStore(tenant.db).find(entries, place, 50)],
  [
    'a search in the mailbox',
    (place) => {
      const { rows, before } = mailFindStore(tenant.db).find({ ...mails, text: 'befund' }, place, 50, 0);
      return { rows, next: before };
    },
  ],
])('%s', (_, page) => {
  const { rows, calls } = walk(page);
  expect({ rows, isFew: calls <= 5 }).toEqual({ rows: 2, isFew: true });
});
