// The rules by which a practice's mail is checked. What the content rules find has a severity here; the rules of this table are
// about what only matters between a practice and its patients. Pure.
import type { ContentFinding } from '#src/content/assessment.ts';
import { readHtml } from '#src/content/reading/html.ts';
import { DELICATE_TRACKING, warnsOfTracking } from '#src/intake/gate.ts';
import type { Words } from '#src/intake/words/de/members.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { delicateKinds, type Kind } from '#src/messages/kinds.ts';
import { mayAdvertise } from '../gates/content-gates.ts';
import type { GateResult } from '../gates.ts';

export const severities = ['error', 'warn', 'info'] as const;
export type Severity = (typeof severities)[number];

/** Where something was found. `settings`: of the message or its route; `practice`: what the practice lacks. */
export const places = ['subject', 'text', 'html', 'settings', 'practice'] as const;
export type Place = (typeof places)[number];

export interface CheckedMail {
  readonly kind: Kind;
  readonly subject: string;
  /** Null where there is none, or nothing but white space. */
  readonly text: string | null;
  readonly html: string | null;
  /** What the gates about sender and content said, past refusals. */
  readonly result: Pick<GateResult, 'verdicts' | 'refusals' | 'blocked'>;
}

/** The severity of a finding of the content rules; where it has none here, its weight decides. */
const severityOfFinding: Readonly<Record<string, Severity>> = {
  subject_health_detail: 'error',
  subject_personal_data: 'warn',
  subject_shouting: 'warn',
  subject_punctuation: 'warn',
  shouted_text: 'warn',
  exclamations: 'warn',
  link_host_differs: 'error',
  subject_long: 'info',
  // A template is checked with its placeholders.
  subject_placeholder: 'info',
  unfilled_placeholder: 'info',
};
const ERROR_FROM = 25;
const WARN_FROM = 10;

const ADVERTISING_SUBJECT = 'subject_advertising_words';

export const severityOf = ({ id, weight }: ContentFinding, kind: Kind): Severity => {
  if (id === ADVERTISING_SUBJECT && delicateKinds.has(kind)) return 'error';
  return severityOfFinding[id] ?? (weight >= ERROR_FROM ? 'error' : weight >= WARN_FROM ? 'warn' : 'info');
};

/** Signs of advertising that such mail has anyway: a reminder asks to book, a confirmation names the newsletter. */
const usualIn: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  termin: ['promo_igel', 'promo_booking_call'],
  recall: ['promo_booking_call'],
  doi: ['promo_newsletter'],
};

/**
 * The severity of a sign of advertising; null where it is none for that kind. `refused`: a send would be refused for all of
 * them.
 */
export const severityOfPromotion = (id: string, kind: Kind, refused: boolean): Severity | null => {
  if (refused) return 'error';
  if (mayAdvertise(kind)) return null;
  if (!delicateKinds.has(kind)) return 'warn';
  return usualIn[kind]?.includes(id) ? null : 'error';
};

export interface MailRule {
  readonly id: keyof Words['findings'] | 'no_text_part';
  readonly severity: Severity;
  /** The code with which a send is refused for it; null: it would be sent. */
  readonly code: ErrorCode | null;
  readonly finds: (mail: CheckedMail) => readonly Place[];
}

const refusedBy =
  (code: ErrorCode, place: Place) =>
  ({ result }: CheckedMail): readonly Place[] =>
    result.refusals.some((refusal) => refusal.code === code) ? [place] : [];

/** UTF-16 code units in which a greeting is looked for: letter heads come before it. */
const GREETED_WITHIN = 600;
const READ = 3_000;
const GREETING = new RegExp(
  `^[^\\p{L}{\\n]{0,20}(?:${[
    '(?:schönen )?guten (?:tag|morgen|abend)|grüß (?:gott|dich|sie|euch)|grüezi|moin|servus|hallo|herzlich willkommen',
    'liebe[rs]?|sehr geehrter?|(?:sehr )?verehrter?|werter?',
    'dear|hello|hi|hey|good (?:morning|afternoon|evening|day)|greetings|welcome|to whom it may concern',
    '(?:frau|herr|mr|mrs|ms)\\.? [^\\n,]{1,60},',
    '\\{\\{ ?(?:anrede|begrüßung|begruessung|salutation|greeting)',
  ].join('|')})(?!\\p{L})`,
  'imu',
);

/** Tables leave white space of all kinds between words and lines. */
const greets = (shown: string): boolean =>
  GREETING.test(
    shown
      .trimStart()
      .replace(/\s*\n\s*/g, '\n')
      .replace(/[^\S\n]+/g, ' ')
      .slice(0, GREETED_WITHIN),
  );

const ungreeted = ({ text, html }: CheckedMail): readonly Place[] => {
  const shown = { text: text?.slice(0, READ), html: html === null ? undefined : readHtml(html, READ).text };
  return (['text', 'html'] as const).filter((part) => shown[part] !== undefined && !greets(shown[part]));
};

/** A patient; practitioners are `bei Frau Müller` or have a title. */
const PERSON =
  /(?<!\p{L})(?<!(?:bei|mit|von|durch|Praxis|with|from|by|see) )(?:Herrn?|Frau|Mr\.?|Mrs\.?|Ms\.?|Miss) (?!Dr|Prof|Doktor|Doctor)\p{Lu}[\p{L}'’-]+/u;

export const mailRules: readonly MailRule[] = [
  {
    id: 'kind_not_allowed_on_route',
    severity: 'error',
    code: 'kind_not_allowed_on_route',
    finds: refusedBy('kind_not_allowed_on_route', 'settings'),
  },
  {
    id: 'impressum_incomplete',
    severity: 'error',
    code: 'impressum_incomplete',
    finds: refusedBy('impressum_incomplete', 'practice'),
  },
  {
    id: 'content_blocked',
    severity: 'error',
    code: 'content_blocked',
    finds: ({ result }) => (result.blocked ? ['subject', 'text', 'html'] : []),
  },
  {
    id: DELICATE_TRACKING,
    severity: 'warn',
    code: null,
    finds: ({ result }) => (warnsOfTracking(result.verdicts) ? ['settings'] : []),
  },
  {
    id: 'subject_names_person',
    severity: 'warn',
    code: null,
    finds: ({ subject }) => (PERSON.test(subject) ? ['subject'] : []),
  },
  {
    // A send has a text made from the HTML where its route says so; what people wrote themselves reads better.
    id: 'no_text_part',
    severity: 'info',
    code: null,
    finds: ({ text, html }) => (text === null && html !== null ? ['html'] : []),
  },
  {
    id: 'no_greeting',
    severity: 'info',
    code: null,
    finds: ungreeted,
  },
];
