import { describe, expect, test } from 'vitest';
import type { Draft } from '#src/intake/draft.ts';
import { type Facts, kindOf } from '#src/intake/gate.ts';
import { MAX_RECIPIENTS } from '#src/intake/gates/request-gates.ts';
import { gates, passGates } from '#src/intake/gates.ts';
import { parseAddress } from '#src/mail/address.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { MESSAGE } from '#test/support/draft.ts';
import { FACTS } from '#test/support/facts.ts';

const draft: Draft = MESSAGE;
const facts: Facts = FACTS;
const people = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, index) => parseAddress(`${prefix}${index}@example.org`));
const pdf = {
  filename: 'a.pdf',
  contentType: 'application/pdf',
  contentId: null,
  content: contentOf('pdf'),
};

interface Case {
  readonly name: string;
  readonly draft?: Partial<Draft>;
  readonly facts?: Partial<Facts>;
}

const judge = (given: Case) => passGates({ ...draft, ...given.draft }, { ...facts, ...given.facts });

describe('passes', () => {
  test.each<Case>([
    { name: 'an ordinary message' },
    {
      name: 'as many recipients as allowed',
      draft: { to: people(20), cc: people(20, 'c'), bcc: people(10, 'b') },
    },
    {
      name: 'marketing over a marketing route',
      draft: { kind: 'newsletter' },
      facts: { route: { id: 'r', slug: 'b', type: 'marketing' } },
    },
    { name: 'From on the managed host', facts: { from: parseAddress('x@praxis.send.example.com') } },
    {
      name: 'the simulator in safe mode',
      draft: { to: [parseAddress('bounce@simulator.mail.example.com')] },
      facts: { safeMode: true },
    },
    {
      name: 'an allowed address in safe mode',
      draft: { to: [parseAddress('Seed@Testers.example')] },
      facts: { safeMode: true },
    },
    {
      name: 'an allowed domain in safe mode',
      draft: { to: [parseAddress('any@own.example')] },
      facts: { safeMode: true },
    },
    { name: 'a header of its own', draft: { headers: [['X-A', '1']] } },
    { name: 'an attachment', draft: { attachments: [pdf] } },
  ])('$name', (given) => {
    const { verdicts, refusal } = judge(given);
    expect(refusal).toBeNull();
    expect(verdicts.map(({ gate, verdict }) => `${gate} ${verdict}`)).toEqual(
      gates.map(({ name }) => `${name} passed`),
    );
  });
});

describe('refuses', () => {
  test.each<Case & { gate: string; code: string; extra: Record<string, unknown> }>([
    {
      name: 'a paused tenant',
      facts: { pause: { reason: 'bounces', at: 0 } },
      gate: 'tenant_state',
      code: 'tenant_paused',
      extra: { reason: 'bounces', paused_at: '1970-01-01T00:00:00.000Z' },
    },
    {
      name: 'nobody',
      draft: { to: [] },
      gate: 'recipient_count',
      code: 'invalid_recipient',
      extra: { recipients: [] },
    },
    {
      name: 'one recipient too many, Cc and Bcc counted',
      draft: { to: people(49), cc: people(1, 'c'), bcc: people(1, 'b') },
      gate: 'recipient_count',
      code: 'too_many_recipients',
      extra: { count: 51, limit: MAX_RECIPIENTS },
    },
    {
      name: 'letters beyond ASCII before the @',
      draft: { bcc: [parseAddress('jürgen@example.org')] },
      gate: 'internationalised_addresses',
      code: 'invalid_recipient',
      extra: { recipients: ['jürgen@example.org'] },
    },
    {
      name: 'marketing over a transactional route',
      draft: { kind: 'newsletter' },
      gate: 'kind_and_route',
      code: 'kind_not_allowed_on_route',
      extra: {},
    },
    {
      name: 'a termin over a marketing route',
      draft: { kind: 'termin' },
      facts: { route: { id: 'r', slug: 'broadcast', type: 'marketing' } },
      gate: 'kind_and_route',
      code: 'kind_not_allowed_on_route',
      extra: {},
    },
    {
      name: 'From on a stranger’s domain',
      facts: { from: parseAddress('x@stranger.example') },
      gate: 'sender_domain',
      code: 'from_not_allowed',
      extra: { allowed: facts.sendingHosts },
    },
    {
      name: 'From below its own domain',
      facts: { from: parseAddress('x@sub.praxis.example') },
      gate: 'sender_domain',
      code: 'from_not_allowed',
      extra: { allowed: facts.sendingHosts },
    },
    {
      name: 'From on a domain that is not verified',
      facts: { from: parseAddress('x@neu.example') },
      gate: 'sender_domain',
      code: 'dkim_not_verified',
      extra: { missing: ['dkim'] },
    },
    {
      name: 'a stranger among allowed recipients in safe mode',
      draft: { to: [parseAddress('seed@testers.example')], bcc: [parseAddress('b@x.org')] },
      facts: { safeMode: true },
      gate: 'safe_mode',
      code: 'safe_mode_recipient',
      extra: { recipients: ['b@x.org'] },
    },
    {
      name: 'a domain below an allowed one in safe mode',
      draft: { to: [parseAddress('a@sub.own.example')] },
      facts: { safeMode: true },
      gate: 'safe_mode',
      code: 'safe_mode_recipient',
      extra: { recipients: ['a@sub.own.example'] },
    },
    {
      name: 'a header that is not the sender’s',
      draft: {
        headers: [
          ['X-A', '1'],
          ['Bcc', 'x@x.org'],
        ],
      },
      gate: 'headers',
      code: 'header_not_allowed',
      extra: { header: 'Bcc' },
    },
    {
      name: 'a header given twice, in another case',
      draft: {
        headers: [
          ['X-Case', '1'],
          ['x-case', '2'],
        ],
      },
      gate: 'headers',
      code: 'header_not_allowed',
      extra: { header: 'x-case' },
    },
    {
      name: 'an order to a relay',
      draft: { headers: [['X-SMTPAPI', '{"to":["b@x.org"]}']] },
      gate: 'headers',
      code: 'header_not_allowed',
      extra: { header: 'X-SMTPAPI' },
    },
    {
      name: 'a type of file that is not allowed',
      draft: { attachments: [pdf, { ...pdf, filename: 'a.exe' }] },
      gate: 'attachments',
      code: 'attachment_rejected',
      extra: { attachment: 'a.exe', reason: 'this type of file is not allowed' },
    },
    {
      name: 'a file that is not what its name says',
      draft: { attachments: [pdf, { ...pdf, filename: 'b.pdf', content: contentOf('docx') }] },
      gate: 'attachments',
      code: 'attachment_rejected',
      extra: { attachment: 'b.pdf', reason: 'its content is not what its name says' },
    },
  ])('$name: $code', (given) => {
    const { verdicts, refusal } = judge(given);
    expect(refusal?.code).toBe(given.code);
    expect(refusal?.extra).toEqual(given.extra);
    const names = gates.map(({ name }) => name);
    expect(verdicts.map(({ gate }) => gate)).toEqual(names.slice(0, names.indexOf(given.gate) + 1));
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      ...verdicts.slice(1).map(() => 'passed'),
      'refused',
    ]);
    // The verdicts are stored as JSON.
    expect(JSON.parse(JSON.stringify(verdicts))).toEqual(verdicts);
  });

  test('by the first gate of all that would', () => {
    const { refusal } = judge({ name: '', draft: { to: [] }, facts: { pause: { reason: 'x', at: 0 } } });
    expect(refusal?.code).toBe('tenant_paused');
  });
});

test.each([
  { kind: null, type: 'transactional', result: 'transactional' },
  { kind: null, type: 'marketing', result: 'newsletter' },
  { kind: 'termin', type: 'marketing', result: 'termin' },
] as const)('a message of kind $kind over a $type route is $result', ({ kind, type, result }) => {
  expect(kindOf({ ...draft, kind }, { ...facts, route: { id: 'r', slug: 'r', type } })).toBe(result);
});
