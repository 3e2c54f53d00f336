// Mails of the corpus over real SMTP: each is brought to the return path of a copy that has left, with the MAIL FROM and the
// octets that it has, and ends in the message's status, its event and the list of suppressions as users see them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounceOf, envelopeOf, sesEventOf, textOf } from '#test/fixtures/report-forms/relay-notices.ts';
import { RETURN_PATH } from '#test/fixtures/report-forms/write.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { corpus } from '#test/support/report-corpus.ts';
import { bring } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const FBL = 'fbl@mail.example.com';
const SNS = '0107@eu-central-1.amazonses.example';

let app: TestApp;
let receiver: SmtpReceiver;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    config: {
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
    },
  });
});
afterAll(async () => {
  await app.remove();
  await receiver.stop();
});

interface Copy {
  readonly sender: Sender;
  readonly id: string;
  readonly to: string;
  readonly returnPath: string;
  readonly messageId: string;
}

/** Of a practice of its own: several bounces pause a practice. */
const sent = async (to: string): Promise<Copy> => {
  const sender = await app.createSender();
  const id = await app.send(sender, { to });
  const { internet_message_id: messageId } = await app.untilStatus(sender, id, 'processed');
  const mail = receiver.messages.findLast(({ recipients }) => recipients[0]?.address === to);
  return { sender, id, to, returnPath: mail?.mailFrom ?? '', messageId };
};

interface Event {
  readonly type: string;
  readonly recipient: string | null;
}
interface Suppression {
  readonly address: string;
  readonly reason: string;
}
const listOf = async <Row>({ sender }: Copy, path: string): Promise<Row[]> =>
  (await app.request<{ data: Row[] }>('GET', `${sender.base}${path}`, undefined, sender.token)).body.data;

const seenBy = async (copy: Copy) => {
  const events = await listOf<Event>(copy, `/messages/${copy.id}/events`);
  const suppressions = await listOf<Suppression>(copy, '/suppression');
  return {
    status: (await app.message(copy.sender, copy.id)).status,
    events: events.map(({ type }) => type),
    suppressions: suppressions.map(({ address, reason }) => ({ address, reason })),
  };
};

const MAILS = [
  'powermta/bad-mailbox-under-5-0-0',
  'powermta/quota-under-5-0-0',
  'momentum/rate-under-5-1-1',
  'ironport/block-list-quoted-under-5-1-0',
  'contradictions/host-not-found-try-again',
  'contradictions/ours-is-the-second-and-full',
  'contradictions/ours-is-delivered-another-failed',
  'mox/delayed',
  'softbank/invalid-recipient-iso-2022-jp',
  'docomo/unknown-user-iso-2022-jp',
  'zoho/invalid-address',
  'microsoft-365-german/html-without-status-part',
  'exchange-absence-english/mentions-a-full-mailbox-and-a-code',
  'answer-iphone/quotes-a-bounce-of-her-own',
  'feedback-outlook-single/text-and-attached-mail',
  'feedback-amazon-ses/forwarded-to-the-return-path',
  'amazon-sns-mail/bounce-as-text',
];

const outcomes = {
  hard: { status: 'hard_bounced', reason: 'hard_bounce' },
  soft: { status: 'soft_bounced', reason: null },
  delayed: { status: 'delivery_delayed', reason: null },
  delivered: { status: 'delivered', reason: null },
  auto_reply: { status: 'auto_replied', reason: null },
  complaint: { status: 'spam_complaint', reason: 'complaint' },
  opt_out: { status: 'unsubscribed', reason: 'unsubscribe' },
  none: { status: 'processed', reason: null },
} as const;

/** What users see after an outcome. */
const seenAfter = (to: string, verdict: keyof typeof outcomes) => {
  const { status, reason } = outcomes[verdict];
  return {
    status,
    events: ['message.created', 'message.sent', ...(status === 'processed' ? [] : [`message.${status}`])],
    suppressions: reason === null ? [] : [{ address: to, reason }],
  };
};

describe('a mail at a return path', () => {
  const mails = MAILS.map((path) => {
    const mail = corpus.find(({ product, name }) => `${product}/${name}` === path);
    if (!mail) throw new Error(`there is no mail ${path}`);
    return { ...mail, path };
  });
  test.each(mails)('$path: $verdict', async ({ source, mailFrom, recipient, verdict }) => {
    const to = recipient ?? 'erika@example.org';
    const copy = await sent(to);
    const text = source.toString('latin1').replaceAll(RETURN_PATH, copy.returnPath);
    // The practice receives no mail, so a person's letter is refused instead of being thrown away.
    const isLetter = verdict === 'none' && mailFrom !== '';
    expect(await bring(app.inboundPort, copy.returnPath, text, mailFrom)).toMatch(
      isLetter ? '550 5.2.1' : '250 2.0.0',
    );
    expect(await seenBy(copy)).toEqual(seenAfter(to, verdict));
  });
});

describe('a notice of Amazon SES at the address for complaints', () => {
  const noticeOf = (text: string): string =>
    `From: no-reply@sns.amazonaws.example\r\nSubject: AWS Notification Message\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n${text.replace(/\r?\n/g, '\r\n')}\r\n`;
  const hard = bounceOf('Permanent', 'General', {
    status: '5.1.1',
    diagnosticCode: 'smtp; 550 5.1.1 User unknown',
  });
  const complaint = { complaint: { complainedRecipients: [{ emailAddress: 'erika@example.org' }] } };

  test.each([
    { name: 'of a bounce', type: 'Bounce', event: hard, form: textOf, verdict: 'hard' },
    {
      name: 'of a complaint, in its envelope',
      type: 'Complaint',
      event: complaint,
      form: envelopeOf,
      verdict: 'complaint',
    },
  ] as const)(
    '$name is about the copy whose return path it repeats',
    async ({ type, event, form, verdict }) => {
      const copy = await sent('erika@example.org');
      const notice = noticeOf(form(sesEventOf(type, event, copy.returnPath)));
      expect(await bring(app.inboundPort, FBL, notice, SNS)).toMatch('250 2.0.0');
      expect(await seenBy(copy)).toEqual(seenAfter(copy.to, verdict));
    },
  );

  test('that is forged suppresses none of another practice, whatever it knows of the mail', async () => {
    const copy = await sent('erika@example.org');
    const other = await sent('eve@example.net');
    const forged = copy.returnPath.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const returnPath of [forged, 'noreply@praxis.example', ''])
      for (const form of [textOf, envelopeOf])
        for (const [type, event] of [
          ['Bounce', hard],
          ['Complaint', complaint],
        ] as const) {
          const notice = noticeOf(
            form(sesEventOf(type, event, returnPath)).replaceAll(
              '<01930000-0000-7000-8000-000000000001@praxis.example>',
              copy.messageId,
            ),
          );
          expect(await bring(app.inboundPort, FBL, notice, SNS)).toMatch('250 2.0.0');
        }
    // A path of one's own leads to one's own copy, whatever other address is named.
    const own = noticeOf(textOf(sesEventOf('Bounce', hard, other.returnPath)));
    expect(await bring(app.inboundPort, FBL, own, SNS)).toMatch('250 2.0.0');
    expect(await seenBy(copy)).toEqual(seenAfter(copy.to, 'none'));
    expect(await seenBy(other)).toEqual(seenAfter(other.to, 'hard'));
  });

  test('that only asks to confirm a subscription is followed by nothing', async () => {
    const copy = await sent('erika@example.org');
    const request = JSON.stringify({
      Type: 'SubscriptionConfirmation',
      TopicArn: 'arn:aws:sns:eu-central-1:123456789012:t',
      SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1',
    });
    expect(await bring(app.inboundPort, FBL, noticeOf(request), SNS)).toMatch('250 2.0.0');
    expect(await seenBy(copy)).toEqual(seenAfter(copy.to, 'none'));
  });
});
