import { describe, expect, test } from 'vitest';
import { answerQuery } from '#src/domains/dns/answer.ts';
import { decodeQuery, encodeResponse, udpLimit } from '#src/domains/dns/wire.ts';
import { sampleZones } from './sample-zones.ts';

/** A query's octets: flags, counts, then what follows, all hexadecimal. */
const packet = (...parts: string[]): Buffer => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
const label = (text: string): string => hex(String.fromCharCode(text.length) + text);
const host = [label('post'), label('example'), '00'].join('');
const one = 'abcd 0100 0001 0000 0000';
const opt = (payload: string, version = '00', flags = '0000', data = ''): string =>
  `00 0029 ${payload} 00 ${version} ${flags} ${(data.replaceAll(' ', '').length / 2).toString(16).padStart(4, '0')} ${data}`;

describe('what can be read', () => {
  test('a plain question', () => {
    const query = decodeQuery(packet(one, '0000', host, '0001 0001'));
    expect(query).toMatchObject({ id: 0xabcd, opcode: 0, recursionDesired: true, edns: null });
    expect(query?.question).toMatchObject({ name: 'post.example', type: 1, class: 1 });
  });

  test.each<[sentence: string, octets: string, name: string]>([
    ['a dot inside a label is not a separator', label('evil.post'), 'evil\\046post'],
    ['a backslash is escaped', label('a\\046b'), 'a\\092046b'],
    ['octets that no host name has are numbers', label('\u00ff\u0000 '), '\\255\\000\\032'],
    ['case stays', label('PoSt'), 'PoSt'],
    ['the root is empty', '', ''],
  ])('%s', (_sentence, octets, name) => {
    expect(decodeQuery(packet(one, '0000', octets, '00 0001 0001'))?.question?.name).toBe(name);
  });

  test.each<[sentence: string, octets: string, edns: object]>([
    ['EDNS', opt('04d0'), { version: 0, payload: 1_232, dnssecOk: false }],
    ['EDNS that wants DNSSEC', opt('1000', '00', '8000'), { version: 0, payload: 4_096, dnssecOk: true }],
    ['unknown options', opt('04d0', '00', '0000', 'fde9 0003 010203'), { payload: 1_232 }],
    ['a client subnet of no family', opt('04d0', '00', '0000', '0008 0004 0000 0000'), { payload: 1_232 }],
  ])('%s', (_sentence, octets, edns) => {
    const query = decodeQuery(packet(one, '0001', host, '0001 0001', octets));
    expect(query?.edns).toMatchObject(edns);
  });

  test('other records around EDNS are passed over', () => {
    const a = 'c00c 0001 0001 00000000 0004 7f000001';
    const octets = packet('abcd 0100 0001 0001 0000 0002', host, '0001 0001', a, a, opt('04d0'));
    expect(decodeQuery(octets)?.edns?.payload).toBe(1_232);
  });
});

describe('what cannot', () => {
  const question = `${host} 0001 0001`;
  test.each<[sentence: string, octets: Buffer]>([
    ['nothing', packet('')],
    ['eleven octets', packet('abcd 0100 0001 0000 0000 00')],
    ['a response', packet('abcd 8180 0001 0000 0000 0000', question)],
  ])('is dropped: %s', (_sentence, octets) => expect(decodeQuery(octets)).toBeNull());

  test.each<[sentence: string, octets: Buffer]>([
    ['only a header', packet(one, '0000')],
    ['no question', packet('abcd 0100 0000 0000 0000 0000')],
    ['two questions', packet('abcd 0100 0002 0000 0000 0000', question, question)],
    ['a label cut short', packet(one, '0000 04 706f73')],
    ['a name without end', packet(one, '0000', label('post'))],
    ['a question without class', packet(one, '0000', host, '0001 00')],
    ['a pointer in the question', packet(one, '0000 c00c 0001 0001')],
    ['a label of a kind that is no more', packet(one, '0000 41 00 0001 0001')],
    ['a name too long', packet(one, '0000', label('a'.repeat(63)).repeat(4), '00 0001 0001')],
    ['fewer records than said', packet(one, '0001', question)],
    ['a record longer than the packet', packet(one, '0001', question, opt('04d0').slice(0, -5), '0001')],
    ['EDNS twice', packet(one, '0002', question, opt('04d0'), opt('04d0'))],
    ['EDNS at a name', packet(one, '0001', question, 'c00c', opt('04d0').slice(2))],
    ['EDNS among the answers', packet('abcd 0100 0001 0001 0000 0000', question, opt('04d0'))],
    ['more octets than any query has', Buffer.concat([packet(one, '0000', question), Buffer.alloc(4_096)])],
  ])('is malformed: %s', (_sentence, octets) => {
    expect(decodeQuery(octets)).toMatchObject({
      id: 0xabcd,
      recursionDesired: true,
      question: null,
      edns: null,
    });
  });
});

describe('responses', () => {
  test.each<[payload: string, limit: number]>([
    ['0000', 512],
    ['0200', 512],
    ['0400', 1_024],
    ['04d0', 1_232],
    ['ffff', 1_232],
  ])('an asker that takes 0x%s octets gets %i at most', (payload, limit) => {
    const query = decodeQuery(packet(one, '0001', host, '0001 0001', opt(payload)));
    expect(query && udpLimit(query)).toBe(limit);
  });

  const respond = (octets: Buffer, limit = 512): string => {
    const query = decodeQuery(octets);
    if (!query) throw new Error('nothing to answer');
    return encodeResponse(query, answerQuery(query, sampleZones()), limit).toString('hex');
  };
  const flat = (...parts: string[]): string => packet(...parts).toString('hex');

  test('the question comes back as it was and the owner points into it', () => {
    const asked = [label('pOSt'), label('eXAMPLe'), '00 0001 0001'].join('');
    expect(respond(packet(one, '0000', asked))).toBe(
      flat('abcd 8500 0001 0001 0000 0000', asked, 'c00c 0001 0001 00000e10 0004 c000020a'),
    );
  });

  test('a wildcard answers under the odd name it was asked for', () => {
    const asked = [label('a.\u00ff'), label('_report'), label('_dmarc'), host, '0010 0001'].join('');
    expect(respond(packet(one, '0000', asked))).toBe(
      flat('abcd 8500 0001 0001 0000 0000', asked, 'c00c 0010 0001 00000e10 0009 08', hex('v=DMARC1')),
    );
  });

  test('the SOA of a negative answer points to its apex, also behind an odd label', () => {
    const asked = [label('\u0001\u0002'), host, '0001 0001'].join('');
    expect(respond(packet(one, '0000', asked))).toContain(flat(asked, 'c00f 0006 0001 0000012c'));
  });

  test('EDNS is answered with our size, the DNSSEC bit as it came', () => {
    const octets = packet(one, '0001', host, '0001 0001', opt('1000', '00', '8000', 'fde9 0001 ff'));
    expect(respond(octets)).toMatch(new RegExp(`${flat('00 0029 04d0 00 00 8000 0000')}$`));
  });

  test('a later EDNS is told our version: BADVERS is 1 in the OPT record and 0 in the header', () => {
    const octets = packet(one, '0001', host, '0001 0001', opt('04d0', '01'));
    expect(respond(octets)).toBe(
      flat('abcd 8100 0001 0000 0000 0001', host, '0001 0001', '00 0029 04d0 01 00 0000 0000'),
    );
  });

  test('a malformed query gets its header back', () => {
    expect(respond(packet(one, '0000'))).toBe(flat('abcd 8101 0000 0000 0000 0000'));
  });

  test('what does not fit is truncated to the question and EDNS', () => {
    const octets = packet(one, '0001', host, '0002 0001', opt('04d0'));
    expect(respond(octets, 60)).toBe(
      flat('abcd 8700 0001 0000 0000 0001', host, '0002 0001', '00 0029 04d0 00 00 0000 0000'),
    );
  });
});
