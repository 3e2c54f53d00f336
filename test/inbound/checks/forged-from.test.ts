// Mail that shows the address of a domain that others must not use (p=reject), in each form in which From may be written: DMARC and
// the rules on senders are about the address that is shown.
import { beforeEach, describe, expect, test } from 'vitest';
import { verdictOf } from '#src/inbound/checks/verdict-rules.ts';
import { initialOptions } from '#src/inbound/options.ts';
import { readHead } from '#src/inbound/reading/head.ts';
import { HEAD, mailOf, useScene } from './scene.ts';

const scene = useScene();
beforeEach(() => {
  scene.zone.set('_dmarc.bank.test', 'TXT', 'v=DMARC1; p=reject');
  scene.zone.set('evil.test', 'TXT', 'v=spf1 ip4:192.0.2.10 -all');
});

const mail = (fields: string): Buffer => mailOf(HEAD.replace(/^From: .*\r\n/, fields));
/** `550 dmarc` at a mailbox that refuses what fails, and at one that takes it, but not from that domain. */
const judged = async (content: Buffer) => {
  const { from } = readHead(content);
  const checked = await scene.check(content, { mailFrom: 'x@evil.test' });
  const at = (block: string[], dmarcAction: 'accept' | 'reject'): string => {
    const senders = { ...initialOptions.senders, block };
    const verdict = verdictOf(checked, senders, { mode: 'accept', dmarcAction, spamAction: 'accept' });
    return verdict.to === 'refused' ? `${verdict.code} ${verdict.reason}` : verdict.to;
  };
  return { shown: from?.address, byDmarc: at([], 'reject'), byList: at(['bank.test'], 'accept') };
};
const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

describe('the address of another', () => {
  test.each([
    'From: ceo@bank.test',
    'From : Boss <ceo@bank.test>',
    'From\r\n : ceo@bank.test',
    'From:\r\n ceo@bank.test',
    'From: Boss <ceo@bank.test\x01>',
    'From: Boss <ceo\0@bank.test>',
    'From: Boss <ceo@ba\u200bnk.test>',
    'From: ceo@\u2060bank.test',
    'From: <ceo@bank.test\u202e>',
    'From: ceo@ba\u00adnk.test',
    'From: "ceo"@bank.test',
    'From: Boss <"ceo"@bank.test>',
    'From: "ceo@bank.test"@evil.test',
    'From: Boss <ceo @bank.test>',
    'From: Boss < ceo@ bank . test >',
    'From: ceo@(x)bank.test',
    'From: ceo(x)@bank.test',
    'From: (ceo@bank.test)',
    'From: <@evil.test,@b.test:ceo@bank.test>',
    'From: =?utf-8?Q?ceo=40bank.test?=',
    `From: ${encoded('Boss <ceo@ba\u200bnk.test>')}`,
    'From: <=?utf-8?Q?ceo=40bank.test?=>',
    'From: ceo@=?utf-8?Q?bank.test?=',
    'From: [ceo@bank.test]',
    'From: ceo@bank.test <>',
    'From: "ceo@bank.test"',
    'From: <ceo@bank.test',
    'From: "Boss <ceo@bank.test>',
    'From: ceo@bank.test.',
    'From: CEO@BANK.test',
    'From: "x <x@evil.test>" <ceo @bank.test>',
    'From: x@evil.test:ceo@bank.test;',
    'From: Boss, Big <ceo@bank.test>',
    'X: \xfc\r\nContent-Type: x; charset=utf-7\r\nFrom: ceo+AEA-bank.test',
  ])('%j', async (fields) => {
    const content = fields.includes('utf-7')
      ? Buffer.from(mail(`${fields}\r\n`).toString(), 'latin1')
      : mail(`${fields}\r\n`);
    const { shown, ...verdicts } = await judged(content);
    expect(shown?.toLowerCase()).toBe('ceo@bank.test');
    expect(verdicts).toEqual({ byDmarc: '550 dmarc', byList: '550 blocked_sender' });
  });

  test.each([
    ['beside one’s own', 'From: x@evil.test, ceo@bank.test', 'x@evil.test'],
    ['behind one’s own', 'From: <x@evil.test> <ceo@bank.test>', 'x@evil.test'],
    ['in a second field', 'From: x@evil.test\r\nFrom\r\n : ceo@bank.test', 'x@evil.test'],
  ])('%s', async (_, fields, shown) => {
    expect(await judged(mail(`${fields}\r\n`))).toEqual({
      shown,
      byDmarc: '550 dmarc',
      byList: '550 blocked_sender',
    });
  });
});

describe('no author', () => {
  test.each([
    '',
    'From:',
    'From: Bank',
    'From: Bank <>',
    'From: ceo\uff20bank.test',
    "From: 'ceo@bank.test'",
    'From: ceo@bank.test/x',
    'From: ceo@[192.0.2.1]',
    'From: Boss <"ceo\\@bank.test"@evil.test>',
    'From: x@evil.test, ceo@bank.test/x',
    `From: ${'a'.repeat(310)}@bank.test.evil.test`,
    'From: Bank:;',
    `From: ${'x@evil.test,'.repeat(200)} ceo@bank.test`,
  ])('%j', async (fields) => {
    expect((await judged(mail(fields === '' ? '' : `${fields}\r\n`))).byDmarc).toBe('550 dmarc');
  });
});

test.each([
  ['x@evil.test', 'x@evil.test'],
  ['"ceo@bank.test" <x@evil.test>', 'x@evil.test'],
  ['ceo@bank.test <x@evil.test>', 'x@evil.test'],
  ['x@evil.test (ceo@bank.test)', 'x@evil.test'],
  ['"x y"@evil.test', '"x y"@evil.test'],
  ['Müller, Jürgen <x@evil.test>', 'x@evil.test'],
  ['root@localhost', 'root@localhost'],
])('an own address: %s', async (value, shown) => {
  expect(await judged(mail(`From: ${value}\r\n`))).toEqual({ shown, byDmarc: 'inbox', byList: 'inbox' });
});
