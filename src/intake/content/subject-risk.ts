// Rates a subject: signs that put a mail into the spam folder, and personal data that others could read in a notification. It
// is a table of rules with weights; a subject's score is their sum, at most 100. Pure.
import type { Language } from '#src/kernel/language.ts';
import { isSeen } from '#src/mail/visible-text.ts';
import { namesIllnessOrTreatment } from './health-words.ts';

type Words = Readonly<Record<Language, string>>;

export interface SubjectRule {
  readonly id: string;
  /** 1 to 100. */
  readonly weight: number;
  readonly finds: (subject: string) => boolean;
  readonly why: Words;
  readonly advice: Words;
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
/** Phones show less, and desktop programs not more. */
const LONG = 78;
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
    why: { de: 'Ein leerer Betreff ist ein Merkmal von Spam.', en: 'An empty subject is a mark of spam.' },
    advice: {
      de: 'Sagen Sie in wenigen Wörtern, worum es geht.',
      en: 'Say in a few words what it is about.',
    },
  },
  {
    id: 'hidden_characters',
    weight: 35,
    finds: (subject) => !isSeen(subject) || NEEDLESS_JOINER.test(subject),
    why: {
      de: 'Unsichtbare Zeichen verbergen, was dasteht; Filter werten sie als Täuschung.',
      en: 'Invisible characters hide what it says; filters take that for deceit.',
    },
    advice: {
      de: 'Tippen Sie den Betreff neu, statt ihn einzufügen.',
      en: 'Type the subject again instead of pasting it.',
    },
  },
  {
    id: 'mixed_scripts',
    weight: 35,
    finds: mixesScripts,
    why: {
      de: 'Ein Wort enthält Buchstaben zweier Schriften, wie es Betrüger tun.',
      en: 'A word has letters of two scripts, as deceivers write it.',
    },
    advice: { de: 'Schreiben Sie jedes Wort in einer Schrift.', en: 'Write each word in one script.' },
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
    why: { de: 'Ein Platzhalter wurde nicht ersetzt.', en: 'A placeholder was not filled in.' },
    advice: {
      de: 'Prüfen Sie die Vorlage und die Daten der Empfänger.',
      en: "Check the template and the recipients' data.",
    },
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
    why: {
      de: 'Nach Zugangsdaten oder gesperrten Konten fragen vor allem Betrüger.',
      en: 'It is mostly deceivers who write of passwords and locked accounts.',
    },
    advice: {
      de: 'Nennen Sie den Anlass, ohne von Zugangsdaten zu schreiben.',
      en: 'Name the occasion without writing of credentials.',
    },
  },
  {
    id: 'health_detail',
    weight: 30,
    finds: namesIllnessOrTreatment,
    why: {
      de: 'Der Betreff steht auf Sperrbildschirmen und in Protokollen: Angaben zur Gesundheit sind dort für Dritte lesbar (Art. 9 DSGVO, § 203 StGB).',
      en: 'A subject shows on lock screens and in logs: others read health data there (Art. 9 GDPR, § 203 StGB).',
    },
    advice: {
      de: 'Schreiben Sie neutral, etwa „Nachricht Ihrer Praxis“.',
      en: 'Stay neutral, such as “A message from your practice”.',
    },
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
    why: {
      de: 'Geburtsdatum, Versicherten- oder Kontonummer stehen offen im Betreff.',
      en: 'A date of birth, an insurance number or an account number is readable in the subject.',
    },
    advice: {
      de: 'Lassen Sie solche Angaben weg oder schreiben Sie sie in den Text.',
      en: 'Leave it out, or write it in the text.',
    },
  },
  {
    id: 'spaced_out',
    weight: 25,
    finds: matches(/(?<!\p{L})(?:\p{L}[ ._*-]){4,}\p{L}(?!\p{L})/u),
    why: {
      de: 'Gesperrt geschriebene Wörter sollen Filter umgehen und fallen ihnen deshalb auf.',
      en: 'Words with gaps between letters are meant to evade filters, which notice them for that.',
    },
    advice: { de: 'Schreiben Sie Wörter ohne Lücken.', en: 'Write words without gaps.' },
  },
  {
    id: 'shouting',
    weight: 20,
    finds: isShouted,
    why: { de: 'Fast alles ist großgeschrieben.', en: 'Nearly all of it is in capitals.' },
    advice: {
      de: 'Schreiben Sie in gewöhnlicher Groß- und Kleinschreibung.',
      en: 'Write it in ordinary case.',
    },
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
    why: {
      de: 'Gewinne, Geld und Prozente kennen Filter aus Werbung und Betrug.',
      en: 'Filters know winnings, money and per cents from advertising and fraud.',
    },
    advice: {
      de: 'Sagen Sie, was die Mail enthält, nicht, was sie einbringt.',
      en: 'Say what the mail holds, not what it brings.',
    },
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
    why: {
      de: 'Typische Werbewörter senken die Zustellung, und in Termin-Mails sind sie unzulässig (§ 7 UWG).',
      en: 'Words of advertising lower delivery, and in appointment mails they are unlawful (§ 7 UWG).',
    },
    advice: {
      de: 'Verzichten Sie darauf, oder senden Sie über eine Marketing-Route.',
      en: 'Do without, or send over a marketing route.',
    },
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
    why: { de: 'Zeitdruck ist ein Mittel von Betrügern.', en: 'Pressing for time is what deceivers do.' },
    advice: { de: 'Nennen Sie Datum oder Frist, ohne zu drängen.', en: 'Name the date without pressing.' },
  },
  {
    id: 'link',
    weight: 12,
    finds: matches(/https?:\/\/|\bwww\.[a-z0-9]/i),
    why: {
      de: 'Ein Link im Betreff ist unüblich und wirkt wie Phishing.',
      en: 'A link in a subject is unusual and looks like phishing.',
    },
    advice: { de: 'Setzen Sie Links in den Text.', en: 'Put links into the text.' },
  },
  {
    id: 'encoded_remains',
    weight: 12,
    finds: matches(/=\?[\w-]{3,20}\?[bq]\?/i, /Ã[\u0080-\u00bf¤¶¼Ÿ]|â€|\ufffd/),
    why: { de: 'Zeichen sind doppelt oder falsch kodiert.', en: 'Characters are encoded twice or wrongly.' },
    advice: {
      de: 'Übergeben Sie den Betreff als gewöhnlichen Text in UTF-8.',
      en: 'Hand the subject over as plain text in UTF-8.',
    },
  },
  {
    id: 'punctuation',
    weight: 10,
    finds: matches(/!{2,}|\?{2,}|[!?]\s?[!?]|!.*!/),
    why: { de: 'Gehäufte Ausrufe- oder Fragezeichen.', en: 'Exclamation or question marks in heaps.' },
    advice: { de: 'Höchstens eines, am Ende.', en: 'One at most, at the end.' },
  },
  {
    id: 'false_reply',
    weight: 8,
    finds: matches(/^\s*(?:re|aw|fw|fwd|wg)\s*:/i),
    why: {
      de: 'Ein Betreff, der wie eine Antwort beginnt, ohne eine zu sein, täuscht die Empfänger.',
      en: 'A subject that begins like a reply and is none deceives its recipients.',
    },
    advice: {
      de: 'Lassen Sie „Re:“ und „AW:“ weg, wo es keine Antwort ist.',
      en: 'Leave “Re:” out where it is no reply.',
    },
  },
  {
    id: 'symbols',
    weight: 6,
    finds: matches(/(?:\p{Extended_Pictographic}.*){3}/u, /[★☆►▶✔✓❤♥]{2,}|[*~=#_-]{4,}/u),
    why: { de: 'Viele Symbole wirken wie Werbung.', en: 'Many symbols look like advertising.' },
    advice: { de: 'Ein Symbol genügt.', en: 'One symbol is enough.' },
  },
  {
    id: 'long',
    weight: 4,
    finds: (subject) => subject.length > LONG && [...subject].length > LONG,
    why: {
      de: `Über ${LONG} Zeichen: das Ende wird abgeschnitten.`,
      en: `Over ${LONG} characters: its end is cut off.`,
    },
    advice: { de: 'Stellen Sie das Wichtige an den Anfang.', en: 'Put what matters first.' },
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
