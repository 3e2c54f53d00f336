// Reports as the world brings them: to the listener for mail from the world, over SMTP.
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

/** For complaints that count: reports are of a feedback source by SPF, of their sender or of the name in the EHLO of `bring`. */
export const feedbackSource = async (): Promise<{ readonly dns: DnsZone; readonly config: object }> => {
  const dns = await startDnsZone();
  const names = ['client.example.net', 'provider.example'];
  for (const name of names) dns.set(name, 'TXT', 'v=spf1 ip4:127.0.0.1 -all');
  const complaints = { feedback_sources: names };
  return { dns, config: { dns: { resolvers: [dns.address] }, complaints } };
};

/** The envelope of what servers send by themselves. */
export const NULL_SENDER = { mailFrom: '' };

/** A message to that address; the reply to its final dot. Rejects where the address is refused. */
export const bring = async (
  port: number | null,
  to: string,
  content: string,
  from = '',
): Promise<string | null> => {
  const one = await talkTo(port ?? 0);
  try {
    await one.hello();
    await one.envelope(from, to);
    one.write(`${content.replace(/^\./gm, '..')}.\r\n`);
    return await one.reply();
  } finally {
    one.end();
  }
};

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join('');

/** RFC 3464; `fields` of the recipient. */
export const deliveryStatus = (recipient: string, ...fields: readonly string[]): string =>
  lines(
    'From: mailer-daemon@mx.example.org',
    'Subject: Mail delivery report',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'A report.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    ...fields,
    '',
    '--b--',
  );

export const bounceOf = (recipient: string): string =>
  deliveryStatus(
    recipient,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
  );

/** RFC 5965; `fields` of the report beside its type, `head` of the mail that it returns. */
export const feedbackReport = (type: string, fields: readonly string[], head: readonly string[]): string =>
  lines(
    'From: feedback@provider.example',
    'Subject: Complaint',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'A complaint.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: Provider-FBL/1.0',
    'Version: 1',
    ...fields,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...head,
    '',
    'The mail.',
    '--b--',
  );

export const absence = (subject = 'Automatische Antwort: Ihr Termin'): string =>
  lines('From: erika@example.org', `Subject: ${subject}`, 'Auto-Submitted: auto-replied', '', 'Bis Montag.');
