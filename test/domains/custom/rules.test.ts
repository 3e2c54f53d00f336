import { describe, expect, test } from 'vitest';
import { readCustomDomain } from '#src/domains/custom/rules.ts';
import { inEnglish } from '#src/kernel/say.ts';

const names = { serviceHost: 'mail.example.com', managedSuffix: 'send.example.com' };
const long = (length: number): string => {
  const end = '.praxis.test';
  const labels = Array.from({ length: 4 }, () => 'a'.repeat(50)).join('.');
  return labels.slice(0, length - end.length) + end;
};

describe('a domain of the practice’s own', () => {
  test.each([
    ['praxis-mueller.de', 'praxis-mueller.de'],
    ['Praxis-Mueller.DE', 'praxis-mueller.de'],
    [' praxis-mueller.de. ', 'praxis-mueller.de'],
    ['mail.praxis.co.uk', 'mail.praxis.co.uk'],
    ['praxis-müller.de', 'xn--praxis-mller-klb.de'],
    ['PRAXIS-MÜLLER.de', 'xn--praxis-mller-klb.de'],
    ['xn--praxis-mller-klb.de', 'xn--praxis-mller-klb.de'],
    ['praxis.test', 'praxis.test'],
    ['example.com', 'example.com'],
    ['notmail.example.com', 'notmail.example.com'],
    ['praxis.github.io', 'praxis.github.io'],
    [long(200), long(200)],
  ])('%s is taken', (text, domain) => {
    expect(readCustomDomain(text, names)).toEqual({ domain });
  });
});

describe('a domain that cannot belong to one practice', () => {
  test.each([
    ['', 'such as'],
    ['praxis', 'such as'],
    ['localhost', 'such as'],
    ['192.0.2.1', 'such as'],
    ['[192.0.2.1]', 'such as'],
    ['2001:db8::1', 'such as'],
    ['0x7f.1', 'such as'],
    ['praxis..de', 'such as'],
    ['https://praxis.de', 'write praxis.de'],
    ['https://www.praxis.de/kontakt?x=1', 'write praxis.de'],
    ['praxis.de/', 'write praxis.de'],
    ['name@praxis.de', 'write praxis.de'],
    ['mailto:name@praxis.de', 'such as'],
    ['https://192.0.2.1/', 'such as'],
    ['gmail.com', 'gmail.com belongs to a provider of mailboxes'],
    ['GMX.de', 'gmx.de belongs to a provider of mailboxes'],
    ['praxis.t-online.de', 't-online.de belongs to a provider of mailboxes'],
    ['*.praxis.de', 'such as'],
    ['_dmarc.praxis.de', 'such as'],
    ['mail.example.com', 'service’s'],
    ['MAIL.example.com.', 'service’s'],
    ['x.mail.example.com', 'service’s'],
    ['send.example.com', 'service’s'],
    ['praxis.send.example.com', 'service’s'],
    ['co.uk', 'anyone'],
    ['github.io', 'anyone'],
    [long(201), '200 characters'],
  ])('%s is refused', (text, says) => {
    const verdict = readCustomDomain(text, names);
    if ('domain' in verdict) throw new Error(`${text} is taken as ${verdict.domain}`);
    expect(inEnglish(verdict.problem)).toContain(says);
  });
});
