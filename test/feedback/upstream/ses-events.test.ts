import { describe, expect, test } from 'vitest';
import { readSesEvent, sesEvent } from '#src/feedback/upstream/ses-events.ts';
import { isSubscribeUrl } from '#src/feedback/upstream/sns.ts';

const mail = { source: 'b+1token@bounce.example.org', destination: ['erika@example.org'] };
const read = (event: object) => readSesEvent(sesEvent.parse({ mail, ...event }));

interface Said {
  readonly status?: string;
  readonly diagnosticCode?: string;
}
const bounced = (bounceType: string, bounceSubType: string, said: Said = {}) =>
  read({
    eventType: 'Bounce',
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: [{ emailAddress: 'erika@example.org', ...said }],
    },
  })[0]?.found;

describe('a bounce', () => {
  const unknown = { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' };
  const refusedContent = {
    status: '5.7.1',
    diagnosticCode: 'smtp; 554 5.7.1 message content rejected as spam',
  };
  const suppressed = {
    status: '5.1.1',
    diagnosticCode: 'Amazon SES did not send the message to this address',
  };
  test.each<[type: string, subType: string, said: Said, signal: string | undefined, rule: string]>([
    ['Permanent', 'General', unknown, 'hard_bounced', 'unknown_address'],
    ['Permanent', 'General', refusedContent, 'soft_bounced', 'content'],
    ['Permanent', 'General', {}, 'hard_bounced', 'unknown_address'],
    ['Permanent', 'NoEmail', {}, 'hard_bounced', 'unknown_address'],
    ['Permanent', 'Suppressed', suppressed, 'hard_bounced', 'unknown_address'],
    ['Permanent', 'OnAccountSuppressionList', suppressed, 'soft_bounced', 'relay_suppression'],
    ['Permanent', 'SomethingNew', {}, 'soft_bounced', 'unknown'],
    ['Transient', 'General', unknown, 'soft_bounced', 'unknown_address'],
    ['Transient', 'MailboxFull', {}, 'soft_bounced', 'mailbox_full'],
    ['Transient', 'MessageTooLarge', {}, 'soft_bounced', 'too_large'],
    ['Transient', 'ContentRejected', {}, 'soft_bounced', 'content'],
    ['Transient', 'AttachmentRejected', {}, 'soft_bounced', 'content'],
    ['Transient', 'CustomTimeoutExceeded', {}, 'soft_bounced', 'expired'],
    ['Undetermined', 'Undetermined', unknown, 'soft_bounced', 'unknown_address'],
    ['Undetermined', 'Undetermined', {}, 'soft_bounced', 'unknown'],
  ])('%s, %s, %o: %s by %s', (type, subType, said, signal, rule) => {
    expect(bounced(type, subType, said)).toMatchObject({ signal, rule });
  });

  test('that may be an automatic reply is not counted as a bounce', () => {
    expect(bounced('Transient', 'General')).toBeNull();
  });

  test('keeps the reply of the server that refused', () => {
    expect(bounced('Permanent', 'General', unknown)?.reply).toEqual({
      code: 550,
      enhanced: '5.1.1',
      text: 'user unknown',
    });
    const vague = { status: '5.0.0', diagnosticCode: 'smtp; 550 5.2.1 mailbox disabled' };
    expect(bounced('Permanent', 'General', vague)?.reply?.enhanced).toBe('5.2.1');
  });

  test('of several recipients names each of them', () => {
    const bouncedRecipients = [{ emailAddress: 'a@example.org' }, { emailAddress: 'b@example.org' }];
    const bounce = { bounceType: 'Permanent', bounceSubType: 'NoEmail', bouncedRecipients };
    const events = read({ notificationType: 'Bounce', bounce });
    expect(events.map(({ clues }) => clues.recipients)).toEqual([['a@example.org'], ['b@example.org']]);
  });
});

describe('a complaint', () => {
  const complained = (complaint: object) =>
    read({
      eventType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress: 'erika@example.org' }], ...complaint },
    })[0]?.found;
  test.each<[object, string | null]>([
    [{}, 'spam_complaint'],
    [{ complaintFeedbackType: 'abuse' }, 'spam_complaint'],
    [{ complaintFeedbackType: 'fraud' }, 'spam_complaint'],
    [{ complaintFeedbackType: 'not-spam' }, null],
    [{ complaintFeedbackType: 'auth-failure' }, null],
    [{ complaintFeedbackType: 'virus' }, null],
    // Of another mail, perhaps of another practice.
    [{ complaintSubType: 'OnAccountSuppressionList' }, 'soft_bounced'],
  ])('%o: %s', (complaint, signal) => {
    expect(complained(complaint)?.signal ?? null).toBe(signal);
  });
});

describe('whose mail it is', () => {
  const delivery = { recipients: ['erika@example.org'], smtpResponse: '250 2.0.0 ok' };
  test.each<[string, object, object]>([
    ['by the return path', {}, { returnPaths: [mail.source], messageId: null }],
    ['in brackets', { source: `<${mail.source}>` }, { returnPaths: [mail.source] }],
    [
      'by the Message-ID that we gave, not by that of SES',
      { source: null, messageId: '0100018f', headers: [{ name: 'message-ID', value: '<a@b.example>' }] },
      { returnPaths: [], messageId: '<a@b.example>' },
    ],
    [
      'by the one among the common fields',
      { source: null, commonHeaders: { messageId: '<a@b.example>', subject: 'x' } },
      { messageId: '<a@b.example>' },
    ],
  ])('%s', (_, more, clues) => {
    expect(read({ eventType: 'Delivery', delivery, mail: { ...mail, ...more } })[0]?.clues).toMatchObject(
      clues,
    );
  });
});

const CONFIRM = '?Action=ConfirmSubscription&TopicArn=arn&Token=abc';
test.each<[string, boolean]>([
  [`https://sns.eu-central-1.amazonaws.com/${CONFIRM}`, true],
  [`https://sns.cn-north-1.amazonaws.com.cn/${CONFIRM}`, true],
  [`http://sns.eu-central-1.amazonaws.com/${CONFIRM}`, false],
  ['https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe', false],
  [`https://sns.eu-central-1.amazonaws.com.evil.example/${CONFIRM}`, false],
  [`https://sns.eu-central-1.amazonaws.com.cn.example/${CONFIRM}`, false],
  [`https://evil.example/sns.eu-central-1.amazonaws.com/${CONFIRM}`, false],
  [`https://bucket.s3.amazonaws.com/${CONFIRM}`, false],
  [`https://sns.a.b.amazonaws.com/${CONFIRM}`, false],
  [`https://sns.eu-central-1.amazonaws.com:8443/${CONFIRM}`, false],
  [`https://sns.eu-central-1.amazonaws.com@evil.example/${CONFIRM}`, false],
  [`https://u:p@sns.eu-central-1.amazonaws.com/${CONFIRM}`, false],
  [`https://169.254.169.254/${CONFIRM}`, false],
  ['sns.eu-central-1.amazonaws.com', false],
])('%s may be followed: %s', (url, may) => {
  expect(isSubscribeUrl(url)).toBe(may);
});
