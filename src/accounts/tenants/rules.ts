// Pure rules of a tenant: its slug, which is also the label of its managed host and so follows the rules of both (RFC 1035
// §2.3.1); its plan; and the warm-up of its sending domain.
import { utcDay } from '#src/accounts/counters/rules.ts';

/** Leaves room in the label of 63 octets for a suffix that makes it unique. */
const MAX_SLUG_LENGTH = 40;

/** Labels that mean something in the operator's zones, or that would pass for the operator. */
const reserved: ReadonlySet<string> = new Set(
  (
    'abuse admin api app autoconfig autodiscover bounce dkim dmarc dns fbl ftp hostmaster imap in info localhost mail ' +
    'mta-sts mx news noreply ns ns1 ns2 ns3 pop postmaster root security simulator smtp spf status support webmail www'
  ).split(' '),
);

const transliterations: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  å: 'a',
};

/** Latin letters and digits, hyphens for all else. */
const plain = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüßæøå]/g, (char) => transliterations[char] ?? char)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
const trimmed = (text: string): string => text.replace(/^-+|-+$/g, '');

/** A slug from a name: `Praxis Dr. Müller` → `praxis-dr-mueller`. Empty where the name holds nothing usable. */
export const slugify = (name: string): string => trimmed(plain(name).slice(0, MAX_SLUG_LENGTH));

/** Whether each word is somewhere in the texts, as people type it: `mueller` finds Müller. */
export const hasWords = (texts: readonly string[], words: string): boolean => {
  const text = texts.join(' ').toLowerCase();
  const plainText = plain(text);
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => {
      const plainWord = trimmed(plain(word));
      return text.includes(word) || (plainWord !== '' && plainText.includes(plainWord));
    });
};

/**
 * The first free slug for a tenant of that name. `random` gives a short label for when the name yields none, is
 * reserved, or is taken often.
 */
export const chooseSlug = (
  name: string,
  isTaken: (slug: string) => boolean,
  random: () => string,
): string => {
  const base = slugify(name) || 'practice';
  const candidates = [base, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${base}-${number}`)];
  const free = candidates.find((slug) => !reserved.has(slug) && !isTaken(slug));
  return free ?? `${base}-${random()}`;
};

/** Monthly caps are mails per UTC month; a price that is null is by agreement. */
export const plans = {
  test: { monthlyCap: 200, customRoles: false, euroPerMonth: 0 },
  supporter: { monthlyCap: 1_000, customRoles: false, euroPerMonth: 5 },
  termin: { monthlyCap: 5_000, customRoles: false, euroPerMonth: null },
  praxis: { monthlyCap: 20_000, customRoles: true, euroPerMonth: null },
  gruppe: { monthlyCap: 100_000, customRoles: true, euroPerMonth: null },
} as const;

export type Plan = keyof typeof plans;
export const planNames = Object.keys(plans) as [Plan, ...Plan[]];

export const approvals = ['waiting', 'given', 'not_needed'] as const;

/** The operator's approval of going live: `waiting` where a practice in safe mode needs it. */
export const approvalOf = (row: {
  readonly plan: Plan;
  readonly safe_mode: 0 | 1;
  readonly safe_mode_held: 0 | 1;
  readonly approved_at: number | null;
}): (typeof approvals)[number] => {
  if (row.approved_at !== null) return 'given';
  const needsIt = row.plan === 'test' || row.safe_mode_held === 1;
  return needsIt && row.safe_mode === 1 ? 'waiting' : 'not_needed';
};

/** Mails per stream on day 1, day 2, ...; no cap after the last. */
export const warmupCaps: readonly number[] = [
  150, 250, 400, 700, 1_000, 1_500, 2_000, 3_500, 5_000, 7_500, 10_000, 20_000, 40_000, 70_000, 100_000,
];

/** UTC days since the first verification, which was on day 1. */
/** Marketing mail from the domain begins on this day. */
export const FIRST_BROADCAST_DAY = 3;

export const warmupDay = (startedAt: number, now: number): number =>
  Math.max(1, utcDay(now) - utcDay(startedAt) + 1);
