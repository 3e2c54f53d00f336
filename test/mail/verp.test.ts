import { describe, expect, test } from 'vitest';
import {
  createCopyAddresses,
  decodeFeedbackId,
  decodeReturnPath,
  decodeUnsubscribeAddress,
  encodeReturnPath,
  looksLikeReturnPath,
  returnPathsIn,
} from '#src/mail/verp.ts';
import { testTokenKeys } from '#test/support/keys.ts';

const key = testTokenKeys(7);
const DOMAIN = 'praxis.example';
const target = { tenantNumber: 17, recipientId: 123_456 };
const returnPath = encodeReturnPath(key, target, DOMAIN);
const MAX_LOCAL_PART = 64;

const withLocalPart = (change: (local: string) => string): string =>
  returnPath.replace(/^[^@]+/, (local) => change(local));

describe('a return path is decoded again', () => {
  test.each([
    { tenantNumber: 0, recipientId: 0 },
    { tenantNumber: 1, recipientId: 1 },
    target,
    { tenantNumber: 2 ** 32 - 1, recipientId: 2 ** 48 - 1 },
  ])('tenant $tenantNumber, recipient $recipientId', (named) => {
    const address = encodeReturnPath(key, named, DOMAIN);
    expect(address).toMatch(/^b\+1[a-z2-7]{32}@bounce\.praxis\.example$/);
    expect(address.indexOf('@')).toBeLessThanOrEqual(MAX_LOCAL_PART);
    expect(decodeReturnPath(key, address)).toEqual(named);
  });

  test.each([
    ['in upper case', returnPath.toUpperCase()],
    ['with the + folded to -', withLocalPart((local) => local.replace('+', '-'))],
    ['with the + folded to =', withLocalPart((local) => local.replace('+', '='))],
    ['with the domain in another case', returnPath.replace('praxis', 'Praxis')],
  ])('%s', (_, address) => {
    expect(decodeReturnPath(key, address)).toEqual(target);
  });
});

describe('nothing else is decoded', () => {
  test('a token in the place of one for another purpose', () => {
    // Who can unsubscribe a copy may not report that it bounced, nor the reverse.
    const addresses = createCopyAddresses(key);
    const unsubscribe = addresses.unsubscribe(target, DOMAIN);
    expect(decodeUnsubscribeAddress(key, unsubscribe)).toEqual(target);
    expect(decodeReturnPath(key, unsubscribe)).toBeNull();
    expect(decodeReturnPath(key, unsubscribe.replace(/^u-/, 'b+'))).toBeNull();
    expect(decodeUnsubscribeAddress(key, returnPath.replace(/^b\+/, 'u-'))).toBeNull();
    const feedbackId = addresses.feedbackId(target);
    expect(decodeFeedbackId(key, feedbackId)).toEqual(target);
    expect(decodeReturnPath(key, `b+${feedbackId}@bounce.`)).toBeNull();
    expect(decodeUnsubscribeAddress(key, `u-${feedbackId}@bounce.`)).toBeNull();
  });

  test('any one character changed', () => {
    const at = returnPath.indexOf('@');
    const others = 'abcdefghijklmnopqrstuvwxyz234567019+-=_.@ ';
    const accepted: string[] = [];
    for (let index = 0; index < at; index++) {
      for (const char of others) {
        const changed = returnPath.slice(0, index) + char + returnPath.slice(index + 1);
        const isVariant = changed === returnPath || (index === 1 && '+-='.includes(char));
        if (!isVariant && decodeReturnPath(key, changed) !== null) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  test('any two characters exchanged', () => {
    const [local = '', host = ''] = returnPath.split('@');
    for (let index = 0; index + 1 < local.length; index++) {
      const swapped =
        local.slice(0, index) + local.charAt(index + 1) + local.charAt(index) + local.slice(index + 2);
      if (swapped !== local) expect(decodeReturnPath(key, `${swapped}@${host}`), swapped).toBeNull();
    }
  });

  test.each([
    ['another key', testTokenKeys(8), returnPath],
    ['another domain', key, returnPath.replace(DOMAIN, 'other.example')],
    ['a domain below', key, returnPath.replace('bounce.', 'bounce.sub.')],
    ['no bounce label', key, returnPath.replace('bounce.', '')],
    ['a longer token', key, withLocalPart((local) => `${local}a`)],
    ['a shorter token', key, withLocalPart((local) => local.slice(0, -1))],
    ['a token of another form', key, withLocalPart((local) => local.replace('b+1', 'b+2'))],
    ['quotes around it', key, withLocalPart((local) => `"${local}"`)],
    ['a space before it', key, ` ${returnPath}`],
    ['a line break after it', key, `${returnPath}\n`],
    ['a line break in it', key, withLocalPart((local) => `${local}\n`)],
    ['angle brackets', key, `<${returnPath}>`],
    ['an ordinary address', key, 'anna@praxis.example'],
    ['an ordinary address at a bounce host', key, 'postmaster@bounce.praxis.example'],
    ['no @', key, returnPath.replace('@', '')],
    ['two @', key, returnPath.replace('@', '@@')],
    ['nothing', key, ''],
    ['only an @', key, '@'],
    ['letters that only look alike', key, withLocalPart((local) => local.replace(/[a-z]/g, 'а'))],
  ])('%s', (_, usedKey, address) => {
    expect(decodeReturnPath(usedKey, address)).toBeNull();
  });
});

test('numbers that do not fit are refused rather than cut', () => {
  expect(() => encodeReturnPath(key, { tenantNumber: 2 ** 32, recipientId: 1 }, DOMAIN)).toThrow(RangeError);
  expect(() => encodeReturnPath(key, { tenantNumber: 1, recipientId: 2 ** 48 }, DOMAIN)).toThrow(RangeError);
});

describe('return paths in a text', () => {
  const other = encodeReturnPath(key, { tenantNumber: 1, recipientId: 2 }, 'xn--zahnrzte-4za.example');

  test.each([
    ['as a field', `Return-Path: <${returnPath}>`, [returnPath]],
    ['in a line of Received', `(envelope-from <${returnPath}>)`, [returnPath]],
    ['in capitals', returnPath.toUpperCase(), [returnPath]],
    ['each once', `${returnPath} ${other},${returnPath}`, [returnPath, other]],
    ['as a part of something longer', `x${returnPath}`, []],
    ['without its host', returnPath.slice(0, returnPath.indexOf('@')), []],
    ['at another kind of host', returnPath.replace('bounce.', 'mail.'), []],
    ['too short', returnPath.replace(/.@/, '@'), []],
  ])('%s', (_, text, found) => {
    expect(returnPathsIn(text, 10)).toEqual(found);
  });

  test('are at most as many as requested', () => {
    expect(returnPathsIn(`${returnPath} ${other}`, 1)).toEqual([returnPath]);
  });
});

test.each([
  [returnPath, true],
  ['B-1', true],
  ['b=x', true],
  ['bounce', false],
  ['berta+1', false],
  ['postmaster', false],
  ['', false],
])('%j begins like one: %s', (localPart, expected) => {
  expect(looksLikeReturnPath(localPart)).toBe(expected);
});
