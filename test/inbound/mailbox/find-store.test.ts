// @module-tag slow
import { beforeEach, expect, test } from 'vitest';
import { type MailFilter, mailFindStore } from '#src/inbound/mailbox/find-store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { foldFields } from '#src/kernel/typed-words.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb } from '#test/support/storage.ts';

const EVERYTHING: MailFilter = {
  text: null,
  from: null,
  to: null,
  state: null,
  read: null,
  threadId: null,
  assignee: null,
  done: null,
  replyToSeq: null,
  receivedFrom: null,
  receivedBefore: null,
};
const MAILS = 1_200;
const FIRST_AT = 1_764_000_000_000;

let db: TenantDb;
beforeEach(async () => {
  ({ db } = await openTenantDb());
  db.transaction(() => {
    for (let number = 1; number <= MAILS; number += 1) {
      const address = number % 3 === 0 ? 'ben@example.org' : 'anna@example.org';
      receiveMail(db, {
        from_json: JSON.stringify({ address }),
        state: number % 2 === 0 ? 'held' : 'inbox',
        received_at: FIRST_AT + number,
        search_text: foldFields([`Brief ${number}`, address]),
      });
    }
  })();
});

const numbers = (isWanted: (number: number) => boolean): number[] =>
  Array.from({ length: MAILS }, (_, index) => MAILS - index).filter(isWanted);

/** What call after call finds, until nothing is left; a call without patience looks at little. */
const find = (filter: Partial<MailFilter>, limit: number, patienceMs: number): number[] => {
  const found: number[] = [];
  for (let before: number | null = null; ; ) {
    const page = mailFindStore(db).find({ ...EVERYTHING, ...filter }, before, limit, patienceMs);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    found.push(...page.rows.map(({ seq }) => seq));
    if (page.before === null) return found;
    expect(page.before).toBeLessThan(before ?? Number.POSITIVE_INFINITY);
    before = page.before;
  }
};

test.each<[Partial<MailFilter>, (number: number) => boolean]>([
  [{}, () => true],
  [{ text: 'BRIEF 7' }, (number) => String(number).startsWith('7')],
  [{ from: 'ben@' }, (number) => number % 3 === 0],
  [{ state: 'held' }, (number) => number % 2 === 0],
  [{ state: 'held', from: 'ben@' }, (number) => number % 6 === 0],
  [{ state: 'held', text: 'brief 2' }, (number) => number % 2 === 0 && String(number).startsWith('2')],
  [{ state: 'inbox', text: 'brief' }, (number) => number % 2 === 1],
  [{ read: false, text: 'ben' }, (number) => number % 3 === 0],
  [
    { receivedFrom: FIRST_AT + 600, receivedBefore: FIRST_AT + 800 },
    (number) => number >= 600 && number < 800,
  ],
  [{ text: 'nobody' }, () => false],
])('%j is found whole in any number of calls', (filter, isWanted) => {
  for (const [limit, patienceMs] of [
    [50, 60_000],
    [50, 0],
    [1, 0],
  ] as const)
    expect(find(filter, limit, patienceMs)).toEqual(numbers(isWanted));
});

test('a page of long rows ends early', () => {
  const to_json = JSON.stringify(
    Array.from({ length: 500 }, () => ({ address: `${'a'.repeat(900)}@example.org` })),
  );
  for (let number = 0; number < 5; number += 1) receiveMail(db, { subject: 'lang', to_json });
  const { rows, before } = mailFindStore(db).find(EVERYTHING, null, 50, 60_000);
  expect([rows.length, before]).toEqual([3, MAILS + 3]);
});

test('gaps of removed mail are passed over', () => {
  inboundStore(db).remove(numbers((number) => number > 5 && number < 1_195));
  expect(find({ text: 'brief' }, 50, 0)).toEqual(numbers((number) => number <= 5 || number >= 1_195));
});

test('no statement reads more than a range, or sorts', () => {
  const ofOthers = new Set(plansOf(db, inboundStore).map(({ sql }) => sql));
  const steps = plansOf<TenantDb>(db, mailFindStore)
    .filter(({ sql }) => !ofOthers.has(sql))
    .flatMap((plan) => plan.steps);
  for (const index of ['thread', 'answered', 'state', 'unread'])
    expect(steps.some((step) => step.includes(`INDEX inbound_messages_${index} `))).toBe(true);
  expect(steps.filter((step) => /^SCAN |TEMP B-TREE/.test(step))).toEqual([]);
});
