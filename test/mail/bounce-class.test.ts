import { describe, expect, test } from 'vitest';
import { bounceRules, classifyBounce, findBounceRule } from '#src/mail/bounce-class.ts';
import { parseReply } from '#src/mail/reply.ts';

describe('each row decides on its own example', () => {
  test.each(bounceRules.map((row) => [row.example, row] as const))('%s', (example, row) => {
    const reply = parseReply([example]);
    const speaker = row.exampleSpeaker ?? null;
    expect(classifyBounce(reply, speaker)).toEqual({
      class: reply.code >= 400 && reply.code < 500 ? 'soft' : row.class,
      rule: row.rule,
    });
    expect(findBounceRule(reply, speaker)).toBe(row);
  });
});

const cases: readonly (readonly [name: string, lines: readonly string[], verdict: string])[] = [
  [
    'Gmail, unknown user over several lines',
    [
      '550-5.1.1 The email account that you tried to reach does not exist. Please try',
      "550-5.1.1 double-checking the recipient's email address for typos or",
      '550 5.1.1 unnecessary spaces. - gsmtp',
    ],
    'hard unknown_address',
  ],
  [
    'Postfix, unknown in the virtual table',
    ['550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in virtual mailbox table'],
    'hard unknown_address',
  ],
  [
    'Postfix with a passing 450 for an unknown user',
    ['450 4.1.1 <a@b.example>: Recipient address rejected: unverified address'],
    'soft temporary',
  ],
  [
    'a 550 with a class 4 detail is final, and not about the address',
    ['550 4.4.7 Message expired'],
    'soft expired',
  ],
  ['a 450 with a class 5 detail is not final', ['450 5.1.1 User unknown'], 'soft unknown_address'],
  ['Exim without enhanced code', ['550 Unrouteable address', '550 Unknown user'], 'hard unknown_address'],
  [
    'qmail without enhanced code',
    ['550 sorry, no mailbox here by that name (#5.7.17)'],
    'hard unknown_address',
  ],
  [
    'Yahoo, unknown user',
    ["554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.example) [0]"],
    'hard unknown_address',
  ],
  ['T-Online, unknown user in German', ['550 5.1.1 unbekannter Empfänger'], 'hard unknown_address'],
  [
    'Yahoo, mailbox disabled',
    ['554 30 Sorry, your message to a@yahoo.example cannot be delivered. This mailbox is disabled (554.30).'],
    'hard disabled',
  ],
  ['mailbox full is soft even with 5yz', ['552 5.2.2 Mailbox over quota'], 'soft mailbox_full'],
  ['mailbox full in German without a code', ['550 Postfach des Empfängers voll'], 'soft mailbox_full'],
  ['too large', ['552 5.3.4 Message too big'], 'soft too_large'],
  [
    'Spamhaus listing at RCPT',
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
    'soft block',
  ],
  [
    'a listing never counts as an unknown address',
    ['550 5.7.1 Client host rejected: user unknown to reputation, listed at Spamhaus'],
    'soft block',
  ],
  [
    'Gmail, DMARC',
    ["550-5.7.26 Unauthenticated email from b.example is not accepted due to domain's DMARC policy."],
    'soft auth_policy',
  ],
  ['Outlook, banned address', ['550 5.7.511 Access denied, banned sender[192.0.2.1]'], 'soft block'],
  [
    'Exchange, only internal senders',
    ['550 5.7.1 RESOLVER.RST.AuthRequired; not authorized to send to this recipient'],
    'soft recipient_policy',
  ],
  [
    'Microsoft directory-based blocking',
    ['550 5.4.1 Recipient address rejected: Access denied.'],
    'hard unknown_address',
  ],
  ['greylisting', ['451 4.7.1 Greylisting in action, please come back later'], 'soft greylisted'],
  ['a domain without mail servers', ['550 5.1.2 Host unknown'], 'hard unknown_domain'],
  ['null MX by its own code', ['556 5.1.10 Domain does not accept mail (nullMX)'], 'hard unknown_domain'],
  ['a 556 without words of a domain', ['556 rue de la Gare'], 'soft unknown'],
  ['timeout', ['450 4.4.2 b.example: timed out while receiving the initial server greeting'], 'soft network'],
  ['expired', ['554 5.4.7 delivery expired (message too old)'], 'soft expired'],
  ['loop', ['554 5.4.6 Too many hops'], 'soft loop'],
  [
    'a group that may not exist or may be closed',
    ['550 5.1.1 The group x may not exist, or you may not have permission to post messages to the group.'],
    'soft recipient_policy',
  ],
  [
    'Exchange in German, restricted',
    ['550 5.7.1 Die Zustellung an diese Adresse ist eingeschränkt; Empfänger unbekannt'],
    'soft recipient_policy',
  ],
  [
    'not authorised, though it names a user',
    ['550 5.7.1 You are not authorized to send to this recipient; user unknown to you'],
    'soft recipient_policy',
  ],
  [
    'not berechtigt, without a code',
    ['550 Sie sind nicht berechtigt, an dieses Postfach zu senden'],
    'soft recipient_policy',
  ],
  [
    'a relay that does not know the domain',
    ['554 5.7.1 <a@b.example>: Relay access denied'],
    'soft relaying_denied',
  ],
  [
    'a local part that reads like a reason',
    ['550 5.7.1 <spam@blocked.example>: rejected, see our rules'],
    'soft policy',
  ],
  ['a local part that reads like an unknown user', ['550 <unknown.user@b.example> says no'], 'soft unknown'],
  ['our own account is meant, not theirs', ['550 Your account has been suspended'], 'soft unknown'],
  ['disabled in German with ue', ['550 Das Postfach ist nicht mehr gueltig'], 'hard disabled'],
  ['unknown in German with ae', ['550 Empfaenger nicht gefunden'], 'hard unknown_address'],
  ['a German domain', ['550 Domaene nirgendwo existiert nicht'], 'hard unknown_domain'],
  ['too large in German with ss', ['552 Die Nachricht ist zu gross'], 'soft too_large'],
  [
    'an address of the sender that does not exist',
    ['550 Absenderadresse existiert nicht'],
    'soft sender_address',
  ],
  ['an enhanced code among the words', ['550 sorry, no mailbox here (#5.1.1)'], 'hard unknown_address'],
  ['an unknown code', ['599 5.9.9 Nobody knows'], 'soft unknown'],
  ['nothing at all', ['550'], 'soft unknown'],
];

test.each(cases)('%s', (_name, lines, verdict) => {
  const { class: bounceClass, rule } = classifyBounce(parseReply(lines));
  expect(`${bounceClass} ${rule}`).toBe(verdict);
});

describe('a mailbox that may exist is not classified as gone', () => {
  test.each([
    "The recipient's mail server closed the connection unexpectedly.",
    'Der Server des Empfängers ist nicht erreichbar: Verbindung geschlossen',
    'The recipient domain could not be reached: connection terminated',
    'TLS negotiation with recipient domain failed: certificate has expired',
    '554 delivery to this recipient expired after 5 days',
    '550 5.2.1 Mailbox temporarily disabled, try later',
    '550 Mailbox temporarily suspended',
    '550 Ihr Konto wurde gesperrt',
    '550 Die Adresse des Absenders ist gesperrt',
    '550 Der Empfänger hat Ihre Adresse gesperrt',
    '550 sending account has been disabled',
    '550 The account sending this message is suspended',
    '550 5.7.1 Message rejected: user has disabled mail from this domain',
    '550 The mailing list address is closed to non-members',
    '550 message to user refused: attachments of type exe are disabled',
    '550 5.1.1 <a@b.example>: mailbox is full',
    '550 5.1.1 Das Postfach ist überfüllt',
    '554 5.4.1 Relay access denied',
    '550 5.7.1 Sender verify failed: no such user here',
    '550 mailbox unavailable: message content rejected',
    '550 5.5.0 Mailbox unavailable due to spam filter',
    '550 Helo name does not exist in DNS',
    '550 5.7.1 Kein PTR-Eintrag: Hostname existiert nicht',
    '550 Your IP address is unknown to us',
    '550 Too many invalid recipients',
    'Too many unknown users',
    'Your email to the recipient was blocked: the message was closed',
  ])('%s', (line) => {
    expect(classifyBounce(parseReply([line])).class).toBe('soft');
  });
});

describe('a mailbox that is gone is classified as hard', () => {
  test.each([
    '550 This mailbox has been deleted',
    '550 account expired',
    "550 The user's account has been closed",
    '550 This email is no longer in use',
    '550 Das Konto des Empfängers ist gesperrt',
    '550 Benutzerkonto deaktiviert',
    '550 Der Benutzer hat sein Konto gekündigt',
    '550 Dieser Empfänger ist hier nicht bekannt',
    '550 Teilnehmer unbekannt',
    '550 Diese E-Mail-Adresse ist ungültig',
    '550 Diese Adresse gibt es nicht',
    '550 Die Adresse a@b.example gibt es nicht',
    '550 user no longer exists',
    '550 No account by that name here',
    '550 Bad destination mailbox address',
    '551 not our user',
    'User erika (erika@b.example) not listed in Domino Directory',
  ])('%s', (line) => {
    expect(classifyBounce(parseReply([line])).class).toBe('hard');
  });
});

describe('codes that providers use differently are decided by the host', () => {
  test.each([
    ['5.7.27 of Gmail', '550 5.7.27 blocked', 'gmail-smtp-in.l.google.com', 'soft auth_policy'],
    ['5.7.27 of anybody', '550 5.7.27 blocked', 'mx.b.example', 'soft sender_address'],
    ['5.7.30 of Gmail', '550 5.7.30 blocked', 'alt1.aspmx.l.google.com', 'soft auth_policy'],
    ['5.7.30 of anybody', '550 5.7.30 blocked', null, 'soft tls'],
    [
      '5.4.1 of Exchange Online',
      '550 5.4.1 refused',
      'b-example.mail.protection.outlook.com',
      'hard unknown_address',
    ],
    ['5.4.1 of anybody', '550 5.4.1 refused', 'mx.b.example', 'soft network'],
    ['who only looks like Gmail', '550 5.7.27 blocked', 'mx.google.com.b.example', 'soft sender_address'],
  ] as const)('%s', (_, line, speaker, verdict) => {
    const { class: bounceClass, rule } = classifyBounce(parseReply([line]), speaker);
    expect(`${bounceClass} ${rule}`).toBe(verdict);
  });
});

test.each([
  ...new Set(bounceRules.flatMap(({ enhanced }) => enhanced ?? []).filter((code) => /^[5x]\.7\./.test(code))),
])('%s with words of a restriction is never hard', (code) => {
  const enhanced = code.replace('x', '5');
  if (enhanced === '5.7.13' || enhanced === '5.7.17' || enhanced === '5.7.18') return;
  const text = 'not authorized to send to this recipient: only authenticated users';
  expect(classifyBounce({ code: 550, enhanced, text }).class).toBe('soft');
});

describe('reports that give only a status', () => {
  test.each([
    ['5.1.1', 'hard unknown_address'],
    ['4.1.1', 'soft unknown_address'],
    ['5.2.2', 'soft mailbox_full'],
    ['4.4.1', 'soft network'],
  ])('%s', (enhanced, verdict) => {
    const { class: bounceClass, rule } = classifyBounce({ code: 0, enhanced, text: '' });
    expect(`${bounceClass} ${rule}`).toBe(verdict);
  });
});

test.each([
  'mailbox account user address ',
  'domain ',
  'sender ',
  'postfach ',
  '5 ',
  'a',
  'größe ',
  'unable ',
])('long hostile text is classified in bounded time: %j', (piece) => {
  const text = piece.repeat(1_000).slice(0, 1_000);
  expect(classifyBounce({ code: 550, enhanced: '5.7.1', text }).class).toBe('soft');
});

// Quadratic work would take more than ten minutes for each.
test.each([
  ['labels', 'a.'.repeat(500_000)],
  ['a colon behind a long word', `${'a'.repeat(500_000)}:@`],
])('names in a text are removed in linear time: %s', (_, text) => {
  expect(classifyBounce({ code: 550, enhanced: '5.2.2', text }).class).toBe('soft');
});
