import { describe, expect, test } from 'vitest';
import { utcDay } from '#src/accounts/counters/rules.ts';
import { type Assessment, combine } from '#src/content/assessment.ts';
import type { Draft } from '#src/intake/draft.ts';
import { type Facts, factsOfDraft, type GateKind, gateKinds, kindOf, leavesAt } from '#src/intake/gate.ts';
import { gateErrors, gates, runGates } from '#src/intake/gates.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { DAY, MINUTE, toIso } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { kindNames } from '#src/messages/kinds.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { MESSAGE } from '#test/support/draft.ts';
import { FACTS, factsFor, NOW } from '#test/support/facts.ts';

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

const MARKETING: Partial<Facts> = { route: { id: 'r2', slug: 'broadcast', type: 'marketing' } };
const TODAY = utcDay(NOW);

/** On day `day` of the warm-up, with these numbers of mails planned from today on. */
const warming = (day: number, ...planned: number[]): Facts['warmup'] => ({
  startedAt: NOW - (day - 1) * DAY,
  managedHost: 'a.send.example.com',
  planned: new Map(planned.map((mails, index) => [TODAY + index, mails])),
});

const capped = (fields: Partial<NonNullable<Facts['plan']>>): Facts['plan'] => ({
  name: 'test',
  cap: 200,
  used: 0,
  resetsAt: Date.UTC(2026, 11, 1),
  refuses: 'all',
  notified: 0,
  managedHost: false,
  ...fields,
});

const suppression: SuppressionFacts = {
  id: 's1',
  scope: 'team',
  project_id: null,
  route_id: null,
  reason: 'hard_bounce',
};
const suppressed = (...addresses: string[]): Facts['suppressed'] =>
  new Map(addresses.map((address) => [address as Address, suppression]));

const rated = (fields: Partial<Assessment> = {}): Assessment => ({
  ...combine({ findings: [], promotional: [], promotionalScore: 0, linkHosts: [] }, null),
  ...fields,
});
const SIGNED = { type: 'multipart/signed; boundary="s"', fields: '', signed: '--s\r\n--s--\r\n' };
const finding = { id: 'caps', weight: 5, detail: null };

interface Case {
  readonly name: string;
  readonly draft?: Partial<Draft>;
  readonly facts?: Partial<Facts>;
}

const judge = (given: Case, pastRefusals = false, kinds: readonly GateKind[] = gateKinds) => {
  const its = { ...draft, ...given.draft };
  return runGates(kinds, factsFor(its, given.facts), its, pastRefusals);
};

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
    { name: 'a signed message', draft: { parts: SIGNED } },
    { name: 'a time 30 days ahead', draft: { scheduledAt: NOW + 30 * DAY } },
    { name: 'a time that has just passed', draft: { scheduledAt: NOW - 5 * MINUTE } },
    { name: 'marketing on day 3 of the warm-up', facts: { ...MARKETING, warmup: warming(3) } },
    {
      name: 'marketing on day 2 for the day after',
      draft: { scheduledAt: NOW + DAY },
      facts: { ...MARKETING, warmup: warming(2) },
    },
    { name: 'transactional mail on day 1 of the warm-up', facts: { warmup: warming(1) } },
    {
      name: 'marketing that fills the day of the warm-up',
      draft: { to: people(50) },
      facts: { ...MARKETING, warmup: warming(3, 350) },
    },
    {
      name: 'transactional mail up to twice the cap of the warm-up',
      draft: { to: people(50) },
      facts: { warmup: warming(1, 250) },
    },
    {
      name: 'marketing after the last day of the warm-up',
      facts: { ...MARKETING, warmup: warming(16, 1_000_000) },
    },
    { name: 'the last mail of the plan', facts: { plan: capped({ used: 199 }) } },
    {
      name: 'transactional mail over a paid plan’s cap',
      facts: { plan: capped({ name: 'praxis', used: 500, refuses: 'marketing' }) },
    },
    {
      name: 'the simulator over every cap',
      draft: { to: [parseAddress('bounce@simulator.mail.example.com')] },
      facts: { plan: capped({ used: 200 }), warmup: warming(1, 300) },
    },
    {
      name: 'a list send to recipients who have given consent',
      facts: { ...MARKETING, consent: { entry: 'an entry' } },
    },
    {
      name: 'transactional mail of a practice without Impressum and with broken DKIM',
      facts: { legal: { street: null, city: null, privacy_url: null }, dkimBroken: true },
    },
    {
      name: 'content below every limit',
      facts: { content: rated({ score: 0, promotionalScore: 39 }) },
    },
    {
      name: 'advertising as marketing',
      facts: { ...MARKETING, content: rated({ promotionalScore: 100, promotional: ['discount'] }) },
    },
    {
      name: 'advertising as a sample to the practice itself',
      draft: { kind: 'quality' },
      facts: { content: rated({ promotionalScore: 100 }) },
    },
    {
      name: 'advertising as a test',
      draft: { kind: 'test' },
      facts: { content: rated({ promotionalScore: 100 }) },
    },
    {
      name: 'a confirmation with no sign of advertising',
      draft: { kind: 'doi' },
      facts: { content: rated() },
    },
  ])('$name', (given) => {
    const { verdicts, refusal } = judge(given);
    expect(refusal).toBeNull();
    expect(verdicts.map(({ gate, verdict }) => `${gate} ${verdict}`)).toEqual(
      gates.map(({ name }) => `${name} passed`),
    );
  });
});

describe('refuses', () => {
  const rows: readonly (Case & { gate: string; code: ErrorCode; extra: Record<string, unknown> })[] = [
    {
      name: 'a paused tenant',
      facts: { pause: { reason: 'bounces', at: 0 } },
      gate: 'tenant_state',
      code: 'tenant_paused',
      extra: { reason: 'bounces', paused_at: '1970-01-01T00:00:00.000Z' },
    },
    {
      name: 'a message without recipients',
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
      extra: { count: 51, limit: facts.limits.recipients },
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
      name: 'a header that senders may not set',
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
      name: 'a file whose content does not fit its name',
      draft: { attachments: [pdf, { ...pdf, filename: 'b.pdf', content: contentOf('docx') }] },
      gate: 'attachments',
      code: 'attachment_rejected',
      extra: { attachment: 'b.pdf', reason: 'its content is not what its name says' },
    },
    {
      name: 'a time more than 30 days ahead',
      draft: { scheduledAt: NOW + 30 * DAY + 1 },
      gate: 'schedule',
      code: 'invalid_request',
      extra: { fields: [{ path: 'body.scheduled_at', message: 'must be at most 30 days ahead' }] },
    },
    {
      name: 'a time more than 5 minutes ago',
      draft: { scheduledAt: NOW - 5 * MINUTE - 1 },
      gate: 'schedule',
      code: 'invalid_request',
      extra: {
        fields: [
          {
            path: 'body.scheduled_at',
            message: `is in the past: ${toIso(NOW - 5 * MINUTE - 1)}; leave it out to send at once`,
          },
        ],
      },
    },
    {
      name: 'marketing without an Impressum',
      facts: { ...MARKETING, legal: { street: 'Am Markt 1', city: '', privacy_url: null } },
      gate: 'impressum',
      code: 'impressum_incomplete',
      extra: { missing: ['city', 'privacy_url'] },
    },
    {
      name: 'marketing from a host whose DKIM is broken',
      facts: { ...MARKETING, dkimBroken: true },
      gate: 'dkim',
      code: 'dkim_not_verified',
      extra: { missing: ['dkim'] },
    },
    {
      name: 'marketing on day 2 of the warm-up',
      facts: { ...MARKETING, warmup: warming(2) },
      gate: 'warmup_day',
      code: 'warmup_not_ready',
      extra: { day: 2 },
    },
    {
      name: 'marketing for a time that has passed, on day 2 of the warm-up',
      draft: { scheduledAt: NOW - MINUTE },
      facts: { ...MARKETING, warmup: warming(2) },
      gate: 'warmup_day',
      code: 'warmup_not_ready',
      extra: { day: 2 },
    },
    {
      name: 'a list send to a recipient who has given no consent',
      facts: { ...MARKETING, consent: { entry: null } },
      gate: 'consent',
      code: 'consent_required',
      extra: { missing: ['anna@example.org'] },
    },
    {
      name: 'mail over the Test plan’s cap',
      draft: { to: people(2) },
      facts: { plan: capped({ used: 199 }) },
      gate: 'plan_cap',
      code: 'plan_cap_reached',
      extra: { used: 199, cap: 200, resets_at: '2026-12-01T00:00:00.000Z' },
    },
    {
      name: 'mail over the cap by one who is limited to projects: nothing of the others',
      draft: { to: people(2) },
      facts: { plan: capped({ used: 199 }), seesPractice: false },
      gate: 'plan_cap',
      code: 'plan_cap_reached',
      extra: { used: 200, cap: 200, resets_at: '2026-12-01T00:00:00.000Z' },
    },
    {
      name: 'marketing over a paid plan’s cap',
      facts: {
        ...MARKETING,
        plan: capped({ name: 'praxis', cap: 20_000, used: 20_000, refuses: 'marketing' }),
      },
      gate: 'plan_cap',
      code: 'plan_cap_reached',
      extra: { used: 20_000, cap: 20_000, resets_at: '2026-12-01T00:00:00.000Z' },
    },
    {
      name: 'marketing over the warm-up’s cap of its day',
      draft: { to: people(2) },
      facts: { ...MARKETING, warmup: warming(3, 399) },
      gate: 'warmup_volume',
      code: 'warmup_cap_reached',
      extra: { cap: 400 },
    },
    {
      name: 'marketing for a day whose cap is planned away',
      draft: { scheduledAt: NOW + DAY },
      facts: { ...MARKETING, warmup: warming(3, 0, 700) },
      gate: 'warmup_volume',
      code: 'warmup_cap_reached',
      extra: { cap: 700 },
    },
    {
      name: 'mail of a slowed token for which too much waits already',
      facts: {
        brake: {
          tokenId: 't',
          counted: { hour: 0, day: 0 },
          usual: null,
          limits: { factor: 5, least_per_hour: 100, least_per_day: 250 },
          slowed: { perHour: 20, nextAt: NOW + 3 * DAY },
          isLifted: false,
          lineNextAt: 0,
        },
      },
      gate: 'usual_range',
      code: 'token_slowed',
      extra: { retry_after: 3_600 },
    },
    {
      name: 'advertising on a transactional route',
      facts: { content: rated({ promotionalScore: 40, promotional: ['discount', 'shop_now'] }) },
      gate: 'promotional',
      code: 'promotional_on_transactional',
      extra: { content_reasons: ['discount', 'shop_now'] },
    },
    {
      name: 'a single sign of advertising in a confirmation',
      draft: { kind: 'doi' },
      facts: { content: rated({ promotionalScore: 10, promotional: ['discount'] }) },
      gate: 'promotional',
      code: 'promotional_on_transactional',
      extra: { content_reasons: ['discount'] },
    },
    {
      name: 'marketing that is signed, so that no footer can be added',
      draft: { parts: { type: 'multipart/mixed', fields: '', parts: [SIGNED] } },
      facts: MARKETING,
      gate: 'unsubscribe',
      code: 'unsupported_media_type',
      extra: {},
    },
    {
      name: 'a field by which the relay in use takes orders',
      draft: { headers: [['X-Pool-Name', 'a']] },
      facts: { controls: ['x-pool-*'] },
      gate: 'headers',
      code: 'header_not_allowed',
      extra: { header: 'X-Pool-Name' },
    },
  ];
  test.each(rows)('$name: $code', (given) => {
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

  test('with each code that a gate declares; blocked content is answered by its caller', () => {
    const declared = gates.flatMap(({ name, errors }) => errors.map((code) => `${name} ${code}`));
    const tried = new Set(rows.map(({ gate, code }) => `${gate} ${code}`));
    expect([...tried, 'content content_blocked'].toSorted()).toEqual(declared.toSorted());
  });

  test('with the first of several refusals', () => {
    const { refusal } = judge({ name: '', draft: { to: [] }, facts: { pause: { reason: 'x', at: 0 } } });
    expect(refusal?.code).toBe('tenant_paused');
  });
});

describe('accepts, but', () => {
  const verdictsOf = (given: Case) => judge(given).verdicts.filter(({ verdict }) => verdict !== 'passed');

  test('some recipients get nothing: the others count', () => {
    const to = people(3);
    const given = {
      name: '',
      draft: { to },
      facts: { suppressed: suppressed('p0@example.org', 'p2@example.org'), plan: capped({ used: 199 }) },
    };
    expect(judge(given)).toMatchObject({
      refusal: null,
      suppressed: new Set(['p0@example.org', 'p2@example.org']),
    });
    expect(verdictsOf(given)).toEqual([
      {
        gate: 'suppression',
        verdict: 'suppressed',
        facts: {
          suppressed: ['p0@example.org', 'p2@example.org'].map((address) => ({
            address,
            id: 's1',
            scope: 'team',
            reason: 'hard_bounce',
          })),
        },
      },
    ]);
  });

  test('where all are suppressed the run ends there, and no later gate runs', () => {
    const { verdicts, refusal } = judge({
      name: '',
      facts: {
        suppressed: suppressed('anna@example.org'),
        plan: capped({ used: 200 }),
        content: rated({ block: 'virus', score: 100 }),
      },
    });
    expect(refusal).toBeNull();
    expect(verdicts.at(-1)).toMatchObject({ gate: 'suppression', verdict: 'suppressed' });
  });

  test.each<Case & { until: number; planned: number }>([
    {
      name: 'to the next day',
      facts: { warmup: warming(1, 300) },
      until: TODAY + 1,
      planned: 300,
    },
    {
      name: 'past days that are full',
      facts: { warmup: warming(1, 300, 500, 800) },
      until: TODAY + 3,
      planned: 300,
    },
    {
      name: 'from the day it is for',
      draft: { scheduledAt: NOW + DAY },
      facts: { warmup: warming(1, 0, 500) },
      until: TODAY + 2,
      planned: 500,
    },
    {
      name: 'to a day that takes all its recipients',
      draft: { to: people(50) },
      facts: { warmup: warming(1, 260, 460) },
      until: TODAY + 2,
      planned: 260,
    },
  ])('the message is held: $name', (given) => {
    const { refusal, heldUntil } = judge(given);
    expect({ refusal, heldUntil }).toEqual({ refusal: null, heldUntil: given.until * DAY });
    expect(verdictsOf(given)).toMatchObject([
      {
        gate: 'warmup_volume',
        verdict: 'held',
        facts: { planned: given.planned, until: toIso(given.until * DAY) },
      },
    ]);
  });

  test('a message with more recipients than any day of the warm-up takes goes on an empty day', () => {
    const warmup = { startedAt: NOW, managedHost: 'a.send.example.com', planned: new Map() };
    expect(judge({ name: '', draft: { to: people(50) }, facts: { warmup } }).heldUntil).toBeNull();
  });

  test.each<Case & { facts: Partial<Facts> }>([
    { name: 'a rule found something', facts: { content: rated({ score: 5, findings: [finding] }) } },
    { name: 'a scanner did not answer', facts: { content: rated({ unavailable: ['clamd'] }) } },
  ])('the sender is warned: $name', (given) => {
    const { refusal, blocked } = judge(given);
    expect({ refusal, blocked }).toEqual({ refusal: null, blocked: false });
    expect(verdictsOf(given)).toMatchObject([{ gate: 'content', verdict: 'warned' }]);
  });

  test.each(['score', 'scanner', 'virus', 'listed_host'] as const)(
    'it is kept as failed, blocked by %s, and all gates run',
    (block) => {
      const given = { name: '', facts: { content: rated({ score: 70, block, findings: [finding] }) } };
      expect(judge(given)).toMatchObject({ refusal: null, blocked: true });
      expect(verdictsOf(given)).toEqual([
        {
          gate: 'content',
          verdict: 'blocked',
          facts: { score: 70, limit: 70, block, findings: [finding], scanner: null, unavailable: [] },
        },
      ]);
      expect(judge(given).verdicts).toHaveLength(gates.length);
    },
  );

  test.each<readonly [kind: Draft['kind'], settings: Draft['settings'], verdict: string]>([
    ['termin', { track_opens: true, track_clicks: false }, 'warned'],
    ['recall', { track_opens: false, track_clicks: true }, 'warned'],
    ['doi', { track_opens: true, track_clicks: true }, 'warned'],
    ['termin', { track_opens: false, track_clicks: false }, 'passed'],
    ['transactional', { track_opens: true, track_clicks: true }, 'passed'],
  ])(
    'tracking is recorded, and the sender is warned for delicate kinds: %s with %o is %s',
    (kind, settings, verdict) => {
      const { refusal, verdicts } = judge({ name: '', draft: { kind, settings } });
      expect(refusal).toBeNull();
      const recorded = verdicts.find(({ gate }) => gate === 'tracking');
      expect(recorded).toEqual({ gate: 'tracking', verdict, facts: settings });
    },
  );

  test.each(['one_click', 'link', null] as const)('the way to unsubscribe is recorded: %s', (unsubscribe) => {
    expect(judge({ name: '', facts: { unsubscribe } }).verdicts.at(-1)).toEqual({
      gate: 'unsubscribe',
      verdict: 'passed',
      facts: { way_out: unsubscribe },
    });
  });
});

describe('their order', () => {
  test('is that of the specification: route and kind, suppressions, content, unsubscribing', () => {
    const specified = [
      'kind_and_route',
      'sender_domain',
      'tenant_state',
      'recipient_count',
      'internationalised_addresses',
      'headers',
      'attachments',
      'schedule',
      'impressum',
      'dkim',
      'warmup_day',
      'consent',
      'safe_mode',
      'suppression',
      'plan_cap',
      'warmup_volume',
      'promotional',
      'content',
      'tracking',
      'unsubscribe',
    ];
    const names = gates.map(({ name }) => name);
    expect(names.filter((name) => specified.includes(name))).toEqual(specified);
    expect(names).toHaveLength(new Set(names).size);
  });

  const troubled: Case = {
    name: '',
    draft: { kind: 'newsletter', to: people(51), headers: [['Bcc', 'x']], scheduledAt: NOW + 31 * DAY },
    facts: {
      pause: { reason: 'x', at: 0 },
      from: parseAddress('x@stranger.example'),
      safeMode: true,
      plan: capped({ used: 200 }),
      content: rated({ promotionalScore: 100, block: 'virus', score: 100 }),
    },
  };

  test('past refusals every gate runs, and all refusals are in the result', () => {
    const { verdicts, refusal, refusals, blocked } = judge(troubled, true);
    expect(verdicts.map(({ gate }) => gate)).toEqual(gates.map(({ name }) => name));
    expect(refusals.map(({ code }) => code)).toEqual([
      'kind_not_allowed_on_route',
      'from_not_allowed',
      'tenant_paused',
      'too_many_recipients',
      'header_not_allowed',
      'invalid_request',
      'safe_mode_recipient',
      'plan_cap_reached',
    ]);
    expect(refusal).toBe(refusals[0]);
    expect(blocked).toBe(true);
  });

  test('past refusals the verdicts up to the first refusal are the same', () => {
    for (const given of [troubled, { name: '', facts: { suppressed: suppressed('anna@example.org') } }]) {
      const upToRefusal = judge(given).verdicts;
      const all = judge(given, true).verdicts;
      expect(all.slice(0, upToRefusal.length)).toEqual(upToRefusal);
      expect(all).toHaveLength(gates.length);
    }
  });

  test('only the gates of the named kinds run', () => {
    const { verdicts, refusal } = judge(troubled, false, ['plan']);
    expect(verdicts.map(({ gate }) => gate)).toEqual(['plan_cap']);
    expect(refusal?.code).toBe('plan_cap_reached');
  });

  test('the gates about the time of sending run without a draft', () => {
    const departure = factsFor({ ...draft, scheduledAt: NOW + 31 * DAY }, { warmup: warming(1, 300) });
    const names = ['schedule', 'warmup_day', 'warmup_volume'];
    expect(gates.filter(({ kind }) => kind === 'time' || kind === 'volume').map(({ name }) => name)).toEqual(
      names,
    );
    expect(runGates(['time', 'volume'], departure).refusal?.code).toBe('invalid_request');
    const tomorrow = runGates(['time', 'volume'], { ...departure, scheduledAt: null });
    expect(tomorrow.verdicts.map(({ gate }) => gate)).toEqual(names);
    expect(tomorrow.heldUntil).toBe((TODAY + 1) * DAY);
  });
});

describe('their error codes', () => {
  test('are listed once for a caller that runs all kinds', () => {
    expect(gateErrors()).toEqual([...new Set(gates.flatMap(({ errors }) => errors))]);
  });

  test('are those of the kinds that a caller runs', () => {
    expect(gateErrors(['time', 'volume'])).toEqual([
      'invalid_request',
      'warmup_not_ready',
      'warmup_cap_reached',
    ]);
  });
});

describe('marketing has to pass gates of its own, and no other mail', () => {
  const trouble: Partial<Facts> = {
    legal: { street: null, city: null, privacy_url: null },
    dkimBroken: true,
    warmup: warming(1),
    consent: { entry: null },
  };
  const own = ['impressum_incomplete', 'dkim_not_verified', 'warmup_not_ready', 'consent_required'];
  test.each(kindNames)('%s', (kind) => {
    const isMarketing = kind === 'newsletter' || kind === 'custom';
    const route = { id: 'r', slug: 'r', type: isMarketing ? 'marketing' : 'transactional' } as const;
    const { refusals } = judge({ name: '', draft: { kind }, facts: { ...trouble, route } }, true);
    expect(refusals.map(({ code }) => code)).toEqual(isMarketing ? own : []);
  });
});

test('one mail counts for each recipient, without the suppressed ones and the simulator', () => {
  const given = {
    ...draft,
    to: people(2),
    cc: [parseAddress('success@simulator.mail.example.com')],
    bcc: people(1, 'b'),
  };
  expect(factsOfDraft(given, { ...facts, suppressed: suppressed('p1@example.org') }).mails).toBe(2);
});

test('a message leaves at its time, or now where that has passed', () => {
  expect([null, NOW - 1, NOW, NOW + 1].map((scheduledAt) => leavesAt({ scheduledAt, now: NOW }))).toEqual([
    NOW,
    NOW,
    NOW,
    NOW + 1,
  ]);
});

test.each([
  { kind: null, type: 'transactional', result: 'transactional' },
  { kind: null, type: 'marketing', result: 'newsletter' },
  { kind: 'termin', type: 'marketing', result: 'termin' },
] as const)('a message of kind $kind over a $type route is $result', ({ kind, type, result }) => {
  expect(kindOf({ kind }, { type })).toBe(result);
});
