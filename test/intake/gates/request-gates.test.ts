import { describe, expect, test } from 'vitest';
import { KNOWN_CONTROLS, headerProblem as problemOf } from '#src/intake/gates/envelope-gates.ts';
import { inEnglish } from '#src/kernel/say.ts';

const headerProblem = (...header: Parameters<typeof problemOf>) => {
  const problem = problemOf(...header);
  return problem && inEnglish(problem);
};

describe('a sender may set', () => {
  test.each([
    ['X-Campaign', 'spring'],
    ['x-campaign', 'spring'],
    ['In-Reply-To', '<a@example.org>'],
    ['REFERENCES', '<a@example.org> <b@example.org>'],
    ['Importance', 'high'],
    ['X-Priority', '1'],
    ['List-Id', 'News <news.example.org>'],
    ['Organization', 'Praxis Müller'],
    ['X-Empty', ''],
    ['X-Mailer', 'Praxisverwaltung 7'],
    ['X-Service', 'Labor'],
    ['X-Session', '7'],
    ['X-Jobs', '7'],
    ['X-Tenant-Id', '7'],
    ['X-MS-Has-Attach', 'yes'],
    ['X-Long', 'a'.repeat(4_096)],
  ])('%s', (name, value) => {
    expect(headerProblem(name, value, KNOWN_CONTROLS)).toBeNull();
  });
});

describe('a sender may not set', () => {
  const STEERING = (
    'From To Cc Bcc Sender Reply-To Subject Date Message-ID Return-Path Received DKIM-Signature ' +
    'ARC-Seal Authentication-Results MIME-Version Content-Type Content-Transfer-Encoding Content-Disposition ' +
    'List-Unsubscribe List-Unsubscribe-Post Auto-Submitted Precedence Feedback-ID Disposition-Notification-To ' +
    'Resent-From Delivered-To Errors-To Return-Receipt-To'
  ).split(' ');
  test.each(STEERING)('%s, which is the service’s own', (name) => {
    expect(headerProblem(name, 'x', KNOWN_CONTROLS)).toBe('may not be set by senders');
    expect(headerProblem(name.toLowerCase(), 'x', KNOWN_CONTROLS)).toBe('may not be set by senders');
  });

  const ORDERS_TO_RELAYS = (
    'X-SMTPAPI X-SG-EID X-SES-CONFIGURATION-SET X-Mailgun-Variables X-MJ-CustomID X-Mailjet-Campaign ' +
    'X-PM-Message-Stream X-MC-Subaccount X-MSYS-API X-MT-Tracking X-SIB-API X-Sib-Sandbox X-Mailin-Tag ' +
    'X-ElasticEmail-Settings X-CMail-GroupName X-TM-DELIVERY X-SMTP2GO-Tracking X-Virtual-MTA X-Job X-Envid ' +
    'X-DKIM-Options X-GreenArrow-MailClass X-GreenArrow-MtaID X-xsMailingId X-MS-Exchange-Organization-SCL X-Tenant ' +
    'X-Schedule X-Failed-Recipients X-VMTA X-MailerSend-Tags X-Postal-Tag X-Sending-Zone X-APIHEADER X-SMTPeter-Tags'
  ).split(' ');
  test.each(ORDERS_TO_RELAYS)('%s, by which a relay takes orders', (name) => {
    expect(headerProblem(name, 'x', KNOWN_CONTROLS)).toBe('is one by which relays take orders');
    expect(headerProblem(name.toLowerCase(), 'x', KNOWN_CONTROLS)).toBe('is one by which relays take orders');
  });

  test.each([
    ['X-Service-Id', 'x', 'is reserved for the service'],
    ['x-SENDWERK-tenant', 'x', 'is reserved for the service'],
    ['X-Auto-Response-Suppress', 'All', 'is reserved for the service'],
    ['X Name', 'x', 'is not a header name'],
    ['X-Name:', 'x', 'is not a header name'],
    ['X-Ümlaut', 'x', 'is not a header name'],
    ['X-A\r\nBcc', 'x', 'is not a header name'],
    ['', 'x', 'is not a header name'],
    ['x'.repeat(77), 'x', 'is not a header name'],
    ['X-A', 'one\r\nBcc: two@example.org', 'has a value with a line break or control character'],
    ['X-A', 'one\ntwo', 'has a value with a line break or control character'],
    ['X-A', 'one\rtwo', 'has a value with a line break or control character'],
    ['X-A', 'one\u0000two', 'has a value with a line break or control character'],
    ['X-A', 'a'.repeat(4_097), 'has a value of more than 4096 bytes'],
    ['X-A', 'ü'.repeat(2_049), 'has a value of more than 4096 bytes'],
  ])('%j: %j', (name, value, problem) => {
    expect(headerProblem(name, value, KNOWN_CONTROLS)).toBe(problem);
  });
});
