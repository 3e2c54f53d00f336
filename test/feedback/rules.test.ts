import { describe, expect, test } from 'vitest';
import type { EventType } from '#src/events/catalogue.ts';
import { consequenceOf, type RecipientFacts, type Report } from '#src/feedback/rules.ts';
import type { Action, RecipientStatus } from '#src/mail/dsn.ts';
import { parseReply } from '#src/mail/reply.ts';
import type { Signal, SignalEvent } from '#src/messages/rules.ts';

const recipientStatus = (
  action: Action,
  status: string | null,
  diagnostic: string | null = null,
  finalRecipient: string | null = 'erika@example.org',
): RecipientStatus => ({
  action,
  status,
  finalRecipient,
  originalRecipient: null,
  comment: null,
  remoteMta: null,
  diagnostic: diagnostic === null ? null : parseReply([diagnostic]),
});
const dsn = (...recipients: RecipientStatus[]): Report => ({
  kind: 'delivery_status',
  recipients,
  words: '',
});
const letter = (action: 'failed' | 'delayed', words: string): Report => ({
  kind: 'bounce',
  notice: { action, product: 'qmail', recipient: null, reason: words, isProven: true },
});
const feedback = (feedbackType: string): Report => ({
  kind: 'feedback',
  feedback: { feedbackType, originalMailFrom: null },
});
/** An event from a report; `message.sent` comes only from our own attempts. */
const eventFrom = (type: EventType): SignalEvent => ({ type, own: type === 'message.sent' });
const facts = (more: Partial<RecipientFacts> = {}): RecipientFacts => ({
  address: 'Erika@example.org',
  events: [eventFrom('message.created'), eventFrom('message.sent')],
  ...more,
});

const delivered = dsn(recipientStatus('delivered', '2.0.0'));
const delayed = dsn(recipientStatus('delayed', '4.4.1', '451 4.4.1 no answer'));
const unknownUser = dsn(recipientStatus('failed', '5.1.1', '550 5.1.1 User unknown'));
const full = dsn(recipientStatus('failed', '5.2.2', '552 5.2.2 Mailbox full'));

describe('what a report means', () => {
  const rows: readonly { name: string; report: Report; signal: Signal; rule?: string }[] = [
    { name: 'delivered', report: delivered, signal: 'delivered' },
    { name: 'no such mailbox', report: unknownUser, signal: 'hard_bounced', rule: 'unknown_address' },
    { name: 'mailbox full', report: full, signal: 'soft_bounced', rule: 'mailbox_full' },
    {
      name: 'given up after temporary refusals',
      report: dsn(recipientStatus('failed', '4.4.7', '451 4.1.1 unknown user, try again')),
      signal: 'soft_bounced',
      rule: 'expired',
    },
    {
      name: 'a status that says nothing, and words that do',
      report: dsn(recipientStatus('failed', '5.0.0', '550 5.1.1 User unknown')),
      signal: 'hard_bounced',
      rule: 'unknown_address',
    },
    {
      name: 'failed, and no word why',
      report: dsn(recipientStatus('failed', null)),
      signal: 'soft_bounced',
      rule: 'unknown',
    },
    {
      name: 'a status that Sendmail made of the reply code, and words that say why',
      report: dsn(recipientStatus('failed', '5.1.1', '550 Message rejected as spam')),
      signal: 'soft_bounced',
      rule: 'content',
    },
    {
      name: 'a status that Sendmail made of the reply code, and words that say nothing',
      report: dsn(recipientStatus('failed', '5.1.1', '550 No thanks')),
      signal: 'soft_bounced',
      rule: 'unknown',
    },
    {
      name: 'a code that two use for different things, by who gave it',
      report: dsn({
        ...recipientStatus('failed', '5.7.27', '550 5.7.27 This mail has been blocked.'),
        remoteMta: 'gmail-smtp-in.l.google.com',
      }),
      signal: 'soft_bounced',
      rule: 'auth_policy',
    },
    {
      name: 'a server’s letter: no such mailbox',
      report: letter('failed', '550 5.1.1 User unknown'),
      signal: 'hard_bounced',
      rule: 'unknown_address',
    },
    {
      name: 'a server’s letter: mailbox full',
      report: letter('failed', 'The mailbox is full'),
      signal: 'soft_bounced',
      rule: 'mailbox_full',
    },
    {
      name: 'a server’s letter: not yet delivered',
      report: letter('delayed', '550 5.1.1 User unknown'),
      signal: 'delayed',
    },
    { name: 'delayed', report: delayed, signal: 'delayed' },
    { name: 'reported as spam', report: feedback('abuse'), signal: 'spam_complaint' },
    { name: 'reported as fraud', report: feedback('fraud'), signal: 'spam_complaint' },
    { name: 'answered by a machine', report: { kind: 'auto_reply' }, signal: 'auto_replied' },
  ];
  test('what a relay has judged itself is taken as it says', () => {
    const found = { signal: 'soft_bounced', reply: parseReply(['552 5.2.2 Full']), rule: 'relay' } as const;
    expect(consequenceOf({ kind: 'relay_event', found }, facts())).toEqual(found);
  });

  test.each(rows)('$name: $signal', ({ report, signal, rule = null }) => {
    expect(consequenceOf(report, facts())).toMatchObject({ signal, rule });
  });

  test.each<{ name: string; report: Report }>([
    {
      name: 'relayed to a server that reports nothing more',
      report: dsn(recipientStatus('relayed', '2.0.0')),
    },
    { name: 'expanded into a list', report: dsn(recipientStatus('expanded', '2.0.0')) },
    { name: 'not spam after all', report: feedback('not-spam') },
    { name: 'a failed authentication', report: feedback('auth-failure') },
    { name: 'a wish to opt out', report: feedback('opt-out') },
    { name: 'something else', report: { kind: 'other' } },
  ])('nothing: $name', ({ report }) => {
    expect(consequenceOf(report, facts())).toBeNull();
  });
});

describe('the same report again', () => {
  test.each<{ name: string; report: Report; earlier: EventType }>([
    { name: 'delivered', report: delivered, earlier: 'message.delivered' },
    { name: 'hard', report: unknownUser, earlier: 'message.hard_bounced' },
    { name: 'soft', report: full, earlier: 'message.soft_bounced' },
    { name: 'complaint', report: feedback('abuse'), earlier: 'message.spam_complaint' },
    { name: 'automatic reply', report: { kind: 'auto_reply' }, earlier: 'message.auto_replied' },
    { name: 'delay', report: delayed, earlier: 'message.delivery_delayed' },
  ])('changes nothing: $name', ({ report, earlier }) => {
    expect(
      consequenceOf(report, facts({ events: [eventFrom('message.sent'), eventFrom(earlier)] })),
    ).toBeNull();
    expect(consequenceOf(report, facts({ events: [eventFrom(earlier)] }))).toBeNull();
  });
});

describe('of several recipients', () => {
  const group = (address: string | null) =>
    dsn(
      recipientStatus('delivered', '2.0.0', null, 'anna@example.org'),
      recipientStatus('failed', '5.1.1', '550 5.1.1 User unknown', address),
    );
  test('our recipient counts in any spelling', () => {
    expect(consequenceOf(group('erika@example.org'), facts())?.signal).toBe('hard_bounced');
  });
  test('our recipient counts also by the address it was sent to', () => {
    const forwarded = {
      ...recipientStatus('failed', '5.2.2', null, 'x@example.net'),
      originalRecipient: 'erika@example.org',
    };
    expect(
      consequenceOf(dsn(recipientStatus('delivered', null, null, 'y@example.net'), forwarded), facts())
        ?.signal,
    ).toBe('soft_bounced');
  });
  const mildestFirst: readonly (readonly [name: string, report: RecipientStatus])[] = [
    ['delivered', recipientStatus('delivered', '2.0.0', null, 'a@example.net')],
    ['no news', recipientStatus('expanded', '2.0.0', null, 'b@example.net')],
    ['delayed', recipientStatus('delayed', '4.4.1', '451 4.4.1 no answer', 'c@example.net')],
    ['soft', recipientStatus('failed', '5.2.2', '552 5.2.2 Mailbox full', 'd@example.net')],
    ['hard', recipientStatus('failed', '5.1.1', '550 5.1.1 User unknown', 'e@example.net')],
  ];
  const signals = ['delivered', undefined, 'delayed', 'soft_bounced', 'hard_bounced'];
  test.each(
    mildestFirst.slice(1).map(([harsher, second], index) => {
      const [milder, first] = mildestFirst[index] as (typeof mildestFirst)[number];
      return { milder, harsher, first, second, signal: signals[index] };
    }),
  )('behind our address $milder counts before $harsher, in any order', ({ first, second, signal }) => {
    expect(consequenceOf(dsn(first, second), facts())?.signal).toBe(signal);
    expect(consequenceOf(dsn(second, first), facts())?.signal).toBe(signal);
  });
  test('of two that are alike the first one gives the reason', () => {
    const [full, refused] = [
      recipientStatus('failed', '5.2.2', '552 5.2.2 Mailbox full', 'a@example.net'),
      recipientStatus('failed', '5.7.1', '550 5.7.1 Message rejected as spam', 'b@example.net'),
    ] as const;
    expect(consequenceOf(dsn(full, refused), facts())?.rule).toBe('mailbox_full');
    expect(consequenceOf(dsn(refused, full), facts())?.rule).toBe('content');
  });
  const MAX_JUDGED = 10;
  test(`of failures of others ${MAX_JUDGED} are judged, once for all addresses of ours`, () => {
    const judged: string[] = [];
    const others = Array.from({ length: 500 }, (_, index) => {
      const address = `${index}@example.net`;
      return {
        ...recipientStatus('failed', '5.1.1', null, address),
        get diagnostic() {
          if (judged.at(-1) !== address) judged.push(address);
          return null;
        },
      };
    });
    const report = dsn(...others);
    for (let index = 0; index < 100; index += 1)
      expect(consequenceOf(report, facts({ address: `our-${index}@example.org` }))?.signal).toBe(
        'hard_bounced',
      );
    expect(judged).toHaveLength(MAX_JUDGED);
  });
  test('one that was reached counts, behind any number of failures', () => {
    const failures = Array.from({ length: 20 }, (_, index) =>
      recipientStatus('failed', '5.1.1', null, `${index}@example.net`),
    );
    const reached = recipientStatus('delivered', '2.0.0', null, 'last@example.net');
    expect(consequenceOf(dsn(...failures, reached), facts())?.signal).toBe('delivered');
  });
  test('the first one counts if none is ours', () => {
    expect(consequenceOf(group('berta@example.org'), facts())?.signal).toBe('delivered');
  });
});
