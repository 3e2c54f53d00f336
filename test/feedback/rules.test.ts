import { describe, expect, test } from 'vitest';
import type { EventType } from '#src/events/schema.ts';
import { consequenceOf, type RecipientFacts, type Report } from '#src/feedback/rules.ts';
import type { Action, RecipientStatus } from '#src/mail/dsn.ts';
import { parseReply } from '#src/mail/reply.ts';
import type { Heard, Status } from '#src/messages/rules.ts';

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
  remoteMta: null,
  diagnostic: diagnostic === null ? null : parseReply([diagnostic]),
});
const dsn = (...recipients: RecipientStatus[]): Report => ({ kind: 'delivery_status', recipients });
const feedback = (feedbackType: string): Report => ({
  kind: 'feedback',
  feedback: { feedbackType, originalMailFrom: null },
});
/** Told by somebody, but for what only our own attempts tell. */
const told = (type: EventType): Heard => ({ type, own: type === 'message.sent' });
const facts = (more: Partial<RecipientFacts> = {}): RecipientFacts => ({
  address: 'Erika@example.org',
  status: 'processed',
  heard: [told('message.created'), told('message.sent')],
  isSimulator: false,
  isOwn: false,
  ...more,
});

const delivered = dsn(recipientStatus('delivered', '2.0.0'));
const delayed = dsn(recipientStatus('delayed', '4.4.1', '451 4.4.1 no answer'));
const unknownUser = dsn(recipientStatus('failed', '5.1.1', '550 5.1.1 User unknown'));
const full = dsn(recipientStatus('failed', '5.2.2', '552 5.2.2 Mailbox full'));

describe('what a report means', () => {
  const rows: readonly {
    name: string;
    report: Report;
    from?: Status;
    to: Status;
    event: EventType;
    rule?: string;
    suppress?: 'hard_bounce' | 'complaint';
    isFinal?: boolean;
  }[] = [
    { name: 'delivered', report: delivered, to: 'delivered', event: 'message.delivered' },
    {
      name: 'delivered before the 250 was written down',
      report: delivered,
      from: 'queued',
      to: 'delivered',
      event: 'message.delivered',
    },
    {
      name: 'delivered after a delay',
      report: delivered,
      from: 'delivery_delayed',
      to: 'delivered',
      event: 'message.delivered',
    },
    {
      name: 'delivered, though a complaint came first',
      report: delivered,
      from: 'spam_complaint',
      to: 'spam_complaint',
      event: 'message.delivered',
    },
    {
      name: 'no such mailbox',
      report: unknownUser,
      to: 'hard_bounced',
      event: 'message.hard_bounced',
      rule: 'unknown_address',
      suppress: 'hard_bounce',
    },
    {
      name: 'no such mailbox, after it had been delivered',
      report: unknownUser,
      from: 'delivered',
      to: 'hard_bounced',
      event: 'message.hard_bounced',
      rule: 'unknown_address',
      suppress: 'hard_bounce',
    },
    {
      name: 'mailbox full',
      report: full,
      to: 'soft_bounced',
      event: 'message.soft_bounced',
      rule: 'mailbox_full',
    },
    {
      name: 'given up after temporary refusals',
      report: dsn(recipientStatus('failed', '4.4.7', '451 4.1.1 unknown user, try again')),
      to: 'soft_bounced',
      event: 'message.soft_bounced',
      rule: 'network',
    },
    {
      name: 'a status that says nothing, and words that do',
      report: dsn(recipientStatus('failed', '5.0.0', '550 5.1.1 User unknown')),
      to: 'hard_bounced',
      event: 'message.hard_bounced',
      rule: 'unknown_address',
      suppress: 'hard_bounce',
    },
    {
      name: 'failed, and no word why',
      report: dsn(recipientStatus('failed', null)),
      to: 'soft_bounced',
      event: 'message.soft_bounced',
      rule: 'unknown',
    },
    {
      name: 'delayed',
      report: delayed,
      to: 'delivery_delayed',
      event: 'message.delivery_delayed',
      isFinal: false,
    },
    {
      name: 'delayed behind a relay whose 250 counted as delivery',
      report: delayed,
      from: 'delivered',
      to: 'delivery_delayed',
      event: 'message.delivery_delayed',
      isFinal: false,
    },
    {
      name: 'delayed, though it was opened',
      report: delayed,
      from: 'opened',
      to: 'opened',
      event: 'message.delivery_delayed',
      isFinal: false,
    },
    {
      name: 'reported as spam',
      report: feedback('abuse'),
      from: 'clicked',
      to: 'spam_complaint',
      event: 'message.spam_complaint',
      suppress: 'complaint',
    },
    {
      name: 'reported as fraud',
      report: feedback('fraud'),
      to: 'spam_complaint',
      event: 'message.spam_complaint',
      suppress: 'complaint',
    },
    {
      name: 'answered by a machine',
      report: { kind: 'auto_reply' },
      from: 'delivered',
      to: 'auto_replied',
      event: 'message.auto_replied',
      isFinal: false,
    },
    {
      name: 'answered by a machine, after it was opened',
      report: { kind: 'auto_reply' },
      from: 'opened',
      to: 'opened',
      event: 'message.auto_replied',
      isFinal: false,
    },
  ];
  test.each(rows)(
    '$name',
    ({ report, from = 'processed', to, event, rule = null, suppress = null, isFinal = true }) => {
      expect(consequenceOf(report, facts({ status: from }))).toMatchObject({
        status: to,
        event,
        rule,
        suppress,
        isFinal,
      });
    },
  );

  test.each<{ name: string; report: Report }>([
    { name: 'relayed to where nobody tells more', report: dsn(recipientStatus('relayed', '2.0.0')) },
    { name: 'expanded into a list', report: dsn(recipientStatus('expanded', '2.0.0')) },
    { name: 'not spam after all', report: feedback('not-spam') },
    { name: 'a failed authentication', report: feedback('auth-failure') },
    { name: 'a wish to opt out', report: feedback('opt-out') },
    { name: 'something else', report: { kind: 'other' } },
  ])('nothing: $name', ({ report }) => {
    expect(consequenceOf(report, facts())).toBeNull();
  });

  test('ends stay ends', () => {
    expect(consequenceOf(delivered, facts({ status: 'failed' }))?.status).toBe('failed');
    expect(consequenceOf(delayed, facts({ status: 'suppressed' }))?.status).toBe('suppressed');
  });
});

describe('the same report again', () => {
  test.each<{ name: string; report: Report; heard: EventType }>([
    { name: 'delivered', report: delivered, heard: 'message.delivered' },
    { name: 'hard', report: unknownUser, heard: 'message.hard_bounced' },
    { name: 'soft', report: full, heard: 'message.soft_bounced' },
    { name: 'complaint', report: feedback('abuse'), heard: 'message.spam_complaint' },
    { name: 'automatic reply', report: { kind: 'auto_reply' }, heard: 'message.auto_replied' },
    { name: 'delay', report: delayed, heard: 'message.delivery_delayed' },
  ])('changes nothing: $name', ({ report, heard }) => {
    expect(consequenceOf(report, facts({ heard: [told('message.sent'), told(heard)] }))).toBeNull();
    expect(consequenceOf(report, facts({ heard: [told(heard)] }))).toBeNull();
  });

  test('a delay is told again once the mail was handed over again, and marked', () => {
    const heard = [told('message.delivery_delayed'), told('message.sent')];
    expect(consequenceOf(delayed, facts({ heard }))).toMatchObject({ repeated: true });
    expect(consequenceOf(delayed, facts())).toMatchObject({ repeated: false });
  });
});

describe('of several recipients', () => {
  const group = (address: string | null) =>
    dsn(
      recipientStatus('delivered', '2.0.0', null, 'anna@example.org'),
      recipientStatus('failed', '5.1.1', '550 5.1.1 User unknown', address),
    );
  test('ours counts, however it is written', () => {
    expect(consequenceOf(group('erika@example.org'), facts())?.event).toBe('message.hard_bounced');
  });
  test('ours counts by the address it was sent to, too', () => {
    const forwarded = {
      ...recipientStatus('failed', '5.2.2', null, 'x@example.net'),
      originalRecipient: 'erika@example.org',
    };
    expect(
      consequenceOf(dsn(recipientStatus('delivered', null, null, 'y@example.net'), forwarded), facts())
        ?.event,
    ).toBe('message.soft_bounced');
  });
  test('where none is ours, the first speaks for it', () => {
    expect(consequenceOf(group('berta@example.org'), facts())?.event).toBe('message.delivered');
  });
});

describe('nobody is kept from further mail', () => {
  test.each([{ isSimulator: true }, { isOwn: true }])('%o', (who) => {
    expect(consequenceOf(unknownUser, facts(who))).toMatchObject({
      event: 'message.hard_bounced',
      suppress: null,
    });
    expect(consequenceOf(feedback('abuse'), facts(who))).toMatchObject({
      event: 'message.spam_complaint',
      suppress: null,
    });
  });
});
