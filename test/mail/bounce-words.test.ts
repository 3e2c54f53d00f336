// Words with which servers refuse recipients, after the lists of phrases that readers of bounces keep: those that mean that the
// address does not exist, and those that mean something else, under each status that software puts beside them.
import { expect, test } from 'vitest';
import { consequenceOf } from '#src/feedback/rules.ts';
import { readDeliveryStatus } from '#src/mail/dsn.ts';

const NO_SUCH_ADDRESS = `
  user missing home directory
  vdeliver: invalid or unknown virtual user
  no one with that email address here
  sorry, badrcptto: your envelope recipient is in my badrcptto list
  There is no one at this address
  No thank you rejected: Account Unavailable: Possible Forgery
  this email address is wrong or no longer valid
  this address no longer accepts mail
  this spectator does not exist
  non-existent user
  nonexistent user
  not a valid user here
  is not a known user
  is not a valid mailbox
  is not an active address at this host
  mailbox not present
  mailbox not found
  mailbox is inactive
  Mailbox does not exist!
  no mail box available for this user
  no account by that name here
  no mailbox by that name is currently available
  No existe dicha persona
  no existe ese usuario erika
  no such address here
  no such person at this address
  no such recipient here
  no valid recipients, bye
  recipient not found
  recipient not exist
  recipient does not exist on this system
  Recipient address rejected: invalid user
  Recipient address rejected: user erika@example.org does not exist
  Recipient address rejected: unknown user
  rcpt <erika@example.org> does not exist
  receipient not found in directory
  destination addresses were unknown
  destination server rejected recipients
  BAD_RECIPIENT
  can't accept user
  invalid address
  invalid mailbox path
  unknown local-part erika
  unknown e-mail address
  user not active
  user not known
  user's email name is not found
  sorry, user unknown
  the following recipients was undeliverable: user unknown
  email address could not be found, or was misspelled
  archived recipient
  invalid/inactive user
  erika@example.org is a deactivated mailbox
  user suspended
  this account has been disabled or discontinued
  vdelivermail: account is locked email bounced
  Mail domain mentioned in email address is unknown
  no such domain
  domain must exist
  recipient domain must exist
  Recipient address rejected: unknown domain name nirgends.example
  Invalid recipient erika@example.org
  Invalid user
  Unknown account
  Account not found
  Account does not exist
  Address invalid
  Address is unknown
  Addressee unknown, relay=[192.0.2.25]
  bad address
  Bad destination mailbox address
  Invalid account
  Not our customer
  No such mail drop defined
  No such mailbox
  Recipient rejected: no such user
  server doesn't handle mail for that user
  This email address is not known to this system
  unknown address or alias
  unknown or illegal user: erika@example.org
  User does not exist on this server
  User's account is permanently closed
  Utente non valido
  destinatario sconosciuto o mailbox disattivata
  indirizzo inesistente
  nie ma takiego konta
  konto nie istnieje
  Benutzer existiert nicht
  Empfänger existiert nicht
  Empfaenger unbekannt
  Cette adresse e-mail n'existe pas
  Aucun destinataire valide
  Compte inexistant
  Esta cuenta no existe
  Dirección desconocida
  Deze gebruiker bestaat niet
  Dit adres bestaat niet
  All relevant MX records point to non-existent hosts
  Mailaddress is administratively disabled
  Mailbox disabled for this recipient
  The email account that you tried to reach is inactive
  User has moved; no forwarding address
  erika@example.org has left the organisation, mailbox deleted
  RecipNotFound
  This user doesn't have a provider.example account
`;

const SOMETHING_ELSE = `
  account disabled temporarly for exceeding receiving limits
  account is exceeding their quota
  account is temporarily over quota
  Boite du destinataire pleine. Mailbox full. OFR_417
  delivery failed: over quota
  disc quota exceeded
  does not have enough space
  exceeded storage allocation
  exceeding its mailbox quota
  full mailbox
  is over disk quota
  mail file size exceeds the maximum size allowed for mail delivery
  mailbox exceeded the local limit
  mailbox has exceeded its disk space limit
  maildir over quota
  maildir delivery failed: Userdisk quota exceeded
  not enough storage space in mailbox
  over the allowed quota
  quota violation for erika
  recipient reached disk quota
  recipient rejected: mailbox would exceed maximum allowed storage
  The user's space has been used up
  The user you are trying to reach is over quota
  too much mail data
  user has exceeded quota, bouncing mail
  user has too many messages on the server
  would be over the allowed quota
  was automatically rejected: quota exceeded
  access denied. IP name lookup failed
  access from ip address 192.0.2.25 blocked
  all mail servers must have a PTR record with a valid Reverse DNS entry
  Bad sender IP address
  blacklisted by our list
  Blocked - see https://bl.example/
  cannot resolve your address
  client host [192.0.2.25] blocked using bl.example
  client host rejected: Abus detecte GU_EIB_04
  client host rejected: cannot find your hostname
  client host rejected: may not be mail exchanger
  client host rejected: was not authenticated
  Connections not accepted from IP addresses on Spamhaus XBL
  Connections will not be accepted from 192.0.2.25, because the ip is in Spamhaus's list
  Currently Sending Spam See: https://bl.example
  domain praxis.example mismatches client ip
  DNSBL:ATTRBL 521< 192.0.2.25 >
  Dynamic/zombied/spam IPs blocked
  Email blocked by SPAMHAUS
  Fix reverse DNS for 192.0.2.25
  Go away
  hosts with dynamic ip are not accepted
  INVALID IP FOR SENDING MAIL OF DOMAIN
  IP 192.0.2.25 is blocked by EarthLink
  IP/domain reputation problems
  IPs with missing PTR records are refused
  is in a black list at bl.example
  is not allowed to send mail from praxis.example
  mail server at 192.0.2.25 is blocked
  Mail from 192.0.2.25 refused: see bl.example
  Message from 192.0.2.25 rejected based on blacklist
  no access from mail server [192.0.2.25] which is an open relay
  No PTR Record found.
  Not currently accepting mail from your ip
  Please get a custom reverse DNS name from your ISP for your host
  Please inspect your SPF settings
  Please use the smtp server of your ISP
  Rejecting open proxy 192.0.2.25
  Reverse DNS lookup for host 192.0.2.25 failed permanently
  Sender IP reverse lookup rejected
  Server access forbidden by your IP 192.0.2.25
  Server IP 192.0.2.25 listed as abusive
  sorry, your remotehost looks suspiciously like spammer
  SPF check: fail
  the ip 192.0.2.25 is blacklisted
  Too many spams from your IP
  unresolvable relay host name
  your network is temporary blacklisted
  your server requires confirmation
  we do not accept mail from dynamic ips
  You are not allowed to connect
  You are sending spam
  Your access to submit messages to this e-mail system has been rejected
  Your message was rejected for possible spam/virus content
  a poor email reputation score
  none/bad reputation
  temporarily deferred due to unexpected volume or user complaints
  appears to be unsolicited
  Blacklisted URL in message
  blocked by policy: no spam please
  blocked for abuse. see http://att.example/blocks
  bulk email
  content filter rejection
  denied due to spam list
  mail content denied
  message filtered
  message looks like spam
  message not accepted for policy reasons.
  message refused by mailmarshal spamprofiler
  message rejected because of unacceptable content
  our filters rate at and above 50 percent probability of being spam
  probable spam
  REJECT bulk.advertising
  sending address not accepted due to spam filter
  spambouncer identified spam
  we dont accept spam
  you're using a mass mailer
  your message failed several antispam checks
  backscatter protection detected an invalid or expired email address
  by non-member to a members-only list
  domain of sender address noreply@praxis.example does not exist
  emetteur invalide. Invalid Sender.
  empty envelope senders not allowed
  from: domain is invalid. please provide a valid from:
  fully qualified email address required
  invalid sender
  mail from not owned by user
  null sender is not allowed
  returned mail not accepted here
  sender is spammer
  sender not pre-approved
  sender verify failed
  too many spam complaints
  unroutable sender address
  you are not allowed to post to this mailing list
  your email address has been blacklisted
  account is protected by a challenge filter
  has restricted sms e-mail
  is not accepting any mail
  message rejected due to user rules
  recipient id refuse to receive mail
  recipient is only accepting mail from specific email addresses
  refused due to recipient preferences
  user refuses to receive this mail
  you have been blocked by the recipient
  closed mailing list
  Denied by policy
  email rejected due to security policies
  header are not accepted
  Protocol violation
  authentication required
  verification failure
  Too many connections from your host
  too many messages in this session
  too many recipients
  rate limited
  Try again later
  temporarily unavailable
  temporary local problem
  Mailbox temporarily unavailable
  greylisted, please try again in 300 seconds
  This message was classified as junk mail
  virus detected in message
  attachments of this type are not allowed
  message too large for this mailbox
  STARTTLS required
  Relaying denied
  relay not permitted
  connection timed out
  lost connection while receiving the initial server greeting
  User is receiving mail too quickly
  User has reached the daily receiving limit
  Address verification in progress
  local configuration error
  internal server error
  system resources exceeded
  mail for this domain is temporarily suspended
  too many hops
  mail loop detected
`;

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());
const ADDRESS = 'erika@example.org';
const isHard = (status: string, reply: string): boolean => {
  const recipients = readDeliveryStatus(
    `Final-Recipient: rfc822; ${ADDRESS}\r\nAction: failed\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; ${reply}\r\n`,
  );
  const found = consequenceOf(
    { kind: 'delivery_status', recipients, words: '' },
    { address: ADDRESS, events: [] },
  );
  return found?.signal === 'hard_bounced';
};

/** An explicit 5.1.1 beside other words is a contradiction of the receiver itself, and rare. */
const MAX_FALSE_UNDER_EXPLICIT = 0.05;
const MAX_MISSED = 0.05;

test('words of an address that does not exist are hard, where no code says why', () => {
  const all = linesOf(NO_SUCH_ADDRESS);
  const missed = all.filter((words) => !isHard('5.0.0', `550 ${words}`));
  expect(missed.length / all.length, missed.join('\n')).toBeLessThanOrEqual(MAX_MISSED);
});

test('words of an address that does not exist are hard under an explicit code', () => {
  const missed = linesOf(NO_SUCH_ADDRESS).filter(
    (words) => !isHard('5.1.1', `550 5.1.1 <${ADDRESS}> ${words}`),
  );
  expect(missed).toEqual([]);
});

test.each([
  ['5.0.0', 'the status says nothing'],
  ['5.1.1', 'the status is derived from the code'],
])('words of anything else are never hard, where the status is %s: %s', (status) => {
  expect(linesOf(SOMETHING_ELSE).filter((words) => isHard(status, `550 ${words}`))).toEqual([]);
});

test('words of anything else are seldom hard under an explicit code', () => {
  const all = linesOf(SOMETHING_ELSE);
  const wrong = all.filter((words) => isHard('5.1.1', `550 5.1.1 <${ADDRESS}> ${words}`));
  expect(wrong.length / all.length, wrong.join('\n')).toBeLessThanOrEqual(MAX_FALSE_UNDER_EXPLICIT);
});
