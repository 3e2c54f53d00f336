import { describe, expect, test } from 'vitest';
import { familyOf, type ListAnswer, readListAnswer } from '#src/content/scanners/list-codes.ts';

const clean: ListAnswer = { kind: 'clean' };
const unusable: ListAnswer = { kind: 'unusable' };
const listed = (weight: number): ListAnswer => ({ kind: 'listed', weight });

const DBL = 'dbl.spamhaus.org';
const SURBL = 'multi.surbl.org';
const URIBL = 'multi.uribl.com';
const OWN = 'block.example.net';

describe('an answer', () => {
  test.each<[zone: string, addresses: string, meaning: string, expected: ListAnswer]>([
    [DBL, '127.0.1.2', 'spam', listed(100)],
    [DBL, '127.0.1.4', 'phishing', listed(100)],
    [DBL, '127.0.1.5', 'malware', listed(100)],
    [DBL, '127.0.1.6', 'a botnet', listed(100)],
    [DBL, '127.0.1.102', 'a decent host that was abused', listed(15)],
    [DBL, '127.0.1.106', 'the same for a botnet', listed(15)],
    [DBL, '127.0.1.107', 'a code of the future', clean],
    [DBL, '127.0.1.255', 'an address was asked for', unusable],
    [DBL, '127.0.0.2', 'a code of another list', unusable],
    [DBL, '127.255.255.252', 'a typing error in the zone', unusable],
    [DBL, '127.255.255.254', 'an open resolver', unusable],
    [DBL, '127.255.255.255', 'too many questions', unusable],
    [DBL, '192.0.2.1', 'somebody who answers for all names', unusable],
    [DBL, '127.0.1.102 127.0.1.4', 'two things, of which the worse counts', listed(100)],
    [DBL, '127.255.255.254 127.0.1.2', 'a listing beside an error', listed(100)],
    [SURBL, '127.0.0.8', 'phishing', listed(100)],
    [SURBL, '127.0.0.16', 'malware', listed(100)],
    [SURBL, '127.0.0.128', 'a host that was broken into', listed(100)],
    [SURBL, '127.0.0.64', 'abuse', listed(30)],
    [SURBL, '127.0.0.32', 'a click tracker', listed(5)],
    [SURBL, '127.0.0.4', 'disposable mail', listed(10)],
    [SURBL, '127.0.0.72', 'phishing and abuse', listed(100)],
    [SURBL, '127.0.0.96', 'a click tracker and abuse', listed(30)],
    [SURBL, '127.0.0.2', 'a bit without meaning', clean],
    [SURBL, '127.0.0.1', 'a refused question', unusable],
    [SURBL, '127.0.0.9', 'a refused question with another bit', unusable],
    [SURBL, '127.0.1.8', 'a code of another list', unusable],
    [URIBL, '127.0.0.2', 'black', listed(100)],
    [URIBL, '127.0.0.4', 'grey', listed(10)],
    [URIBL, '127.0.0.8', 'red', listed(10)],
    [URIBL, '127.0.0.14', 'all three', listed(100)],
    [URIBL, '127.0.0.1', 'a refused question', unusable],
    [URIBL, '127.0.0.255', 'a refused question', unusable],
    [OWN, '127.0.0.2', 'the usual code', listed(100)],
    [OWN, '127.1.2.3', 'any other', listed(100)],
    [OWN, '127.0.0.1', 'what no list may answer', unusable],
    [OWN, '127.255.255.254', 'an error as others have it', unusable],
    [OWN, '198.51.100.7', 'somebody else', unusable],
    [OWN, '127.255.0.2', 'nothing that is agreed on', unusable],
  ])('of %s, %s, means %s', (zone, addresses, _, expected) => {
    expect(readListAnswer(familyOf(zone), addresses.split(' '))).toEqual(expected);
  });
});

describe('a zone', () => {
  test.each([
    [DBL, 'dbl.spamhaus'],
    ['abcdefghijklmnopqrstuvwxyz.dbl.dq.spamhaus.net', 'dbl.spamhaus'],
    [SURBL, 'multi.surbl'],
    ['key.multi.surbl.org', 'multi.surbl'],
    [URIBL, 'multi.uribl'],
    ['k3y.df.uribl.com', 'multi.uribl'],
    ['notmulti.uribl.com', 'notmulti.uribl.com'],
    ['dbl.spamhaus.org.example', 'dbl.spamhaus.org.example'],
    [OWN, OWN],
  ])('%s is shown as %s, without a subscriber’s key', (zone, name) => {
    expect(familyOf(zone).name).toBe(name);
  });
});
