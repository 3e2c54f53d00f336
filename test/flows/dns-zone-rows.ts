// The table of zones: what a tenant's zone may look like, and what the check is to say of every record in it. A row
// changes a good zone; whatever it does not name is to be found `ok` without a word.
import type { RecordStatus } from '#src/domains/records/host-check.ts';

/** What is at a name of a type; names relative to the zone: `bounce MX`, `@ TXT`. */
export type ZoneLines = Readonly<Record<string, readonly string[]>>;

export interface ZoneRow {
  readonly says: string;
  /** First label of the zone, unique. */
  readonly zone: string;
  /** The sending host's label below the zone; the zone itself without. */
  readonly sub?: string;
  readonly change: ZoneLines;
  /** By name and type; the hint in full, or a part of it. */
  readonly expect: Readonly<Record<string, readonly [RecordStatus, string | RegExp]>>;
  /** What is shown in place of what is there, where that is more than the record as asked for. */
  readonly values?: Readonly<Record<string, string>>;
  /** Names with an MX that must not be there. */
  readonly conflicts?: readonly string[];
  readonly keys?: readonly string[];
  /** TXT whose advice cannot put them right, each with the reason. */
  readonly unhealed?: Readonly<Record<string, string>>;
  readonly bimi?: { readonly logoUrl: string | null; readonly certificateUrl: string | null };
}

export const SERVICE = 'mail.test';
export const INCLUDE = `include:spf.${SERVICE}`;
export const SPF = `v=spf1 ${INCLUDE} ~all`;
const DMARC = `v=DMARC1; p=quarantine; rua=mailto:dmarc@${SERVICE}`;

/** As character-strings of 255 octets. */
export const quoted = (text: string): string =>
  (text.match(/[\s\S]{1,255}/g) ?? ['']).map((piece) => `"${piece.replace(/["\\]/g, '\\$&')}"`).join(' ');

const at = (label: string, sub: string): string =>
  sub === '' ? label : label === '@' ? sub : `${label}.${sub}`;

/** Everything as asked for; the policy is stricter than asked for, so that BIMI has an effect. */
export const goodZone = (host: string, sub: string): ZoneLines => {
  const alias = (target: string) => [`${target}.${SERVICE}.`];
  const incoming = (label: string): ZoneLines => ({
    [`_mta-sts.${at(label, sub)} CNAME`]: alias('_mta-sts'),
    [`mta-sts.${at(label, sub)} CNAME`]: alias('mta-sts'),
    [`_smtp._tls.${at(label, sub)} TXT`]: [quoted(`v=TLSRPTv1; rua=mailto:tls-rpt@${SERVICE}`)],
  });
  return {
    '@ MX': ['10 mx.mailboxes.example.'],
    '@ TXT': [quoted(SPF), quoted('some-site-verification=1234')],
    '_dmarc TXT': [quoted(DMARC)],
    ...(sub === '' ? {} : { [`_dmarc.${sub} TXT`]: [quoted(DMARC)] }),
    ...Object.fromEntries(
      ['t1', 't2', 't3'].map((token) => [`${at(`${token}._domainkey`, sub)} CNAME`, alias(`${token}.dkim`)]),
    ),
    [`${at('bounce', sub)} MX`]: [`10 ${SERVICE}.`],
    [`${at('bounce', sub)} TXT`]: [quoted(SPF)],
    [`${at('default._bimi', sub)} TXT`]: [quoted(`v=BIMI1; l=https://${host}/logo.svg;`)],
    [`${at('in', sub)} MX`]: [`10 ${SERVICE}.`],
    ...incoming('in'),
    ...incoming('bounce'),
  };
};

const tokens = ['t1', 't2', 't3'].map((token) => `${token}._domainkey CNAME`);
const allTokens = (verdict: readonly [RecordStatus, string | RegExp]) =>
  Object.fromEntries(tokens.map((token) => [token, verdict]));
const without = (...keys: string[]): ZoneLines => Object.fromEntries(keys.map((key) => [key, []]));
const spf = (text: string): ZoneLines => ({ '@ TXT': [quoted(text)] });
const dmarc = (text: string): ZoneLines => ({ '_dmarc TXT': [quoted(text)] });
const bimi = (text: string): ZoneLines => ({ 'default._bimi TXT': [quoted(text)] });
const noBimiEffect = {
  'default._bimi TXT': ['ok', 'It has no effect as long as the DMARC policy is p=none.'],
} as const;

const TAKES_AN_HOUR = 'A new record can take an hour to be seen.';

const dkim: readonly ZoneRow[] = [
  { says: 'everything as asked for', zone: 'good', change: {}, expect: {} },
  {
    says: 'everything as asked for below a subdomain',
    zone: 'good-sub',
    sub: 'news',
    change: {},
    expect: {},
  },
  {
    says: 'no token at all',
    zone: 'dkim-none',
    change: without(...tokens),
    expect: allTokens(['missing', TAKES_AN_HOUR]),
  },
  {
    says: 'one token of three is missing',
    zone: 'dkim-one',
    change: without('t2._domainkey CNAME'),
    expect: {
      't2._domainkey CNAME': [
        'missing',
        'There is no such record yet: add the CNAME t2.dkim.mail.test at t2._domainkey.dkim-one.example.',
      ],
    },
  },
  {
    says: 'DKIM is at the apex and not at the sending host',
    zone: 'dkim-apex',
    sub: 'news',
    change: {
      ...Object.fromEntries(['t1', 't2', 't3'].map((t) => [`${t}._domainkey.news CNAME`, []])),
      ...Object.fromEntries(
        ['t1', 't2', 't3'].map((t) => [`${t}._domainkey CNAME`, [`${t}.dkim.${SERVICE}.`]]),
      ),
    },
    expect: Object.fromEntries(
      ['t1', 't2', 't3'].map((t) => [
        `${t}._domainkey.news CNAME`,
        ['missing', `at ${t}._domainkey.news.dkim-apex`],
      ]),
    ),
  },
  {
    says: 'CNAMEs behind a proxy',
    zone: 'dkim-proxied',
    change: {
      ...without('t1._domainkey CNAME', 't2._domainkey CNAME'),
      't1._domainkey A': ['192.0.2.1', '192.0.2.2'],
      't2._domainkey AAAA': ['2001:db8::1'],
    },
    expect: {
      't1._domainkey CNAME': ['proxied', 'Switch the proxy off for t1._domainkey.dkim-proxied.example'],
      't2._domainkey CNAME': ['proxied', /published through a proxy.*CNAME to t2\.dkim\.mail\.test itself/],
    },
  },
  {
    says: 'the zone is behind the name twice',
    zone: 'dkim-doubled',
    change: {
      ...without('t1._domainkey CNAME'),
      't1._domainkey.dkim-doubled.example CNAME': [`t1.dkim.${SERVICE}.`],
    },
    expect: {
      't1._domainkey CNAME': [
        'missing',
        'It was entered as t1._domainkey.dkim-doubled.example.dkim-doubled.example: your provider puts dkim-doubled.example behind every name itself. Enter the name as "t1._domainkey".',
      ],
    },
  },
  {
    says: 'the zone is behind the target',
    zone: 'dkim-dot',
    change: { 't1._domainkey CNAME': [`t1.dkim.${SERVICE}.dkim-dot.example.`] },
    expect: {
      't1._domainkey CNAME': [
        'mismatch',
        'Your provider has put dkim-dot.example behind the target: enter it with a dot at its end (t1.dkim.mail.test.).',
      ],
    },
  },
  {
    says: 'a token leads to another one',
    zone: 'dkim-swapped',
    change: { 't1._domainkey CNAME': [`t2.dkim.${SERVICE}.`] },
    expect: { 't1._domainkey CNAME': ['mismatch', 'leads to "t2.dkim.mail.test", not to t1.dkim.mail.test'] },
  },
  {
    says: 'a dangling CNAME: no one owns the target',
    zone: 'dkim-dangling',
    change: { 't1._domainkey CNAME': ['t1.dkim.formerly.example.'], 't2._domainkey CNAME': ['gone'] },
    expect: {
      // In no zone of the server.
      't1._domainkey CNAME': [
        'mismatch',
        /leads to "t1\.dkim\.formerly\.example".*Where it leads now no server answers/,
      ],
      't2._domainkey CNAME': ['mismatch', 'Where it leads now there is nothing. Change its target'],
    },
  },
  {
    says: 'by way of an alias of the tenant’s own',
    zone: 'dkim-chain',
    change: { 't1._domainkey CNAME': ['keys'], 'keys CNAME': [`t1.dkim.${SERVICE}.`] },
    expect: {},
  },
  {
    says: 'the key itself as TXT',
    zone: 'dkim-txt',
    change: {
      ...without('t1._domainkey CNAME', 't2._domainkey CNAME'),
      't1._domainkey TXT': ['{{t1}}'],
      't2._domainkey TXT': ['{{other}}'],
    },
    expect: {
      't1._domainkey CNAME': ['mismatch', 'It works now and breaks when the key changes'],
      't2._domainkey CNAME': ['mismatch', 'A TXT record with another key is there'],
    },
  },
  {
    says: 'the operator’s zone does not know the token',
    zone: 'dkim-target',
    keys: ['t1', 'unknown', 'other'],
    change: {
      ...without('t2._domainkey CNAME', 't3._domainkey CNAME'),
      'unknown._domainkey CNAME': [`unknown.dkim.${SERVICE}.`],
      'other._domainkey CNAME': [`other.dkim.${SERVICE}.`],
    },
    expect: {
      'unknown._domainkey CNAME': [
        'error',
        "Your record is right. No key is published at unknown.dkim.mail.test. That zone is the operator's and does not answer as it should yet; there is nothing for you to do.",
      ],
      'other._domainkey CNAME': ['error', 'Another key is published at other.dkim.mail.test.'],
    },
  },
  {
    says: 'a wildcard CNAME is no token',
    zone: 'wild-cname',
    change: {
      ...without('t1._domainkey CNAME', 'bounce MX', 'bounce TXT'),
      // Nothing else below the apex at these names, or the wildcard would not reach them.
      ...without('t2._domainkey CNAME', 't3._domainkey CNAME'),
      ...without('_mta-sts.bounce CNAME', 'mta-sts.bounce CNAME', '_smtp._tls.bounce TXT'),
      '* CNAME': ['site.mailboxes.example.'],
    },
    expect: {
      ...allTokens(['missing', 'A wildcard record (*) of the zone answers for this name']),
      'bounce MX': ['missing', 'A wildcard record (*) of the zone answers'],
      'bounce TXT': ['missing', 'A wildcard record (*) of the zone answers'],
      '_mta-sts.bounce CNAME': ['missing', 'A wildcard record (*)'],
      'mta-sts.bounce CNAME': ['missing', 'A wildcard record (*)'],
      '_smtp._tls.bounce TXT': ['missing', 'A wildcard record (*)'],
    },
  },
  {
    says: 'a wildcard address is no proxy',
    zone: 'wild-a',
    change: { ...without(...tokens), '* A': ['192.0.2.80'] },
    expect: allTokens(['missing', 'A wildcard record (*) of the zone answers for this name']),
  },
  {
    says: 'a wildcard TXT that withdraws all keys is none of ours',
    zone: 'wild-txt',
    change: { ...without('t1._domainkey CNAME'), '*._domainkey TXT': [quoted('v=DKIM1; p=')] },
    expect: { 't1._domainkey CNAME': ['missing', 'A wildcard record (*)'] },
  },
];

const imported: readonly ZoneRow[] = [
  {
    says: 'an imported key as published',
    zone: 'imported',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': ['{{own}}'] },
    expect: {},
  },
  {
    says: 'an imported key is not there',
    zone: 'imported-none',
    keys: ['t1', 't2', 't3', '!own'],
    change: {},
    expect: {
      'own._domainkey TXT': ['missing', 'No key is published at own._domainkey.imported-none.example.'],
    },
  },
  {
    says: 'an imported key is another one',
    zone: 'imported-other',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': ['{{other}}'] },
    expect: { 'own._domainkey TXT': ['mismatch', 'Another key is published at own._domainkey'] },
  },
  {
    says: 'an imported key is withdrawn',
    zone: 'imported-withdrawn',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': [quoted('v=DKIM1; k=rsa; p=')] },
    expect: { 'own._domainkey TXT': ['mismatch', 'is withdrawn (empty p=)'] },
  },
  {
    says: 'an imported key lost a part of itself',
    zone: 'imported-cut',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': ['{{own cut}}'] },
    expect: { 'own._domainkey TXT': ['mismatch', 'a part of it may be missing'] },
  },
  {
    says: 'two keys at an imported selector',
    zone: 'imported-two',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': ['{{own}}', '{{other}}'] },
    expect: { 'own._domainkey TXT': ['multiple', 'There are 2 key records at own._domainkey'] },
  },
  {
    says: 'an imported key is only being tested',
    zone: 'imported-testing',
    keys: ['t1', 't2', 't3', '!own'],
    change: { 'own._domainkey TXT': ['{{own testing}}'] },
    expect: { 'own._domainkey TXT': ['ok', 'says t=y (testing)'] },
  },
];

const spfRows: readonly ZoneRow[] = [
  {
    says: 'no SPF',
    zone: 'spf-none',
    change: { '@ TXT': [quoted('some-site-verification=1234')] },
    expect: {
      '@ TXT': [
        'missing',
        'There is no such record yet: add the TXT "v=spf1 include:spf.mail.test ~all" at ',
      ],
    },
  },
  {
    says: 'more than one SPF',
    zone: 'spf-two',
    values: { '@ TXT': 'v=spf1 include:spf.mail.test include:one.senders.example ~all' },
    change: { '@ TXT': [quoted(SPF), quoted('v=spf1 include:one.senders.example -all')] },
    expect: { '@ TXT': ['multiple', 'There are 2 SPF records at spf-two.example, and only one may be'] },
  },
  {
    says: 'SPF of another sender only',
    zone: 'spf-others',
    values: { '@ TXT': 'v=spf1 mx include:one.senders.example include:spf.mail.test -all' },
    change: spf('v=spf1 mx include:one.senders.example -all'),
    expect: { '@ TXT': ['mismatch', 'add include:spf.mail.test to it, as shown'] },
  },
  {
    says: 'SPF by a redirect only',
    zone: 'spf-redirect',
    values: { '@ TXT': 'v=spf1 include:spf.mail.test redirect=one.senders.example' },
    change: spf('v=spf1 redirect=one.senders.example'),
    expect: { '@ TXT': ['mismatch', 'add include:spf.mail.test to it'] },
  },
  {
    says: 'the service is reached by another include',
    zone: 'spf-nested',
    change: spf('v=spf1 include:ours.senders.example -all'),
    expect: {},
  },
  {
    says: 'the service is reached by a redirect, in capitals',
    zone: 'spf-redirected',
    change: spf('V=SPF1 Redirect=Ours.Senders.Example.'),
    expect: {},
  },
  {
    says: 'the service is taken out of what passes',
    zone: 'spf-minus',
    values: { '@ TXT': 'v=spf1 include:one.senders.example include:spf.mail.test ~all' },
    change: spf(`v=spf1 -${INCLUDE} include:one.senders.example ~all`),
    expect: { '@ TXT': ['mismatch', "does not allow this service's mail: leave the - out"] },
  },
  {
    says: 'the service comes after all',
    zone: 'spf-behind',
    values: { '@ TXT': 'v=spf1 ip4:192.0.2.0/24 include:spf.mail.test ~all' },
    change: spf(`v=spf1 ip4:192.0.2.0/24 ~all ${INCLUDE}`),
    expect: { '@ TXT': ['mismatch', 'comes after "all" and is never evaluated'] },
  },
  {
    says: 'anyone may send',
    zone: 'spf-plus',
    change: spf(`v=spf1 ${INCLUDE} +all`),
    expect: { '@ TXT': ['mismatch', '"+all" allows anyone'] },
  },
  {
    says: 'a term that only the receivers reject',
    zone: 'spf-leading-zero',
    values: { '@ TXT': 'v=spf1 include:spf.mail.test ~all' },
    change: spf(`v=spf1 ip4:192.0.2.01 a:%{c}.senders.example ${INCLUDE} ~all`),
    expect: {
      '@ TXT': ['mismatch', /reject the term "ip4:192.0.2.01" .*reject the term "a:%\{c\}.senders.example"/],
    },
  },
  {
    says: 'more than ten lookups',
    zone: 'spf-eleven',
    change: spf(`v=spf1 include:eight.senders.example include:one.senders.example ${INCLUDE} ~all`),
    expect: { '@ TXT': ['mismatch', 'It costs 11 DNS lookups, and receivers stop at 10'] },
    unhealed: { '@ TXT': 'which of the other senders is no longer used only the tenant knows' },
  },
  {
    says: 'just ten lookups',
    zone: 'spf-ten',
    change: spf(`v=spf1 include:eight.senders.example ${INCLUDE} ~all`),
    expect: {},
  },
  {
    says: 'more than ten lookups once the service is added',
    zone: 'spf-full',
    change: spf('v=spf1 include:eight.senders.example include:one.senders.example ~all'),
    expect: { '@ TXT': ['mismatch', /add include:spf\.mail\.test.*costs 11 DNS lookups with this service/] },
    unhealed: { '@ TXT': 'which of the other senders is no longer used only the tenant knows' },
  },
  {
    says: 'the same sender twice is over the limit, once is not',
    zone: 'spf-twice',
    change: spf(`v=spf1 include:eight.senders.example include:eight.senders.example ${INCLUDE} ~all`),
    expect: { '@ TXT': ['mismatch', 'It costs 19 DNS lookups'] },
  },
  {
    says: 'an endless chain of includes',
    zone: 'spf-loop',
    change: spf(`v=spf1 ${INCLUDE} include:loop.senders.example ~all`),
    expect: { '@ TXT': ['mismatch', 'leads back to where it was asked from'] },
  },
  {
    says: 'too many terms that lead to nothing',
    zone: 'spf-void',
    change: spf(`v=spf1 a:x1.senders.example a:x2.senders.example mx:x3.senders.example ${INCLUDE} ~all`),
    expect: { '@ TXT': ['mismatch', '3 of its terms lead to nothing (a:x1.senders.example'] },
  },
  {
    says: 'an include without SPF',
    zone: 'spf-broken',
    change: spf(`v=spf1 include:nothing.senders.example include:gone.senders.example ${INCLUDE} ~all`),
    expect: {
      '@ TXT': [
        'mismatch',
        /include:nothing\.senders\.example leads to a name that has no SPF record.*include:gone\.senders\.example leads to a name that does not exist/,
      ],
    },
  },
  {
    says: 'an include with two records, or with a mistake, somewhere below',
    zone: 'spf-below',
    change: spf(`v=spf1 ${INCLUDE} include:deep.senders.example include:typo.senders.example ~all`),
    expect: {
      '@ TXT': [
        'mismatch',
        /include:deep\.senders\.example includes include:two\.senders\.example leads to a name with 2 SPF records.*the term ipv4:192\.0\.2\.1 is nothing/,
      ],
    },
  },
  {
    says: 'mistakes whose meaning is plain',
    zone: 'spf-typo',
    values: {
      '@ TXT': 'v=spf1 ip4:192.0.2.7 ip4:192.0.2.8 include:one.senders.example include:spf.mail.test ~all',
    },
    change: spf(`v=spf1 ipv4:192.0.2.7 192.0.2.8 include=one.senders.example ${INCLUDE} ~all`),
    expect: {
      '@ TXT': [
        'mismatch',
        /"ipv4:192\.0\.2\.7" is nothing that SPF knows; it was probably meant as "ip4:192\.0\.2\.7".*"include:one\.senders\.example"/,
      ],
    },
  },
  {
    says: 'a mistake whose meaning is not',
    zone: 'spf-wrong',
    change: spf(`v=spf1 ip4:192.0.2.300 mail.example ${INCLUDE} ~all`),
    expect: { '@ TXT': ['mismatch', 'correct it, or leave it out as in the record shown'] },
  },
  {
    says: 'strings without the space between them',
    zone: 'spf-split',
    values: { '@ TXT': 'v=spf1 include:one.senders.example include:spf.mail.test ~all' },
    change: { '@ TXT': [`"v=spf1 include:one.senders.example" "${INCLUDE} ~all"`] },
    expect: { '@ TXT': ['mismatch', 'a space is missing where they meet'] },
  },
  {
    says: 'the first string ends right behind the version',
    zone: 'spf-split-version',
    change: { '@ TXT': [`"v=spf1" "${INCLUDE}" "~all"`] },
    expect: { '@ TXT': ['mismatch', 'a space is missing where they meet'] },
  },
  {
    says: 'strings that are split within a word',
    zone: 'spf-strings',
    change: { '@ TXT': [`"v=spf1 include:spf.ma" "il.test ~a" "ll"`] },
    expect: {},
  },
  {
    says: 'a split text beside the record is none of its own',
    zone: 'spf-beside',
    change: { '@ TXT': [quoted(SPF), '"v=spf1" "a" "-all"'] },
    expect: {},
  },
  {
    says: 'quotation marks within the text',
    zone: 'spf-quotes',
    change: spf(`"${SPF}"`),
    expect: { '@ TXT': ['mismatch', 'does not begin with exactly "v=spf1"'] },
  },
  {
    says: 'SPF with ptr, and with ?all',
    zone: 'spf-ptr',
    change: spf(`v=spf1 ptr ${INCLUDE} ?all`),
    expect: { '@ TXT': ['ok', /It uses "ptr".*~all would be better/] },
  },
  {
    says: 'a lookup that fails within an include',
    zone: 'spf-servfail',
    change: spf(`v=spf1 ${INCLUDE} include:spf.broken.example ~all`),
    expect: {
      '@ TXT': [
        'error',
        /spf\.broken\.example, which the record includes, could not be asked for: .*SERVFAIL/,
      ],
    },
  },
  {
    says: 'the service may be behind an include that fails',
    zone: 'spf-hidden',
    change: spf('v=spf1 include:spf.broken.example ~all'),
    expect: { '@ TXT': ['error', 'So it cannot be said whether it lists spf.mail.test'] },
  },
  {
    says: 'a mistake is one, whatever else fails',
    zone: 'spf-both',
    change: spf(`v=spf1 ${INCLUDE} include:spf.broken.example nonsense ~all`),
    expect: { '@ TXT': ['mismatch', '"nonsense" is nothing that SPF knows'] },
    unhealed: { '@ TXT': 'the include still fails' },
  },
  {
    says: 'a subdomain needs no SPF of its own',
    zone: 'spf-sub',
    sub: 'news',
    change: { 'news TXT': [quoted('v=spf1 -all')] },
    expect: {},
  },
];

const mailFrom: readonly ZoneRow[] = [
  {
    says: 'nothing for the return path',
    zone: 'bounce-none',
    change: without('bounce MX', 'bounce TXT'),
    expect: {
      'bounce MX': ['missing', 'add the MX 10 mail.test at bounce.bounce-none.example'],
      'bounce TXT': [
        'missing',
        'There is no such record yet: add the TXT "v=spf1 include:spf.mail.test ~all" at ',
      ],
    },
  },
  {
    says: 'another server takes the bounces',
    zone: 'bounce-other',
    change: { 'bounce MX': ['10 mx.mailboxes.example.'] },
    expect: { 'bounce MX': ['mismatch', 'leads to "mx.mailboxes.example", not to this service'] },
  },
  {
    says: 'another server takes bounces as well',
    zone: 'bounce-two',
    change: { 'bounce MX': [`20 ${SERVICE}.`, '10 mx.mailboxes.example.'] },
    expect: { 'bounce MX': ['multiple', "Besides this service's there are other MX records"] },
  },
  {
    says: 'another preference, and -all, are as good',
    zone: 'bounce-fine',
    change: { 'bounce MX': [`0 ${SERVICE}.`], 'bounce TXT': [quoted(`v=spf1 ${INCLUDE} -all`)] },
    expect: {},
  },
  {
    says: 'the return path takes no mail',
    zone: 'bounce-null',
    change: { 'bounce MX': ['0 .'] },
    expect: { 'bounce MX': ['mismatch', 'takes no mail ("0 .")'] },
  },
  {
    says: 'the return path is an alias',
    zone: 'bounce-alias',
    change: { ...without('bounce MX', 'bounce TXT'), 'bounce CNAME': ['site'], 'site A': ['192.0.2.1'] },
    expect: {
      'bounce MX': ['mismatch', 'is an alias (CNAME) of site.bounce-alias.example'],
      'bounce TXT': [
        'missing',
        'A name with a CNAME cannot have other records: put it right there, or remove the CNAME',
      ],
    },
  },
  {
    says: 'the zone is behind the target and behind the name',
    zone: 'bounce-dot',
    change: {
      'bounce MX': [`10 ${SERVICE}.bounce-dot.example.`],
      'in MX': [],
      'in.bounce-dot.example MX': [`10 ${SERVICE}.`],
    },
    expect: {
      'bounce MX': ['mismatch', 'Your provider has put bounce-dot.example behind the target'],
      'in MX': ['missing', 'It was entered as in.bounce-dot.example.bounce-dot.example'],
    },
  },
  {
    says: 'a wildcard MX is no MX of the return path, and gives way to its TXT',
    zone: 'wild-mx',
    change: {
      ...without('bounce MX', 'in MX', 'bounce TXT'),
      ...without('_mta-sts.in CNAME', 'mta-sts.in CNAME', '_smtp._tls.in TXT'),
      '* MX': ['10 mx.mailboxes.example.'],
      '* TXT': [quoted(SPF)],
    },
    expect: {
      'in MX': ['missing', 'A wildcard record (*) of the zone answers'],
      '_mta-sts.in CNAME': ['missing', TAKES_AN_HOUR],
      'mta-sts.in CNAME': ['missing', TAKES_AN_HOUR],
      '_smtp._tls.in TXT': ['missing', TAKES_AN_HOUR],
      // `bounce` exists by what is below it, so the wildcard does not reach it.
      'bounce MX': ['missing', TAKES_AN_HOUR],
      'bounce TXT': [
        'missing',
        'There is no such record yet: add the TXT "v=spf1 include:spf.mail.test ~all" at ',
      ],
    },
  },
];

const dmarcRows: readonly ZoneRow[] = [
  {
    says: 'no DMARC',
    zone: 'dmarc-none',
    change: without('_dmarc TXT'),
    expect: {
      '_dmarc TXT': [
        'missing',
        'add the TXT "v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@mail.test" at _dmarc.dmarc-none.example',
      ],
    },
  },
  {
    says: 'more than one DMARC',
    zone: 'dmarc-two',
    values: { '_dmarc TXT': 'v=DMARC1; p=reject; rua=mailto:dmarc@mail.test' },
    change: { '_dmarc TXT': [quoted(DMARC), quoted('v=DMARC1; p=reject')] },
    expect: { '_dmarc TXT': ['multiple', 'There are 2 DMARC records at _dmarc.dmarc-two.example'] },
  },
  {
    says: 'tags in capitals, which receivers read differently',
    zone: 'dmarc-capitals',
    values: { '_dmarc TXT': 'v=DMARC1; p=reject; aspf=r; rua=mailto:a@reports.example' },
    change: dmarc('v=DMARC1; P=reject; ASPF=s; rua=mailto:a@reports.example'),
    expect: { '_dmarc TXT': ['mismatch', /tags in capitals.*aspf=s/] },
  },
  {
    says: 'strict SPF alignment',
    zone: 'dmarc-strict',
    values: { '_dmarc TXT': 'v=DMARC1; p=reject; adkim=s; aspf=r; rua=mailto:a@reports.example' },
    change: dmarc('v=DMARC1; p=reject; adkim=s; aspf=s; rua=mailto:a@reports.example'),
    expect: { '_dmarc TXT': ['mismatch', 'strict SPF alignment (aspf=s)'] },
  },
  {
    says: 'a stricter policy with reports to others',
    zone: 'dmarc-kept',
    values: {
      '_dmarc TXT':
        'v=DMARC1;p=reject;sp=none;adkim=s;fo=1;rua=mailto:a@reports.example,mailto:b@reports.example',
    },
    change: dmarc(
      'v=DMARC1;p=reject;sp=none;adkim=s;fo=1;rua=mailto:a@reports.example,mailto:b@reports.example',
    ),
    expect: {},
  },
  {
    says: 'the policy that is asked for, and what that means for BIMI',
    zone: 'dmarc-asked',
    change: dmarc(`v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@${SERVICE}`),
    expect: noBimiEffect,
  },
  {
    says: 'a policy by another name, and an alignment that is none',
    zone: 'dmarc-typo',
    change: dmarc('v=DMARC1; p=quarentine; aspf=relaxed; rua=mailto:a@reports.example'),
    expect: {
      ...noBimiEffect,
      '_dmarc TXT': ['mismatch', /"p=quarentine" is no policy.*"aspf=relaxed" cannot be: say aspf=r/],
    },
  },
  {
    says: 'semicolons are missing',
    zone: 'dmarc-semicolon',
    values: { '_dmarc TXT': 'v=DMARC1; p=reject; rua=mailto:a@reports.example' },
    change: dmarc('v=DMARC1 p=reject rua=mailto:a@reports.example'),
    expect: { '_dmarc TXT': ['mismatch', 'does not begin with exactly "v=DMARC1;"'] },
  },
  {
    says: 'a semicolon is missing between policy and reports',
    zone: 'dmarc-joined',
    values: { '_dmarc TXT': 'v=DMARC1; p=reject; rua=mailto:a@reports.example' },
    change: dmarc('v=DMARC1; p=reject rua=mailto:a@reports.example'),
    expect: { '_dmarc TXT': ['mismatch', 'A semicolon is missing between its tags.'] },
  },
  {
    says: 'a tag twice, and words that are none',
    zone: 'dmarc-syntax',
    change: dmarc('v=DMARC1; p=reject; rua=mailto:a@reports.example; p=none; strictly'),
    expect: { '_dmarc TXT': ['mismatch', /"p=none" is there a second time.*"strictly" is no tag=value/] },
  },
  {
    says: 'small letters in the version',
    zone: 'dmarc-small',
    change: dmarc('v=dmarc1; p=reject; rua=mailto:a@reports.example'),
    expect: { '_dmarc TXT': ['mismatch', 'does not begin with exactly "v=DMARC1;"'] },
  },
  {
    says: 'tags that were removed, and no reports',
    zone: 'dmarc-old',
    change: dmarc('v=DMARC1; p=quarantine; pct=50; ri=3600'),
    expect: { '_dmarc TXT': ['ok', /Since RFC 9989 pct, ri no longer exist.*It asks for no reports/] },
  },
  {
    says: 'no policy at all',
    zone: 'dmarc-empty',
    change: dmarc('v=DMARC1; rua=mailto:a@reports.example'),
    expect: { ...noBimiEffect, '_dmarc TXT': ['mismatch', 'It has no policy (p=)'] },
  },
  {
    says: 'DMARC by an alias to those who watch it',
    zone: 'dmarc-alias',
    change: { ...without('_dmarc TXT'), '_dmarc CNAME': ['policy.watchers.example.'] },
    expect: {},
  },
  {
    says: 'DMARC by an alias that leads nowhere',
    zone: 'dmarc-dangling',
    change: { ...without('_dmarc TXT'), '_dmarc CNAME': ['gone.watchers.example.'] },
    expect: {
      '_dmarc TXT': [
        'missing',
        'is an alias (CNAME) of gone.watchers.example, where there is no such record',
      ],
    },
  },
  {
    says: 'DMARC is missing on the subdomain',
    zone: 'dmarc-sub',
    values: { '_dmarc.news TXT': 'v=DMARC1; p=quarantine; rua=mailto:dmarc@mail.test' },
    sub: 'news',
    change: without('_dmarc.news TXT'),
    expect: {
      '_dmarc.news TXT': [
        'missing',
        /add the TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@mail\.test" at _dmarc\.news\.dmarc-sub\.example/,
      ],
    },
  },
  {
    says: 'two records at the apex, none or a wrong one below',
    zone: 'dmarc-two-sub',
    sub: 'news',
    values: { '_dmarc.news TXT': 'v=DMARC1; p=reject; rua=mailto:a@reports.example' },
    change: {
      '_dmarc TXT': [quoted('v=DMARC1; p=none'), quoted('v=DMARC1; p=reject; rua=mailto:a@reports.example')],
      '_dmarc.news TXT': [],
    },
    expect: {
      '_dmarc TXT': ['multiple', 'There are 2 DMARC records'],
      '_dmarc.news TXT': ['missing', 'There is no such record yet'],
    },
  },
  {
    says: 'a copy that counts as none, and was weaker',
    zone: 'dmarc-small-sub',
    sub: 'news',
    values: { '_dmarc.news TXT': `v=DMARC1; p=quarantine; rua=mailto:dmarc@${SERVICE}` },
    change: { '_dmarc.news TXT': [quoted(`V=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}`)] },
    expect: { '_dmarc.news TXT': ['mismatch', 'does not begin with exactly "v=DMARC1;"'] },
  },
  {
    says: 'DMARC on the subdomain only',
    zone: 'dmarc-sub-only',
    sub: 'news',
    change: without('_dmarc TXT'),
    expect: { '_dmarc TXT': ['missing', /add the TXT .* at _dmarc\.dmarc-sub-only\.example/] },
  },
  {
    says: 'a weaker policy on the subdomain',
    zone: 'dmarc-weaker',
    values: { '_dmarc.news TXT': 'v=DMARC1; p=quarantine; rua=mailto:dmarc@mail.test' },
    sub: 'news',
    change: { '_dmarc.news TXT': [quoted(`v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}`)] },
    expect: {
      '_dmarc.news TXT': [
        'mismatch',
        'Its policy (p=none) is not the same as at _dmarc.dmarc-weaker.example (p=quarantine)',
      ],
      'default._bimi.news TXT': ['ok', 'It has no effect'],
    },
  },
  {
    says: 'a stricter policy on the subdomain',
    zone: 'dmarc-stricter',
    values: { '_dmarc.news TXT': 'v=DMARC1; p=reject; rua=mailto:dmarc@mail.test' },
    sub: 'news',
    change: { '_dmarc.news TXT': [quoted(`v=DMARC1; p=reject; rua=mailto:dmarc@${SERVICE}`)] },
    expect: { '_dmarc.news TXT': ['mismatch', 'Raise the one at _dmarc.dmarc-stricter.example to p=reject'] },
    unhealed: { '_dmarc.news TXT': 'the other one is to be raised: a weaker policy is never shown' },
  },
  {
    says: 'a public suffix on the subdomain, with strict alignment',
    zone: 'dmarc-psd',
    sub: 'news',
    change: {
      '_dmarc.news TXT': [quoted('v=DMARC1; p=quarantine; psd=y; aspf=s; rua=mailto:a@reports.example')],
    },
    expect: { '_dmarc.news TXT': ['mismatch', /claims to be a public suffix \(psd=y\).*aspf=s/] },
  },
];

const otherRows: readonly ZoneRow[] = [
  {
    says: 'no logo',
    zone: 'bimi-none',
    change: without('default._bimi TXT'),
    expect: { 'default._bimi TXT': ['missing', "Put your own logo's address in l=."] },
  },
  {
    says: 'a logo with an empty certificate tag',
    zone: 'bimi-empty',
    values: { 'default._bimi TXT': 'v=BIMI1; l=https://logo.example/a.svg;' },
    change: bimi('v=BIMI1; l=https://logo.example/a.svg; a=;'),
    expect: { 'default._bimi TXT': ['mismatch', 'leave it out until there is a certificate'] },
  },
  {
    says: 'a logo with a certificate',
    zone: 'bimi-cert',
    change: bimi('v=BIMI1; l=https://logo.example/a.svg; a=https://logo.example/a.pem'),
    expect: {},
  },
  {
    says: 'a certificate that is none, and a picture that is none',
    zone: 'bimi-wrong',
    change: bimi('v=BIMI1; l=http://logo.example/a.png; a=self;'),
    expect: { 'default._bimi TXT': ['mismatch', /must be the https address of an SVG file.*PEM file/] },
  },
  {
    says: 'another logo than the one set, without its certificate',
    zone: 'bimi-set',
    bimi: { logoUrl: 'https://logo.example/b.svg', certificateUrl: 'https://logo.example/b.pem' },
    change: bimi('v=BIMI1; l=https://logo.example/a.svg;'),
    expect: {
      'default._bimi TXT': [
        'mismatch',
        /replace it by https:\/\/logo\.example\/b\.svg.*say a=https:\/\/logo\.example\/b\.pem/,
      ],
    },
  },
  {
    says: 'a declined logo',
    zone: 'bimi-declined',
    change: bimi('v=BIMI1; l=; a=;'),
    expect: { 'default._bimi TXT': ['ok', 'This record declines'] },
  },
  {
    says: 'two logos',
    zone: 'bimi-two',
    change: {
      'default._bimi TXT': [
        quoted('v=BIMI1; l=https://a.example/a.svg'),
        quoted('v=BIMI1; l=https://a.example/b.svg'),
      ],
    },
    expect: { 'default._bimi TXT': ['multiple', 'There are 2 BIMI records'] },
  },
  {
    says: 'nothing for mail to the host: all optional',
    zone: 'in-none',
    change: without(
      'in MX',
      ...['in', 'bounce'].flatMap((l) => [
        `_mta-sts.${l} CNAME`,
        `mta-sts.${l} CNAME`,
        `_smtp._tls.${l} TXT`,
      ]),
    ),
    expect: {
      'in MX': ['missing', 'add the MX 10 mail.test at in.in-none.example'],
      ...Object.fromEntries(
        ['in', 'bounce'].flatMap((l) =>
          [`_mta-sts.${l} CNAME`, `mta-sts.${l} CNAME`, `_smtp._tls.${l} TXT`].map((key) => [
            key,
            ['missing', TAKES_AN_HOUR],
          ]),
        ),
      ),
    },
  },
  {
    says: 'a policy and reports of one’s own',
    zone: 'in-own',
    change: {
      '_mta-sts.in CNAME': [],
      '_mta-sts.in TXT': [quoted('v=STSv1; id=20260101;')],
      'mta-sts.in CNAME': [],
      'mta-sts.in A': ['192.0.2.1'],
      '_smtp._tls.in TXT': [quoted('v=TLSRPTv1; rua=mailto:a@reports.example')],
      '_smtp._tls.bounce TXT': [quoted('v=TLSRPTv1; rua=a@reports.example')],
      '_mta-sts.bounce CNAME': ['_mta-sts.other.example.'],
    },
    expect: {
      '_mta-sts.in CNAME': ['mismatch', 'It does not change when the policy changes'],
      'mta-sts.in CNAME': ['proxied', 'CNAME to mta-sts.mail.test itself'],
      '_smtp._tls.in TXT': ['ok', 'The reports go to others'],
      '_smtp._tls.bounce TXT': ['mismatch', 'name a mailto: or https: address'],
      '_mta-sts.bounce CNAME': ['mismatch', 'Change its target to _mta-sts.mail.test'],
    },
  },
  {
    says: 'two reports of TLS',
    zone: 'tls-two',
    change: {
      '_smtp._tls.in TXT': [
        quoted('v=TLSRPTv1; rua=mailto:a@b.example'),
        quoted('v=TLSRPTv1; rua=mailto:c@b.example'),
      ],
    },
    expect: { '_smtp._tls.in TXT': ['multiple', 'There are 2 such records'] },
  },
  {
    says: 'the apex’s MX leads here',
    zone: 'apex-mx',
    change: { '@ MX': [`10 ${SERVICE}.`] },
    expect: {},
    conflicts: ['apex-mx.example'],
  },
  {
    says: 'the MX of the sending host leads here, among others',
    zone: 'host-mx',
    sub: 'news',
    change: { 'news MX': ['5 mx.mailboxes.example.', `10 ${SERVICE}.`] },
    expect: {},
    conflicts: ['news.host-mx.example'],
  },
  {
    says: 'a domain without any MX',
    zone: 'no-mx',
    change: without('@ MX'),
    expect: {},
  },
];

export const zoneRows: readonly ZoneRow[] = [
  ...dkim,
  ...imported,
  ...spfRows,
  ...mailFrom,
  ...dmarcRows,
  ...otherRows,
];

/** Zones of others that the rows' zones point to. */
export const otherZones: Readonly<Record<string, ZoneLines>> = {
  'senders.example': {
    'one TXT': [quoted('v=spf1 ip4:192.0.2.0/24 -all')],
    'ours TXT': [quoted(`v=spf1 ip4:192.0.2.0/24 ${INCLUDE} -all`)],
    'two TXT': [quoted('v=spf1 -all'), quoted('v=spf1 ~all')],
    'deep TXT': [quoted('v=spf1 include:two.senders.example -all')],
    'typo TXT': [quoted('v=spf1 ipv4:192.0.2.1 -all')],
    'nothing TXT': [quoted('no policy')],
    'loop TXT': [quoted('v=spf1 include:pool.senders.example -all')],
    'pool TXT': [quoted('v=spf1 include:loop.senders.example -all')],
    'here A': ['192.0.2.1'],
    // With the include of itself: nine.
    'eight TXT': [
      quoted(
        `v=spf1 ${[1, 2, 3, 4, 5].map(() => 'include:one.senders.example').join(' ')} a:here.senders.example exists:%{i}.x.senders.example mx:here2.senders.example -all`,
      ),
    ],
    'here2 MX': ['10 mx.mailboxes.example.'],
  },
  'watchers.example': { 'policy TXT': [quoted(DMARC)] },
  'mailboxes.example': { 'mx A': ['192.0.2.25'], 'site A': ['192.0.2.80'] },
};
