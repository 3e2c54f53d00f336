import { describe, expect, test } from 'vitest';
import { resultsField, withoutOwnResults } from '#src/inbound/checks/results-field.ts';
import type { MailAuth, MailEnvelope } from '#src/inbound/mail.ts';

const HOST = 'mx.example.org';
const envelope: MailEnvelope = {
  mailFrom: 'a@b.test',
  clientAddress: '192.0.2.1',
  helo: 'b.test',
  protocol: 'ESMTP',
  sessionId: '1',
};
const auth: MailAuth = {
  spf: { result: 'pass', domain: 'b.test' },
  dkim: [{ result: 'pass', domain: 'b.test', selector: 's1' }],
  dmarc: { result: 'pass', domain: 'b.test', policy: 'reject' },
  arc: { result: 'none' },
  iprev: { result: 'fail', name: null },
};

describe('the field of this service', () => {
  test('is as RFC 8601 has it', () => {
    expect(resultsField(HOST, auth, envelope)).toBe(
      'Authentication-Results: mx.example.org;\r\n spf=pass smtp.mailfrom=b.test;\r\n' +
        ' dkim=pass header.d=b.test header.s=s1;\r\n dmarc=pass (p=reject) header.from=b.test;\r\n' +
        ' iprev=fail policy.iprev=192.0.2.1\r\n',
    );
  });
  test('names HELO for the null sender, quotes an IPv6 address, and says where nothing is signed', () => {
    const field = resultsField(
      HOST,
      { ...auth, dkim: [], arc: { result: 'fail' } },
      { ...envelope, mailFrom: '', clientAddress: '2001:db8::1' },
    );
    expect(field).toContain(' spf=pass smtp.helo=b.test;');
    expect(field).toContain(' dkim=none;');
    expect(field).toContain(' arc=fail;');
    expect(field).toContain(' iprev=fail policy.iprev="2001:db8::1"\r\n');
  });
  test.each([
    ['a line break', 's\r\nX-Evil: 1', ''],
    ['a semicolon', 's; dmarc=pass', ' header.s="s; dmarc=pass"'],
    ['a quote', 's" dmarc=pass "', ' header.s="s\\" dmarc=pass \\""'],
    ['other letters', 'schlüssel', ''],
    ['nothing', '', ''],
    ['too much', 's'.repeat(300), ''],
  ])('a selector with %s cannot write another result', (_, selector, written) => {
    const dkim = [{ result: 'pass', domain: 'b.test', selector } as const];
    const field = resultsField(HOST, { ...auth, dkim }, envelope);
    expect(field).toContain(` dkim=pass header.d=b.test${written};\r\n`);
    expect(field.split('\r\n').filter((line) => !line.startsWith(' '))).toHaveLength(2);
  });
});

const OURS: readonly string[] = [
  'Authentication-Results: mx.example.org; dmarc=pass\r\n',
  'AUTHENTICATION-RESULTS  :mx.example.org;dmarc=pass\r\n',
  'authentication-results:\r\n  MX.Example.ORG;\r\n\tdmarc=pass\r\n',
  'Authentication-Results\r\n : mx.example.org; dmarc=pass\r\n',
  'Authentication-Results: mx.example.org. 1; none\r\n',
  'Authentication-Results: (a (nested) "comment\\)) "mx.example.org" 1; none\r\n',
  'Authentication-Results: "mx\\.example.org"; none\r\n',
  'Authentication-Results: (never closed mx.example.org; dmarc=pass\r\n',
  'Authentication-Results: (;)(b)mx.example.org(c); dmarc=pass\r\n',
  'Authentication-Results: "mx.example.org" ; dmarc=pass\r\n',
  'Authentication-Results: mx.example.org\r\n',
];
const OTHERS: readonly string[] = [
  'Authentication-Results: mx.example.net; dmarc=pass\r\n',
  'Authentication-Results: other.mx.example.org; dmarc=pass\r\n',
  'Authentication-Results: mx.example.net; spf=pass smtp.helo=mx.example.org\r\n',
  'Authentication-Results: (mx.example.org) mx.example.net; none\r\n',
  'Authentication-Results: (mx.example.org\\) mx.example.org) mx.example.net; none\r\n',
  'Authentication-Results: (a (b) mx.example.org) mx.example.net; none\r\n',
  'X-Authentication-Results: mx.example.org; dmarc=pass\r\n',
  'ARC-Authentication-Results: i=1; mx.example.org; dmarc=pass\r\n',
  'Subject: a\r\n Authentication-Results: mx.example.org; none\r\n',
];
const REST = 'Subject: \xe4\r\n folded\r\n\r\nAuthentication-Results: mx.example.org; body\r\n';
const mail = (...fields: readonly string[]): Buffer =>
  Buffer.from(`Received: x\r\n${fields.join('')}${REST}`, 'latin1');

describe('fields of an incoming mail in the name of this service', () => {
  test.each(OURS)('%j goes', (field) => {
    expect(withoutOwnResults(mail(field), HOST)).toEqual(mail());
    expect(withoutOwnResults(mail(OTHERS[0] ?? '', field, field), HOST)).toEqual(mail(OTHERS[0] ?? ''));
  });
  test.each(OTHERS)('%j stays', (field) => {
    const content = mail(field);
    expect(withoutOwnResults(content, HOST)).toBe(content);
  });
  test('a quoted string that is as long as a mail is read to a bound', () => {
    const field = (id: string) => `Authentication-Results: "${'\\"'.repeat(400_000)}${id}\r\n`;
    expect(withoutOwnResults(mail(field('other')), HOST)).toEqual(mail(field('other')));
  });
  test('where the name comes behind more than is read, the field goes', () => {
    expect(
      withoutOwnResults(mail(`Authentication-Results:${' '.repeat(3_000)}${HOST}; none\r\n`), HOST),
    ).toEqual(mail());
  });
  test('it may be the whole mail, the first field, or come where there is no header', () => {
    const field = OURS[0] ?? '';
    expect(withoutOwnResults(Buffer.from(field), HOST).toString()).toBe('');
    expect(withoutOwnResults(Buffer.from(`${field}\r\nbody`), HOST).toString()).toBe('\r\nbody');
    const headless = Buffer.from(`\r\n${field}\r\nbody`);
    expect(withoutOwnResults(headless, HOST)).toBe(headless);
  });
});
