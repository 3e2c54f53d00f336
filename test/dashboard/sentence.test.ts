// The sentence that the office says on the telephone, in both languages: a row for each thing that can become of a mail.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gates } from '#src/intake/gates.ts';
import {
  type Facts,
  type SentEvent,
  type SentRecipient,
  sentenceFor,
} from '../../src/dashboard/pages/message/sentence.ts';
import { words as de } from '../../src/dashboard/pages/message/words/de.ts';
import { words as en } from '../../src/dashboard/pages/message/words/en.ts';
import { ownReply, repliesIn } from '../../src/dashboard/parts/replies/replies.ts';
import { words as repliesDe } from '../../src/dashboard/parts/replies/words/de.ts';
import { words as repliesEn } from '../../src/dashboard/parts/replies/words/en.ts';

/** Where the service writes a text of its own as what was replied. */
const STORED =
  /(?:text: |diagnostic: |const (?:CANCELLED|DISCARDED|NOT_ABOUT_THE_MESSAGE) = |dueAt \}, )'([^']+)'/g;

const NOW = Date.parse('2026-11-23T10:00:00Z');
const AT = '2026-11-21T11:04:00.000Z';
const ADDRESS = 'erika@gmx.de';

const recipient = (fields: Partial<SentRecipient>): SentRecipient => ({
  address: ADDRESS,
  status: 'queued',
  attempts: 1,
  next_attempt_at: null,
  smtp_code: null,
  enhanced_code: null,
  diagnostic: null,
  updated_at: AT,
  ...fields,
});
const event = (type: string, fields: Partial<SentEvent> = {}): SentEvent => ({
  type: `message.${type}`,
  recipient: ADDRESS,
  at: AT,
  rule: null,
  bot: false,
  ...fields,
});
const facts = (
  fields: Partial<SentRecipient>,
  events: readonly SentEvent[] = [],
  more: Partial<Facts> = {},
): Facts => ({
  scheduled_at: null,
  recipients: [recipient(fields)],
  events,
  timeline: [],
  ...more,
});
const speaking = {
  de: {
    words: de,
    replies: repliesIn(repliesDe),
    suppressions: { manual: 'Jemand hat sie von Hand gesperrt' },
    locale: 'de',
  },
  en: {
    words: en,
    replies: repliesIn(repliesEn),
    suppressions: { manual: 'Someone suppressed it by hand' },
    locale: 'en-GB',
  },
};
const said = (language: 'de' | 'en', given: Facts) =>
  sentenceFor(given, { ...speaking[language], now: NOW, timeZone: 'Europe/Berlin' }, (status) => status);

const suppressedBecause = (detail: string): Partial<Facts> => ({
  timeline: [{ status: 'suppressed', recipient: ADDRESS, detail }],
});
const SENT = event('sent', { at: '2026-11-21T11:03:00.000Z' });
const PRESUMED = [event('sent'), event('delivered')];
const CAPTURED = { diagnostic: 'captured: kept locally, not delivered' };
const REFUSED_AT = [event('hard_bounced', { rule: 'unknown_address' })];

const rows: readonly (readonly [what: string, given: Facts, de: string, en: string])[] = [
  [
    'the receiving server reported that it took it',
    facts({ status: 'delivered' }, [SENT, event('delivered')]),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 angenommen.',
    'The server of gmx.de accepted it on 21 Nov at 12:04.',
  ],
  [
    'only the relay took it',
    facts({ status: 'processed' }, [event('sent')]),
    'Unser Versandserver hat sie am 21.11. um 12:04 übernommen; ob sie ankam, wissen wir nicht.',
    'Our sending server took it over on 21 Nov at 12:04; whether it arrived, we do not know.',
  ],
  [
    'the relay took it, and its reply counts as delivery: no more is known',
    facts({ status: 'delivered' }, PRESUMED),
    'Unser Versandserver hat sie am 21.11. um 12:04 übernommen; ob sie ankam, wissen wir nicht.',
    'Our sending server took it over on 21 Nov at 12:04; whether it arrived, we do not know.',
  ],
  [
    'it was captured',
    facts({ status: 'processed', ...CAPTURED }, [event('sent')]),
    'Sie wurde am 21.11. um 12:04 abgefangen und hat den Dienst nicht verlassen.',
    'It was captured on 21 Nov at 12:04 and did not leave the service.',
  ],
  [
    'it waits',
    facts({ status: 'queued', attempts: 0 }),
    'Sie wartet noch auf den Versand.',
    'It still waits to be sent.',
  ],
  [
    'it is scheduled for tomorrow',
    facts({ status: 'pending', attempts: 0 }, [], { scheduled_at: '2026-11-24T07:30:00.000Z' }),
    'Sie ist geplant und geht morgen um 08:30 hinaus.',
    'It is scheduled and leaves tomorrow at 08:30.',
  ],
  [
    'greylisting delays it',
    facts(
      {
        status: 'delivery_delayed',
        smtp_code: 451,
        enhanced_code: '4.7.1',
        diagnostic: 'Greylisted, try again',
      },
      [event('delivery_delayed', { at: '2026-11-23T09:55:00.000Z' })],
    ),
    'Sie ist noch nicht angekommen: Der Server von gmx.de hat sie heute um 10:55 vorerst nicht angenommen. Der Server lässt neue Absender erst warten.',
    'It has not arrived yet: the server of gmx.de did not accept it for now, today at 10:55. The server makes new senders wait first.',
  ],
  [
    'the relay cannot be reached',
    facts({ status: 'delivery_delayed', diagnostic: 'the relay cannot be used at the moment' }),
    'Sie ist noch nicht hinausgegangen: Unser Versandserver ist gerade nicht zu erreichen.',
    'It has not left yet: our sending server cannot be reached at the moment.',
  ],
  [
    'the address does not exist, by the rule',
    facts({ status: 'hard_bounced', smtp_code: 550 }, REFUSED_AT),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 abgewiesen. Die Adresse gibt es dort nicht.',
    'The server of gmx.de refused it on 21 Nov at 12:04. The address does not exist there.',
  ],
  [
    'the address does not exist, by the code alone',
    facts({ status: 'hard_bounced', smtp_code: 550, enhanced_code: '5.1.1' }),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 abgewiesen. Die Adresse gibt es dort nicht.',
    'The server of gmx.de refused it on 21 Nov at 12:04. The address does not exist there.',
  ],
  [
    'the mailbox is full',
    facts({ status: 'soft_bounced', enhanced_code: '5.2.2', diagnostic: 'Mailbox full' }),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 abgewiesen. Das Postfach ist voll.',
    'The server of gmx.de refused it on 21 Nov at 12:04. The mailbox is full.',
  ],
  [
    'it looks like spam',
    facts({ status: 'soft_bounced', enhanced_code: '5.7.1', diagnostic: 'Message looks like spam' }),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 abgewiesen. Der Server hält sie für Spam oder für gefährlich.',
    'The server of gmx.de refused it on 21 Nov at 12:04. The server takes it for spam or for dangerous.',
  ],
  [
    'no reason that is known',
    facts({ status: 'soft_bounced', smtp_code: 554, diagnostic: 'No' }),
    'Der Server von gmx.de hat sie am 21.11. um 12:04 abgewiesen. Den Grund können wir nicht einordnen.',
    'The server of gmx.de refused it on 21 Nov at 12:04. We cannot classify the reason.',
  ],
  [
    'given up after attempts',
    facts({ status: 'failed', attempts: 9, enhanced_code: '4.4.1' }, [event('failed')]),
    'Sie kam nicht an: Nach 9 Versuchen haben wir am 21.11. um 12:04 aufgegeben. Der Server des Empfängers war nicht zu erreichen.',
    'It did not arrive: after 9 attempts we gave up on 21 Nov at 12:04. The recipient’s server could not be reached.',
  ],
  [
    'cancelled',
    facts({ status: 'failed', attempts: 0, diagnostic: 'cancelled before it was due' }, [event('failed')]),
    'Sie wurde am 21.11. um 12:04 abgebrochen und nicht versendet.',
    'It was cancelled on 21 Nov at 12:04 and not sent.',
  ],
  [
    'its content was blocked',
    facts({ status: 'failed', attempts: 0 }, [event('content_blocked', { recipient: null })]),
    'Sie wurde wegen ihres Inhalts nicht versendet.',
    'It was not sent because of its content.',
  ],
  [
    'suppressed by hand',
    facts({ status: 'suppressed', attempts: 0 }, [], suppressedBecause('manual')),
    'Sie ging nicht hinaus, weil die Adresse gesperrt ist. Jemand hat sie von Hand gesperrt.',
    'It was not sent, because the address is suppressed. Someone suppressed it by hand.',
  ],
  [
    'opened in another year',
    facts({ status: 'opened' }, [event('opened', { at: '2025-12-31T22:59:00.000Z' })]),
    'Sie ist angekommen und wurde zuletzt am 31.12.2025 um 23:59 geöffnet.',
    'It has arrived and was last opened on 31 Dec 2025 at 23:59.',
  ],
  [
    'clicked yesterday',
    facts({ status: 'clicked' }, [event('clicked', { at: '2026-11-22T08:00:00.000Z' })]),
    'Sie ist angekommen: Zuletzt wurde gestern um 09:00 ein Link in ihr angeklickt.',
    'It has arrived: a link in it was last followed yesterday at 09:00.',
  ],
  [
    'an automatic reply',
    facts({ status: 'auto_replied' }, [event('auto_replied')]),
    'Der Server von gmx.de hat sie angenommen, und am 21.11. um 12:04 kam eine automatische Antwort.',
    'The server of gmx.de accepted it, and an automatic reply came on 21 Nov at 12:04.',
  ],
  [
    'reported as spam',
    facts({ status: 'spam_complaint' }, [event('spam_complaint')]),
    'Sie ist angekommen, aber der Empfänger hat sie am 21.11. um 12:04 als Spam gemeldet.',
    'It has arrived, but the recipient reported it as spam on 21 Nov at 12:04.',
  ],
  [
    'unsubscribed by it',
    facts({ status: 'unsubscribed' }, [event('unsubscribed')]),
    'Sie ist angekommen: Der Empfänger hat sich am 21.11. um 12:04 abgemeldet.',
    'It has arrived: the recipient unsubscribed on 21 Nov at 12:04.',
  ],
  [
    'several recipients',
    facts({}, [], {
      recipients: [
        recipient({ status: 'delivered' }),
        recipient({ address: 'uwe@example.org', status: 'delivered' }),
        recipient({ address: 'zoe@example.org', status: 'hard_bounced' }),
      ],
    }),
    '3 Empfänger: 2 × delivered, 1 × hard_bounced.',
    '3 recipients: 2 × delivered, 1 × hard_bounced.',
  ],
];

test.each(rows)('%s', (_, given, de, en) => {
  expect(said('de', given).text).toBe(de);
  expect(said('en', given).text).toBe(en);
});

describe('what is said with it', () => {
  const more = (given: Facts): string => said('de', given).more.join(' ');

  test('a machine that looked at it is no open', () => {
    const given = facts({ status: 'delivered' }, [SENT, event('delivered'), event('opened', { bot: true })]);
    expect(said('de', given).text).toContain('angenommen');
    expect(more(given)).toContain('Das zählt nicht als geöffnet');
  });

  test('what was refused for good is suppressed, and what to do is said', () => {
    const given = facts({ status: 'hard_bounced' }, REFUSED_AT);
    expect(more(given)).toContain('Prüfen Sie die Schreibweise');
    expect(more(given)).toContain('gesperrt');
    expect(said('de', given).tone).toBe('bad');
  });

  test('the next attempt of what is delayed, also where another server makes it', () => {
    const delayed = { status: 'delivery_delayed', diagnostic: 'Greylisted' };
    expect(more(facts({ ...delayed, next_attempt_at: '2026-11-23T10:30:00.000Z' }))).toContain(
      'heute um 11:30',
    );
    expect(more(facts(delayed))).toContain('versucht es von selbst weiter');
  });

  test('of several, the worst sets the tone', () => {
    const recipients = [recipient({ status: 'delivered' }), recipient({ status: 'hard_bounced' })];
    expect(said('de', facts({}, [], { recipients })).tone).toBe('bad');
  });

  test('no sentence says more than a server took it, unless a person did something', () => {
    for (const [, given, de, en] of rows) {
      expect(de).not.toContain('zugestellt');
      expect(en).not.toContain('delivered it');
      if (given.recipients[0]?.status === 'processed') expect(said('de', given).tone).toBe('plain');
    }
  });
});

describe('what is said in the place of a reply', () => {
  test.each([
    ['processed', 'captured: kept locally, not delivered', 'Abgefangen: Sie hat den Dienst nicht verlassen.'],
    ['failed', 'cancelled before it was due', 'Abgebrochen, bevor sie an der Reihe war.'],
    ['hard_bounced', '550 5.1.1 <erika@gmx.de>: no such user', 'Die Adresse gibt es dort nicht.'],
    ['soft_bounced', '452 4.2.2 mailbox is over its quota', 'Das Postfach ist voll.'],
    ['hard_bounced', 'refused:invalid_recipient', 'Den Grund können wir nicht einordnen.'],
    ['processed', '250 2.0.0 Ok: queued as 4c7bX', null],
  ])('%s, %s', (status, diagnostic, text) => {
    expect(repliesIn(repliesDe).textOf(status, { diagnostic })).toBe(text);
  });
  test('a message that failed before it was tried never says a text of the API', () => {
    const given = facts({ status: 'failed', attempts: 0, diagnostic: 'refused:tenant_paused' }, [
      event('failed'),
    ]);
    expect(said('de', given).more).toEqual([]);
  });
  test('every text that the service stores in the place of a reply has words', () => {
    const places = [
      'relay/capture/upstream',
      'relay/settle',
      'relay/attempt',
      'intake/scheduled',
      'audience/campaigns/take-out',
    ];
    const texts = [...places, 'messages/queue/held', 'feedback/brake/by-people'].flatMap((place) => [
      ...readFileSync(join(import.meta.dirname, `../../src/${place}.ts`), 'utf8').matchAll(STORED),
    ]);
    const unsaid = texts.map(([, text = '']) => text).filter((text) => ownReply(text) === undefined);
    expect(texts.length).toBeGreaterThanOrEqual(7);
    expect(unsaid).toEqual([]);
  });
});

test.each([
  ['de', de],
  ['en', en],
])('the checks of a message are named in words: %s', (_, words) => {
  expect(Object.keys(words.gates).toSorted()).toEqual(gates.map(({ name }) => name).toSorted());
});
