// Rates a subject: signs that put a mail into the spam folder, and personal data that others could read in a notification. It
// is a table of rules with weights; a subject's score is their sum, at most 100. Pure.
import { isSeen } from '#src/mail/visible-text.ts';
import { namesIllnessOrTreatment } from './language.ts';
import { LONG_SUBJECT } from './limits.ts';

export interface SubjectRule {
  /** Under `subject_…` the catalogues have the words about what the rule finds. */
  readonly id: string;
  /** 1 to 100. */
  readonly weight: number;
  readonly finds: (subject: string) => boolean;
}

export const riskLevels = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof riskLevels)[number];

export interface SubjectRisk {
  /** 0 to 100. */
  readonly score: number;
  readonly level: RiskLevel;
  /** Ids of the rules that found something, in the order of the table. */
  readonly rules: readonly string[];
}

/** UTF-16 code units of a subject that are checked, more than mail programs show. */
const LOOKED_AT = 500;
const SHOUTED_LETTERS = 10;
const SHOUTED_SHARE = 0.7;
const MEDIUM_FROM = 15;
const HIGH_FROM = 35;
const MAX_SCORE = 100;

const matches =
  (...patterns: readonly RegExp[]) =>
  (subject: string): boolean =>
    patterns.some((pattern) => pattern.test(subject));

/** Matches whole words, also beside non-ASCII letters. */
const words = (...lists: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${lists.join('|')})(?!\\p{L})`, 'iu');

const isShouted = (subject: string): boolean => {
  const letters = subject.match(/\p{L}/gu)?.length ?? 0;
  const capitals = subject.match(/\p{Lu}/gu)?.length ?? 0;
  return letters >= SHOUTED_LETTERS && capitals >= SHOUTED_SHARE * letters;
};

const FOREIGN_LETTER = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** Whether one word has letters of two scripts: `Pаypal` with a Cyrillic а. */
const mixesScripts = (subject: string): boolean =>
  FOREIGN_LETTER.test(subject) &&
  (subject.match(/[\p{L}\p{M}]+/gu) ?? []).some(
    (word) => /\p{Script=Latin}/u.test(word) && FOREIGN_LETTER.test(word),
  );

/** The letters of these scripts are not joined, so that it only hides a word from filters. */
const NEEDLESS_JOINER = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\u200c\u200d]/u;

export const subjectRules: readonly SubjectRule[] = [
  {
    id: 'empty',
    weight: 20,
    finds: (subject) => subject.trim() === '',
  },
  {
    id: 'hidden_characters',
    weight: 35,
    finds: (subject) => !isSeen(subject) || NEEDLESS_JOINER.test(subject),
  },
  {
    id: 'mixed_scripts',
    weight: 35,
    finds: mixesScripts,
  },
  {
    id: 'placeholder',
    weight: 30,
    finds: matches(
      /\{\{[^{}]{0,60}\}\}/,
      /<%[^%]{0,60}%>/,
      /\[\[?(?:vor|nach)?name\]?\]|\[(?:anrede|first ?name|last ?name)\]/i,
      /%(?:[A-Z_]{3,30})%/,
      words('undefined|null|NaN|lorem ipsum'),
    ),
  },
  {
    id: 'phishing_words',
    weight: 30,
    finds: matches(
      words(
        'passwort|password|kennwort|pin|tan',
        'konto (?:wurde |ist )?(?:gesperrt|eingeschränkt)|account (?:has been |is )?(?:suspended|locked)',
        'verify your \\p{L}+|bestätigen sie ihre (?:daten|identität|kontodaten)',
      ),
    ),
  },
  {
    id: 'health_detail',
    weight: 30,
    finds: namesIllnessOrTreatment,
  },
  {
    id: 'personal_data',
    weight: 25,
    finds: matches(
      /\b(?:geb\.|geboren|geburtsdatum|born|date of birth|dob)[:\s]{0,3}(?:am |on )?\d{1,2}(?:[./-]\d{1,2}[./-]|\.? \p{L}{3,9} )\d{2,4}/iu,
      /(?<!\p{L})(?:patienten|versicherten|fall)[- ]?(?:nummer|nr\.?|id)[\s:#]{0,3}[A-Z]?\d{3}/iu,
      /\b(?:patient|insurance|nhs|medical record) (?:number|no\.?|id)[\s:#]{0,3}[A-Z]?\d{3}/i,
      /[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2}/i,
      /\b[A-Z]\d{9}\b/,
      /\b[A-Z]{2}\d{2}(?: ?\d{4}){4}/,
    ),
  },
  {
    id: 'spaced_out',
    weight: 25,
    finds: matches(/(?<!\p{L})(?:\p{L}[ ._*-]){4,}\p{L}(?!\p{L})/u),
  },
  {
    id: 'shouting',
    weight: 20,
    finds: isShouted,
  },
  {
    id: 'money',
    weight: 15,
    finds: matches(
      /[€$£]{2,}|\b\d{1,3}\s?%\s?(?:off|rabatt|reduziert|günstiger)/i,
      words(
        'gewonnen|gewinner|gewinn(?:spiel)?|you won|winner|prize|bargeld|cash|kredit|loan|casino|bitcoin',
      ),
    ),
  },
  {
    id: 'advertising_words',
    weight: 12,
    finds: matches(
      words(
        'gratis|kostenlos\\p{L}{0,2}|umsonst|geschenkt|rabatt\\p{L}{0,10}|sonderangebot\\p{L}{0,2}|schnäppchen',
        'for free|free gift|discount|bargain|special offer|best price|risk free|100 ?% free',
      ),
    ),
  },
  {
    id: 'pressure',
    weight: 12,
    finds: matches(
      words(
        'dringend\\p{L}{0,2}|sofort handeln|letzte (?:chance|mahnung|warnung)|nur (?:noch )?heute|handeln sie jetzt',
        'urgent|act now|last (?:chance|warning)|final notice|only today|expires (?:today|soon)|limited time',
      ),
    ),
  },
  {
    id: 'link',
    weight: 12,
    finds: matches(/https?:\/\/|\bwww\.[a-z0-9]/i),
  },
  {
    id: 'encoded_remains',
    weight: 12,
    finds: matches(/=\?[\w-]{3,20}\?[bq]\?/i, /Ã[\u0080-\u00bf¤¶¼Ÿ]|â€|\ufffd/),
  },
  {
    id: 'punctuation',
    weight: 10,
    finds: matches(/!{2,}|\?{2,}|[!?]\s?[!?]|!.*!/),
  },
  {
    id: 'false_reply',
    weight: 8,
    finds: matches(/^\s*(?:re|aw|fw|fwd|wg)\s*:/i),
  },
  {
    id: 'symbols',
    weight: 6,
    finds: matches(/(?:\p{Extended_Pictographic}.*){3}/u, /[★☆►▶✔✓❤♥]{2,}|[*~=#_-]{4,}/u),
  },
  {
    id: 'long',
    weight: 4,
    finds: (subject) => subject.length > LONG_SUBJECT && [...subject].length > LONG_SUBJECT,
  },
];

const levelOf = (score: number): RiskLevel =>
  score >= HIGH_FROM ? 'high' : score >= MEDIUM_FROM ? 'medium' : 'low';

export const subjectRisk = (subject: string): SubjectRisk => {
  const shown = subject.slice(0, LOOKED_AT);
  const found = subjectRules.filter(({ finds }) => finds(shown));
  const score = Math.min(
    MAX_SCORE,
    found.reduce((sum, { weight }) => sum + weight, 0),
  );
  return { score, level: levelOf(score), rules: found.map(({ id }) => id) };
};
