import { describe, expect, test } from 'vitest';
import {
  answerQuery,
  bare,
  type Query,
  type Rcode,
  rcodes,
  recordTypeNumbers,
  truncate,
} from '#src/domains/dns/answer.ts';
import { sampleZones } from './sample-zones.ts';

const types = { ...recordTypeNumbers, HTTPS: 65, DS: 43, IXFR: 251, AXFR: 252, ANY: 255 };
const zones = sampleZones();

const ask = (name: string, type: keyof typeof types, changed: Partial<Query> = {}, dnsClass = 1): Query => ({
  id: 1,
  opcode: 0,
  recursionDesired: true,
  question: { name, type: types[type], class: dnsClass, octets: Buffer.alloc(0) },
  edns: null,
  ...changed,
});

type Code = keyof typeof rcodes;
const codeOf = (rcode: Rcode): string | undefined =>
  Object.entries(rcodes).find(([, number]) => number === rcode)?.[0];

describe('what is answered', () => {
  const key = 'aaa._domainkey.berg.praxis.example';
  test.each<[sentence: string, query: Query, code: Code, answers: string[], authority: string[]]>([
    ['a type that is there', ask('in.berg.praxis.example', 'MX'), 'NOERROR', ['MX'], []],
    ['both addresses each by its type', ask('post.example', 'AAAA'), 'NOERROR', ['AAAA'], []],
    [
      'a type that is not there: SOA',
      ask('berg.praxis.example', 'MX'),
      'NOERROR',
      [],
      ['SOA praxis.example'],
    ],
    ['a type we know nothing of', ask('post.example', 'HTTPS'), 'NOERROR', [], ['SOA post.example']],
    ['an empty name', ask('dkim.post.example', 'TXT'), 'NOERROR', [], ['SOA post.example']],
    ['no such name', ask('tal.praxis.example', 'MX'), 'NXDOMAIN', [], ['SOA praxis.example']],
    ['a name in any case', ask('IN.BERG.praxis.EXAMPLE', 'MX'), 'NOERROR', ['MX'], []],
    ['an alias is followed', ask(key, 'TXT'), 'NOERROR', ['CNAME', 'TXT'], []],
    ['an alias asked for is not', ask(key, 'CNAME'), 'NOERROR', ['CNAME'], []],
    ['an alias without the type', ask(key, 'A'), 'NOERROR', ['CNAME'], ['SOA post.example']],
    [
      'an alias to no name',
      ask('gone._domainkey.berg.praxis.example', 'TXT'),
      'NXDOMAIN',
      ['CNAME'],
      ['SOA post.example'],
    ],
    ['ANY is one RRset', ask('post.example', 'ANY'), 'NOERROR', ['SOA'], []],
    ['ANY at an alias is the alias', ask(key, 'ANY'), 'NOERROR', ['CNAME'], []],
    ['ANY at an empty name', ask('dkim.post.example', 'ANY'), 'NOERROR', [], ['SOA post.example']],
    ['ANY of no name', ask('x.post.example', 'ANY'), 'NXDOMAIN', [], ['SOA post.example']],
  ])('%s', (_sentence, query, code, answers, authority) => {
    const response = answerQuery(query, zones);
    expect(codeOf(response.rcode)).toBe(code);
    expect(response.authoritative).toBe(true);
    expect(response.answers.map((record) => record.type)).toEqual(answers);
    expect(response.authorities.map((record) => `${record.type} ${record.name}`)).toEqual(authority);
  });

  test('the SOA of a negative answer lives as long as the negative answer may', () => {
    expect(answerQuery(ask('x.post.example', 'A'), zones).authorities[0]?.ttl).toBe(300);
    expect(answerQuery(ask('post.example', 'SOA'), zones).answers[0]?.ttl).toBe(3_600);
  });

  test('aliases in a circle end', () => {
    const circle = {
      ...zones,
      resolveName: (name: string) => {
        const found = zones.resolveName('post.example');
        return found && { ...found, records: [{ name, type: 'CNAME' as const, ttl: 1, data: `a.${name}` }] };
      },
    };
    expect(answerQuery(ask('post.example', 'A'), circle).answers).toHaveLength(5);
  });
});

describe('what is refused', () => {
  const edns = { version: 1, payload: 1_232, dnssecOk: false };
  test.each<[sentence: string, query: Query, code: Code]>([
    ['a name of somebody else', ask('example.org', 'A'), 'REFUSED'],
    ['the root', ask('', 'NS'), 'REFUSED'],
    ['a zone transfer', ask('post.example', 'AXFR'), 'REFUSED'],
    ['a part of one', ask('post.example', 'IXFR'), 'REFUSED'],
    ['another class', ask('version.bind', 'TXT', {}, 3), 'REFUSED'],
    ['any class', ask('post.example', 'A', {}, 255), 'REFUSED'],
    ['a notification', ask('post.example', 'SOA', { opcode: 4 }), 'NOTIMP'],
    ['an update', ask('post.example', 'SOA', { opcode: 5, question: null }), 'NOTIMP'],
    ['no question', ask('post.example', 'A', { question: null }), 'FORMERR'],
    ['a later EDNS', ask('post.example', 'A', { edns }), 'BADVERS'],
  ])('%s', (_sentence, query, code) => {
    const response = answerQuery(query, zones);
    expect(response).toEqual({ ...bare(rcodes[code]) });
    expect(response.authoritative).toBe(false);
  });
});

test('a truncated response keeps its code and nothing of its records', () => {
  const response = truncate(answerQuery(ask('x.post.example', 'A'), zones));
  expect(response).toMatchObject({ rcode: rcodes.NXDOMAIN, truncated: true, answers: [], authorities: [] });
});
