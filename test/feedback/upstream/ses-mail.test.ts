// Notices of Amazon SES by mail: what is read of a mail's text, and that no text is too much.
import { describe, expect, test } from 'vitest';
import { sesNoticeIn, subscriptionLinkIn } from '#src/feedback/upstream/ses-mail.ts';
import { leavesOf, parseMessage } from '#src/mail/mime-parts.ts';
import { bounceOf, envelopeOf, sesEventOf, textOf } from '#test/fixtures/report-forms/relay-notices.ts';

const PATH = 'b+1token@bounce.praxis.example';
const hard = bounceOf('Permanent', 'General', {
  status: '5.1.1',
  diagnosticCode: 'smtp; 550 5.1.1 User unknown',
});
const partsOf = async (text: string) =>
  leavesOf((await parseMessage(Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`))).root);

test.each([
  ['with a footer', textOf(sesEventOf('Bounce', hard, PATH))],
  ['in its envelope', envelopeOf(sesEventOf('Bounce', hard, PATH))],
  [
    'of a configuration set',
    textOf(sesEventOf('Bounce', hard, PATH)).replace('notificationType', 'eventType'),
  ],
  ['whose lines a server has broken', textOf(sesEventOf('Bounce', hard, PATH)).replace(/.{70}/g, '$&!\r\n ')],
  ['with its source in angle brackets', textOf(sesEventOf('Bounce', hard, `<${PATH}>`))],
])('a notice %s', async (_, text) => {
  expect(sesNoticeIn(await partsOf(text))).toMatchObject({
    returnPaths: [PATH],
    found: { signal: 'hard_bounced', rule: 'unknown_address', reply: { code: 550 } },
  });
});

test.each([
  ['of a person who quotes one', `Look:\r\n${textOf(sesEventOf('Bounce', hard, PATH))}`],
  ['of a click', textOf(sesEventOf('Click', {}, PATH))],
  ['of other JSON', '{"mail":"none"}'],
  ['of half a document', textOf(sesEventOf('Bounce', hard, PATH)).slice(0, 200)],
  ['of an envelope without an event', '{"Type":"Notification","Message":"Hello"}'],
  ['without text', ''],
])('a mail %s is none', async (_, text) => {
  expect(sesNoticeIn(await partsOf(text))).toBeNull();
});

describe('the link that confirms a subscription', () => {
  const request = (SubscribeURL: string) =>
    JSON.stringify({ Type: 'SubscriptionConfirmation', TopicArn: 'arn', SubscribeURL });
  const own = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1';
  test.each([
    [own, own],
    ['https://evil.example/?Action=ConfirmSubscription', null],
    ['https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe', null],
  ])('%s', async (url, link) => {
    expect(subscriptionLinkIn(await partsOf(request(url)))).toBe(link);
  });
});

// A square of that takes minutes: the test would time out.
test.each(['{', '{}', '{"a":', '!\r\n ', '\r\n', '}', '[', '{"Type":"Notification","Message":"'])(
  'a MiB of %j is read like any other text',
  async (piece) => {
    expect(sesNoticeIn(await partsOf(`{${piece.repeat(1_048_576 / piece.length)}}`))).toBeNull();
  },
);
