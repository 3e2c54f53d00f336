import { describe, expect, test } from 'vitest';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { mailOf } from '#src/accounts/mails/texts.ts';
import { memberLanguages } from '#src/kernel/language.ts';

type Told = Exclude<Notice, { kind: 'nothing' }>;
type Content = Told extends infer T
  ? T extends Told
    ? Omit<T, 'to' | 'language' | 'expiresAfter'>
    : never
  : never;

const PAGE = 'https://mail.example.com/app/0192f0c4/domain';
const LINK = 'https://mail.example.com/invitation/svc_inv_4Kd9';
/** In summer, so that the zones differ by two hours. */
const EXPIRES_AT = Date.UTC(2026, 6, 3, 22, 5);
const TICKET = '0192f0c4-7a3e-7b1c-9d5e-2f6a8b1c3d4e';

const usage = {
  kind: 'plan_usage',
  practice: 'Praxis Dr. Müller',
  plan: 'test',
  month: '2026-11',
  used: 1_900,
  cap: 2_000,
  resetsAt: Date.UTC(2026, 11, 1),
  refuses: 'all',
  managedHost: false,
  link: PAGE,
} as const;

const pause = {
  kind: 'practice_paused',
  practice: 'Praxis Dr. Müller',
  at: EXPIRES_AT,
  link: PAGE,
} as const;

const disabled = {
  kind: 'follower_disabled',
  practice: 'Praxis Dr. Müller',
  follower: 'webhook',
  name: 'Warenwirtschaft',
  at: EXPIRES_AT,
  reason: 'failing',
  since: Date.UTC(2026, 5, 28, 22, 5),
  error: 'answered 503',
  link: PAGE,
} as const;

const forwardEnded = {
  kind: 'forward_ended',
  practice: 'Praxis Dr. Müller',
  target: 'front@example.org',
  at: EXPIRES_AT,
  reason: null,
  link: PAGE,
} as const;

const fault = { name: 'praxis', state: 'full', since: EXPIRES_AT, reason: 'ENOSPC', ended: false } as const;

const samples = {
  fault: {
    kind: 'storage_faults',
    faults: [fault, { ...fault, name: 'platform', state: 'unreadable', ended: true }],
    more: 3,
    link: PAGE,
  },
  faults_over: {
    kind: 'storage_faults',
    faults: [{ ...fault, name: 'disk', ended: true }],
    more: 0,
    link: PAGE,
  },
  replica_behind: {
    kind: 'replica',
    state: 'behind',
    names: ['praxis', 'platform'],
    more: 1_200,
    since: EXPIRES_AT,
    link: PAGE,
  },
  replica_silent: { kind: 'replica', state: 'silent', names: [], more: 0, since: null, link: PAGE },
  replica_over: { kind: 'replica', state: 'ok', names: [], more: 0, since: null, link: PAGE },
  form_slowed: {
    kind: 'form_alert',
    practice: 'Praxis Dr. Müller',
    list: 'Praxisbrief',
    health: 'slowed',
    at: EXPIRES_AT,
    counts: { mails: 5, hardBounced: 3, complaints: 1 },
    link: PAGE,
  },
  form_closed: {
    kind: 'form_alert',
    practice: 'Praxis Dr. Müller',
    list: 'Praxisbrief',
    health: 'closed',
    at: EXPIRES_AT,
    counts: { mails: 12, hardBounced: 12, complaints: 0 },
    link: PAGE,
  },
  sign_in_code: { kind: 'sign_in_code', code: '042317', minutes: 10, link: PAGE },
  invitation: {
    kind: 'invitation',
    practice: 'Praxis Dr. Müller',
    inviter: 'chef@example.org',
    link: LINK,
    expiresAt: EXPIRES_AT,
  },
  invitation_by_operator: {
    kind: 'invitation',
    practice: 'Praxis Dr. Müller',
    inviter: null,
    link: LINK,
    expiresAt: EXPIRES_AT,
  },
  owner_welcome: { kind: 'owner_welcome', practice: 'Praxis Dr. Müller', link: PAGE },
  domain_verified: {
    kind: 'domain_verified',
    managedHost: 'praxis.send.example.com',
    practice: 'Praxis Dr. Müller',
    host: 'praxis.example',
    link: PAGE,
  },
  domain_lost: {
    kind: 'domain_lost',
    practice: 'Praxis Dr. Müller',
    host: 'praxis.example',
    managedHost: 'praxis.send.example.com',
    link: PAGE,
  },
  dns_alert: {
    kind: 'dns_alert',
    practice: 'Praxis Dr. Müller',
    host: 'praxis.example',
    records: [
      {
        name: 'praxis.example',
        type: 'TXT',
        value: 'v=spf1 include:spf.mail.example.com ~all',
        found: ['v=spf1 -all', 'v=spf1\nSee https://evil.example/\u202e'],
        problem: 'multiple',
      },
      {
        name: 'bounce.praxis.example',
        type: 'MX',
        value: '10 mail.example.com',
        found: [],
        problem: 'missing',
      },
      { name: 'a._domainkey.praxis.example', type: 'CNAME', value: 'x', found: [], problem: 'proxied' },
      { name: '_dmarc.praxis.example', type: 'TXT', value: 'v=DMARC1', found: [], problem: null },
      {
        name: '_dmarc.www.praxis.example',
        type: 'TXT',
        value: 'v=DMARC1; p=none; x=https://evil.example/login',
        found: ['v=DMARC1; x=https://evil.example/login'],
        problem: 'mismatch',
      },
    ],
    link: PAGE,
  },
  dns_recovered: {
    kind: 'dns_recovered',
    practice: 'Praxis Dr. Müller',
    host: 'praxis.example',
    records: [
      { name: 'praxis.example', type: 'TXT' },
      { name: 'bounce.praxis.example', type: 'MX' },
    ],
    link: PAGE,
  },
  usage_of_test_plan: { ...usage, share: 70, used: 1_400 },
  usage_of_paid_plan: { ...usage, plan: 'praxis', share: 90, refuses: 'marketing' },
  usage_of_managed_host: { ...usage, plan: 'praxis', share: 70, managedHost: true },
  test_plan_used_up: { ...usage, share: 100, used: 2_000 },
  paid_plan_used_up: { ...usage, plan: 'praxis', share: 100, refuses: 'marketing' },
  paused_by_bounces: {
    ...pause,
    cause: {
      by: 'guardrail',
      route: 'broadcast',
      from: Date.UTC(2026, 5, 4),
      measure: 'hard_bounces',
      count: 1,
      whole: 20,
      limit: 0.05,
    },
  },
  paused_by_complaints: {
    ...pause,
    cause: {
      by: 'guardrail',
      route: 'broadcast',
      from: Date.UTC(2026, 5, 4),
      measure: 'complaints',
      count: 2,
      whole: 1_999,
      limit: 0.001,
    },
  },
  paused_by_member: {
    ...pause,
    cause: { by: 'member', name: 'chef@example.org', reason: 'Neue Adressen: www.evil.example/liste' },
  },
  paused_by_token: { ...pause, cause: { by: 'token', name: 'http://evil.example', reason: 'Neue Liste' } },
  paused_by_operator: { ...pause, cause: { by: 'operator', name: '', reason: 'Beschwerden' } },
  resumed_by_member: { ...pause, kind: 'practice_resumed', by: 'member', name: 'chef@example.org' },
  resumed_by_operator: { ...pause, kind: 'practice_resumed', by: 'operator', name: '' },
  failing_webhook: disabled,
  gone_webhook: { ...disabled, reason: 'gone', error: 'answered 410' },
  failing_alert: { ...disabled, follower: 'alert', name: 'Team', error: null },
  gone_alert: { ...disabled, follower: 'alert', name: 'Team', reason: 'gone', error: 'answered 404' },
  forward_confirmation: {
    kind: 'forward_confirmation',
    practice: 'Praxis Dr. Müller',
    link: LINK,
    expiresAt: EXPIRES_AT,
  },
  forward_declined: forwardEnded,
  forward_failed: { ...forwardEnded, reason: '550 5.1.1 Unknown, see https://evil.example' },
  open: { kind: 'abuse_ticket', ticketId: TICKET, stage: 'open' },
  investigating: { kind: 'abuse_ticket', ticketId: TICKET, stage: 'investigating' },
  closed: { kind: 'abuse_ticket', ticketId: TICKET, stage: 'closed' },
} as const satisfies Record<string, Content>;

const mail = (content: Content, language: 'de' | 'en') =>
  mailOf({ ...content, to: 'anna@example.org', language, expiresAfter: 0 } as Told, 'Sendwerk');
const lines = (content: Content, language: 'de' | 'en') => mail(content, language).text.split('\n');

const all = Object.entries(samples).flatMap(([name, content]) =>
  memberLanguages.map((language) => ({ name, content, language })),
);

describe.each(all)('$name in $language', ({ content, language }) => {
  const { subject, text } = mail(content, language);

  test('has a subject of one line that names no secret', () => {
    expect(subject).toMatch(/^\S.{5,150}\S$/);
    expect(subject).not.toMatch(/042317|svc_inv_/);
  });

  test('greets, says what to do if it was not expected, and ends with the service', () => {
    expect(text).toMatch(language === 'de' ? /^Guten Tag,\n\n/ : /^Hello,\n\n/);
    expect(text).toMatch(
      language === 'de' ? /\n\nSie haben [^\n]+\? Dann / : /\n\nYou did not [^\n]+\? Then /,
    );
    expect(text).toMatch(/\n\nSendwerk\n\n[^\n]+\n$/);
  });

  test('is plain text without a value that is missing', () => {
    expect(text).not.toMatch(/[\r\t]|undefined|null|NaN|\n{3}/);
  });

  test('speaks one language', () => {
    expect(text).toMatch(language === 'de' ? /\bSie\b/ : /\b[Yy]ou\b/);
    expect(text).not.toMatch(language === 'de' ? /\b(?:you|the|is)\b/ : /\b(?:Sie|der|ist)\b/);
  });
});

describe('the purpose of the mail is on a line of its own', () => {
  test.each([
    ['the code', samples.sign_in_code, '042317'],
    ['the link', samples.invitation, LINK],
    ['where to sign in', samples.owner_welcome, PAGE],
    ['the number of the report', samples.open, TICKET],
    ['where the domain is seen', samples.domain_verified, PAGE],
    ['where it is asked for again', samples.domain_lost, PAGE],
    ['where to see what to do', samples.dns_alert, PAGE],
    ['where the use is seen', samples.usage_of_test_plan, PAGE],
    ['where it is resumed', samples.paused_by_bounces, PAGE],
    ['where the webhook is enabled', samples.failing_webhook, PAGE],
    ['where the code is typed', samples.sign_in_code, PAGE],
    ['where the operator sees it', samples.fault, PAGE],
    ['where an address agrees to a forwarding', samples.forward_confirmation, LINK],
    ['where the end of a forwarding is seen', samples.forward_failed, PAGE],
    ['where the alert is seen', samples.gone_alert, PAGE],
    ['why it was paused', samples.paused_by_operator, 'Beschwerden'],
    ['where the resumption is seen', samples.resumed_by_member, PAGE],
    ['where all records are seen', samples.dns_recovered, PAGE],
    ['a record that is right again', samples.dns_recovered, 'MX bounce.praxis.example'],
  ] as const)('%s', (_, content, line) => {
    for (const language of memberLanguages) expect(lines(content, language)).toContain(line);
  });
});

describe('how long it is valid is said in words', () => {
  test.each([
    [10, 'de', 'gilt 10 Minuten'],
    [1, 'de', 'gilt eine Minute'],
    [10, 'en', 'valid for 10 minutes'],
    [1, 'en', 'valid for one minute'],
  ] as const)('%i minutes of a code in %s', (minutes, language, words) => {
    expect(mail({ ...samples.sign_in_code, minutes }, language).text).toContain(words);
  });

  test.each([
    [EXPIRES_AT, 'de', 'bis 4. Juli 2026, 00:05 Uhr MESZ.'],
    [EXPIRES_AT, 'en', 'until 3 July 2026, 22:05 UTC.'],
    [Date.UTC(2026, 10, 28, 14, 30), 'de', 'bis 28. November 2026, 15:30 Uhr MEZ.'],
    [Date.UTC(2026, 10, 28, 0, 0), 'en', 'until 28 November 2026, 00:00 UTC.'],
  ] as const)('the end of an invitation: %i in %s', (expiresAt, language, words) => {
    expect(mail({ ...samples.invitation, expiresAt }, language).text).toContain(words);
  });
});

describe('a pause', () => {
  const words: readonly (readonly [keyof typeof samples, 'de' | 'en', says: readonly string[]])[] = [
    [
      'paused_by_bounces',
      'de',
      [
        'seit dem 4. Juli 2026, 00:05 Uhr MESZ, ist der Versand von „Praxis Dr. Müller“ angehalten.',
        'Auf dem Versandweg „broadcast“ liegt der Anteil der E-Mails an Adressen, die es nicht gibt, bei 5 % (1 von 20, gezählt seit dem 4. Juni 2026). Ab 5 % wird',
        'setzt ein Inhaber den Versand hier fort:',
      ],
    ],
    [
      'paused_by_bounces',
      'en',
      [
        'has been paused since 3 July 2026, 22:05 UTC.',
        'emails to addresses that do not exist is 5% (1 of 20, counted since 4 June 2026). At 5% sending',
      ],
    ],
    [
      'paused_by_complaints',
      'de',
      ['bei 0,1 % (2 von 1.999, gezählt', 'Ab 0,1 % wird', 'Abbestellen leicht'],
    ],
    ['paused_by_complaints', 'en', ['is 0.1% (2 of 1,999, counted', 'At 0.1% sending']],
    [
      'paused_by_member',
      'de',
      ['chef@example.org hat den Versand', 'Neue Adressen: www. evil. example/ liste'],
    ],
    ['paused_by_token', 'de', ['jemand mit dem API-Token „http:// evil. example“ hat']],
    ['paused_by_operator', 'de', ['der Betreiber von Sendwerk hat', 'Nur der Betreiber kann']],
    ['paused_by_operator', 'en', ['The operator of Sendwerk paused', 'Only the operator can resume']],
    ['resumed_by_operator', 'de', ['der Betreiber von Sendwerk hat', 'Uhr MESZ, fortgesetzt.']],
    ['resumed_by_member', 'en', ['chef@example.org resumed sending']],
  ];
  test.each(words)('%s in %s', (name, language, says) => {
    const { text } = mail(samples[name], language);
    for (const one of says) expect(text).toContain(one);
  });

  test('says that nothing is lost', () => {
    for (const name of ['paused_by_bounces', 'paused_by_member', 'paused_by_operator'] as const) {
      expect(mail(samples[name], 'de').text).toContain('Es geht nichts verloren');
      expect(mail(samples[name], 'en').text).toContain('Nothing is lost');
    }
  });
});

test('a forwarding that has ended says why, without a link of the other side', () => {
  expect(mail(samples.forward_declined, 'de').text).toContain(
    'Die Adresse hat die Weiterleitung abgelehnt oder beendet.',
  );
  expect(mail(samples.forward_failed, 'en').text).toContain('550 5.1.1 Unknown, see https: //evil.example');
});

describe('a webhook or alert that was disabled', () => {
  const words: readonly (readonly [keyof typeof samples, 'de' | 'en', says: readonly string[]])[] = [
    [
      'failing_webhook',
      'de',
      [
        'der Webhook „Warenwirtschaft“ von „Praxis Dr. Müller“ wurde am 4. Juli 2026, 00:05 Uhr MESZ, abgeschaltet. Seit dem 29. Juni 2026, 00:05 Uhr MESZ, hat seine Adresse kein Ereignis mehr angenommen.',
        '\n\nDer letzte Fehler: answered 503\n\n',
        'stellen Sie die fehlgeschlagenen Ereignisse erneut zu',
      ],
    ],
    [
      'failing_webhook',
      'en',
      [
        'The webhook “Warenwirtschaft” of “Praxis Dr. Müller” was disabled on 3 July 2026, 22:05 UTC. Its address has not accepted any event since 28 June 2026, 22:05 UTC.',
        '\n\nThe last error: answered 503\n\n',
        'replay the failed events',
      ],
    ],
    ['gone_webhook', 'de', ['Seine Adresse hat geantwortet, dass es sie nicht mehr gibt.']],
    ['gone_webhook', 'en', ['Its address answered that it no longer exists.']],
    ['failing_alert', 'de', ['die Meldung im Chat „Team“', 'hat die Adresse im Chat keine Nachricht']],
    ['failing_alert', 'en', ['The chat alert “Team”', 'has not accepted any message since 28 June 2026']],
    ['gone_alert', 'de', ['Die Adresse im Chat hat geantwortet, dass es sie nicht mehr gibt.']],
    ['gone_alert', 'en', ['Its address in the chat answered that it no longer exists.']],
  ];
  test.each(words)('%s in %s', (name, language, says) => {
    const { text } = mail(samples[name], language);
    for (const one of says) expect(text).toContain(one);
  });

  test('says in its subject which one it is', () => {
    expect(mail(samples.gone_webhook, 'de').subject).toBe(
      'Der Webhook „Warenwirtschaft“ von „Praxis Dr. Müller“ ist abgeschaltet',
    );
    expect(mail(samples.gone_alert, 'en').subject).toBe(
      'The chat alert “Team” of “Praxis Dr. Müller” has been disabled',
    );
  });

  test('says nothing of a last error that is not known', () => {
    expect(mail(samples.failing_alert, 'de').text).not.toContain('Fehler:');
    expect(mail(samples.failing_alert, 'en').text).not.toContain('error:');
  });

  test('brings no line breaks or links into the mail', () => {
    const told = { ...disabled, name: 'www.evil.example', error: 'see\nhttps://evil.example/\u202e' };
    for (const language of memberLanguages) {
      const { text } = mail(told, language);
      expect(text.match(/\S+:\/\/\S+/g)).toEqual([PAGE]);
      expect(text).toContain('www. evil. example');
      expect(text).toContain('see https: //evil.example/');
    }
  });
});

describe('an invitation', () => {
  test('names practice and inviter', () => {
    expect(mail(samples.invitation, 'de').text).toContain('chef@example.org lädt Sie ein');
    expect(mail(samples.invitation, 'en').text).toContain('chef@example.org invites you');
    expect(mail(samples.invitation, 'de').subject).toBe('Einladung zu „Praxis Dr. Müller“ bei Sendwerk');
  });

  test('of the operator names the practice only', () => {
    for (const language of memberLanguages) {
      const { text } = mail(samples.invitation_by_operator, language);
      expect(text).toContain('Praxis Dr. Müller');
      expect(text).not.toContain('@');
    }
  });
});

describe('the name of a practice', () => {
  test.each([
    {
      name: 'Konto gesperrt: https://evil.example/login',
      told: 'Konto gesperrt: https:// evil. example/ login',
    },
    { name: 'www.evil.example', told: 'www. evil. example' },
    { name: 'Praxis-Mueller.de', told: 'Praxis-Mueller. de' },
    { name: 'evil。example', told: 'evil。 example' },
    { name: 'Praxis Dr. med. A. Müller & Co.', told: 'Praxis Dr. med. A. Müller & Co.' },
    { name: 'Praxis 24/7, 2. OG', told: 'Praxis 24/7, 2. OG' },
    { name: 'Gemeinschaftspraxis a.d. Elbe', told: 'Gemeinschaftspraxis a.d. Elbe' },
  ])('$name is no link in a mail to others', ({ name, told }) => {
    for (const sample of [
      samples.invitation,
      samples.owner_welcome,
      samples.domain_lost,
      samples.forward_confirmation,
    ]) {
      const { subject, text } = mail({ ...sample, practice: name }, 'de');
      expect(subject).toContain(`„${told}“`);
      expect(text).toContain(`„${told}“`);
    }
  });
});

describe('a record that went bad', () => {
  test.each([
    ['de', 'Soll: v=spf1 include:spf.mail.example.com ~all'],
    ['de', 'Gefunden: v=spf1 -all'],
    ['de', 'Gefunden: kein solcher Eintrag'],
    ['de', 'Gefunden: kein CNAME, sondern Adressen eines Proxys'],
    ['de', 'Soll: 10 mail.example.com'],
    ['en', 'Expected: v=spf1 include:spf.mail.example.com ~all'],
    ['en', 'Found: v=spf1 -all'],
    ['en', 'Found: no such record'],
    ['en', 'Found: no CNAME, but addresses of a proxy'],
  ] as const)('in %s says: %s', (language, line) => {
    expect(lines(samples.dns_alert, language)).toContain(line);
  });

  test('that could not be asked for is not said to be missing', () => {
    expect(mail(samples.dns_alert, 'de').text).toMatch(/_dmarc.*nicht festzustellen/s);
    expect(mail(samples.dns_alert, 'en').text).toMatch(/_dmarc.*Found: unknown/s);
  });

  test('that is right itself is not shown as wrong: what it depends on is', () => {
    const value = 'token.dkim.mail.example.com';
    const record = {
      name: 't._domainkey.praxis.example',
      type: 'CNAME',
      value,
      found: [value],
      problem: null,
    };
    const alert: Content = { ...samples.dns_alert, records: [record] };
    expect(lines(alert, 'de')).toContainEqual(
      expect.stringMatching(`^Gefunden: ${value} \\(der Eintrag selbst ist da`),
    );
    expect(lines(alert, 'en')).toContainEqual(
      expect.stringMatching(`^Found: ${value} \\(the record itself is there`),
    );
  });

  test('brings no line breaks or links into the mail', () => {
    expect(lines(samples.dns_alert, 'en')).toContain('Found: v=spf1 See https: //evil.example/ ');
    for (const language of memberLanguages) {
      const links = mail(samples.dns_alert, language).text.match(/\S+:\/\/\S+/g);
      expect(links).toEqual([PAGE]);
    }
  });
});

test('each stage of a report has words of its own, with its number in the subject', () => {
  for (const language of memberLanguages) {
    const stages = [samples.open, samples.investigating, samples.closed].map((one) => mail(one, language));
    expect(new Set(stages.map(({ text }) => text)).size).toBe(3);
    expect(new Set(stages.map(({ subject }) => subject)).size).toBe(3);
    for (const { subject } of stages) expect(subject).toContain(`(${TICKET})`);
  }
});

describe('what the cap of a plan keeps back', () => {
  test.each([
    [
      'usage_of_test_plan',
      'de',
      'Sind 100 % erreicht, werden bis zum 1. Dezember (0 Uhr UTC) keine weiteren E-Mails',
    ],
    ['usage_of_test_plan', 'en', 'At 100% no more emails are accepted until 1 December (00:00 UTC)'],
    [
      'usage_of_paid_plan',
      'de',
      'Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.',
    ],
    ['usage_of_paid_plan', 'en', 'Appointment confirmations, reminders and other messages still go out.'],
    ['usage_of_managed_host', 'de', 'die ohne eigene Domain im Monat möglich sind'],
    ['usage_of_managed_host', 'en', 'that it may send without a domain of its own'],
    [
      'test_plan_used_up',
      'de',
      'Bis zum 1. Dezember (0 Uhr UTC) werden keine weiteren E-Mails angenommen, auch keine',
    ],
    ['test_plan_used_up', 'en', 'From now on no more emails are accepted until 1 December'],
    [
      'paid_plan_used_up',
      'de',
      'Bis zum 1. Dezember (0 Uhr UTC) werden keine Newsletter und keine andere Werbung mehr',
    ],
    [
      'paid_plan_used_up',
      'en',
      'From now on no newsletters or other marketing emails are accepted until 1 December',
    ],
  ] as const)('%s says it in %s', (name, language, words) => {
    expect(mail(samples[name], language).text).toContain(words);
  });

  test('is counted as people write numbers', () => {
    expect(mail(samples.usage_of_test_plan, 'de').text).toContain('1.400 von 2.000 E-Mails');
    expect(mail(samples.usage_of_test_plan, 'en').text).toContain('1,400 of the 2,000 emails');
  });
});
