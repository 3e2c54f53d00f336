// Which copies of a mail received are tried and which are refused: a real file, no network.

import { beforeEach, describe, expect, test } from 'vitest';
import { automaticReplyStore } from '#src/inbound/automatic-reply/store.ts';
import { type ClaimedForward, claimDue, lookAtDue } from '#src/inbound/forwarding/claim.ts';
import { giveBack, settle } from '#src/inbound/forwarding/settle.ts';
import { forwardStore } from '#src/inbound/forwarding/store.ts';
import { targetStore } from '#src/inbound/forwarding/target-store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import { forgetMemory } from '#src/kernel/db/memory.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { SETTINGS } from '#test/support/facts.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb } from '#test/support/storage.ts';

const NOW = 1_764_000_000_000;
const YEAR = 365 * DAY;
const policy = { waits: [MINUTE], thenEvery: HOUR, jitter: 0.5, giveUpAfter: { 0: 2 * DAY, 1: DAY } };
const limits = {
  ...defaultLimits,
  forwards_per_hour: 2,
  forwards_per_day: 3,
  forwards_per_practice_per_day: 5,
  managed_host_mails: 1_000,
};

let db: TenantDb;
let mail: number;
beforeEach(async () => {
  ({ db } = await openTenantDb());
  mail = receiveMail(db).seq;
});

const confirmed = (address: string): string => {
  targetStore(db).insert(address, address, NOW);
  const row = targetStore(db).byKey(address);
  if (row) targetStore(db).update({ ...row, status: 'confirmed' });
  return address;
};
const copies = (count: number, target: string, at = NOW): void => {
  for (let made = 0; made < count; made += 1)
    forwardStore(db).insert(
      { message_seq: mail, kind: 'forward', recipient: 'info@in.praxis.example', target },
      at,
    );
};
const claimAll = (now = NOW, own: Partial<typeof limits> = {}): readonly ClaimedForward[] => {
  const taken: ClaimedForward[] = [];
  const claim = {
    isInFlight: (key: number | string) => taken.some((item) => item.key === key),
    room: () => 1,
    take: (item: ClaimedForward) => taken.push(item),
  };
  const deps = {
    limits: () => ({ ...limits, ...own }),
    suppressionKey: testTenantKey(0),
    safeMode: () => ({ simulatorDomain: 'simulator.test', config: SETTINGS }),
  };
  while (claimDue(db, claim, { kind: 'forward', policy, now }, deps).more);
  return taken;
};
const statuses = (): readonly string[] =>
  forwardStore(db)
    .ofMessage(mail)
    .map(({ status, attempts }) => (attempts > 0 ? 'tried' : status));

describe('the bounds', () => {
  test('of an address count what was not refused, in the hour and the day before a copy was made', () => {
    const target = confirmed('front@example.net');
    copies(4, target, NOW - 2 * HOUR);
    copies(4, target);
    expect(claimAll()).toHaveLength(3);
    expect(statuses()).toEqual([
      ...['tried', 'tried', 'failed', 'failed'],
      ...['tried', 'failed', 'failed', 'failed'],
    ]);
    expect(forwardStore(db).ofMessage(mail).at(-1)?.diagnostic).toContain('too many');
  });

  test('of a practice count all addresses, and are lower under its managed host', () => {
    for (const name of ['a', 'b', 'c', 'd']) copies(2, confirmed(`${name}@example.net`));
    const sent = (now: number, own: Partial<typeof limits> = {}): number => {
      const claimed = claimAll(now, own);
      for (const { row } of claimed) settle(db, row, { kind: 'sent', diagnostic: '250' }, policy, now);
      return claimed.length;
    };
    expect(sent(NOW, { managed_host_mails: 3 })).toBe(3);
    for (const name of ['a', 'b', 'c', 'd']) copies(2, `${name}@example.net`, NOW + 2 * DAY);
    expect(sent(NOW + 2 * DAY)).toBe(5);
    db.prepare("UPDATE practice SET custom_domain = 'praxis.example'").run();
    forgetMemory(db);
    for (const name of ['a', 'b', 'c', 'd']) copies(2, `${name}@example.net`, NOW + 4 * DAY);
    expect(sent(NOW + 4 * DAY, { managed_host_mails: 3 })).toBe(5);
  });

  test('are found by indexes that hold no refused copy', () => {
    const plans = plansOf(db, (file) => forwardStore(file)).filter(
      ({ sql }) => sql.includes('count(*)') && sql.includes('created_at'),
    );
    expect(plans.map(({ steps }) => steps.filter((step) => step.includes('inbound_forwards')))).toEqual([
      [
        'SEARCH inbound_forwards USING COVERING INDEX inbound_forwards_rate (target=? AND created_at>? AND created_at<?)',
      ],
      ['SEARCH inbound_forwards USING COVERING INDEX inbound_forwards_age (created_at>? AND created_at<?)'],
    ]);
    const reads = plansOf(db, (file) => forwardStore(file))
      // Holding what a restored file had due is done once, so it may read all.
      .filter(({ sql }) => !sql.includes('SET next_attempt_at = NULL'))
      .flatMap(({ steps }) => steps);
    expect(reads.filter((step) => /SCAN inbound_forwards(?! USING)|TEMP B-TREE/.test(step))).toEqual([]);
  });
});

describe('a clock that was set back', () => {
  test('keeps no copy waiting longer than the longest wait', () => {
    copies(1, confirmed('late@example.net'), NOW + YEAR);
    copies(1, confirmed('soon@example.net'), NOW + HOUR);
    expect(claimAll().map(({ target }) => target)).toEqual(['late@example.net']);
  });

  test('does not count what was before it', () => {
    const target = confirmed('front@example.net');
    copies(2, target, NOW + YEAR);
    copies(1, target);
    expect(claimAll()).toHaveLength(3);

    const replies = automaticReplyStore(db);
    replies.add(Buffer.from('a'), NOW + YEAR);
    replies.add(Buffer.from('b'), NOW - HOUR);
    expect(replies.countBetween(NOW - DAY, NOW)).toBe(1);
    replies.removeBeyond(NOW - DAY, NOW);
    expect(replies.add(Buffer.from('a'), NOW)).toBe(true);
    expect(replies.add(Buffer.from('b'), NOW)).toBe(false);
  });
});

test('what has no room holds nothing up that is behind it', () => {
  copies(100, confirmed('full@example.net'));
  copies(1, confirmed('free@example.net'));
  const claim = {
    isInFlight: () => false,
    room: (target: string) => (target === 'full@example.net' ? 0 : 1),
  };
  const { rows } = lookAtDue(db, claim, { kind: 'forward', policy, now: NOW });
  expect(rows.map(({ target }) => target)).toEqual(['free@example.net']);
});

test('a copy goes with its mail, also while it is tried', () => {
  copies(2, confirmed('front@example.net'));
  const claimed = claimAll().map(({ row }) => row);
  expect(claimed).toHaveLength(2);
  inboundStore(db).remove([mail]);
  expect(statuses()).toEqual([]);
  for (const row of claimed)
    expect(settle(db, row, { kind: 'gone', diagnostic: '550' }, policy, NOW)).toBe(false);
  giveBack(db, claimed, NOW);
  expect([forwardStore(db).hasPending(), claimAll(NOW + DAY)]).toEqual([false, []]);
  expect(targetStore(db).byKey('front@example.net')?.status).toBe('confirmed');
});
