// What was found out about a message's content: by the rules of the house, and by the scanners that are configured.
// Scores run from 0 (nothing to say against it) to 100. Types and arithmetic only. Pure.

/** Blocked at or above it (the specification's Limits). */
export const HARD_BLOCK_SCORE = 70;

/** What the rules look at. */
export interface Content {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly { readonly filename: string; readonly content: Uint8Array }[];
  /** `plain_text_fallback: false`: no text part is made of the HTML. */
  readonly settings?: { readonly plain_text_fallback?: boolean | undefined };
}

/** One rule that found something; its words stand with the rule. */
export interface ContentFinding {
  readonly id: string;
  /** 0 to 100: what it adds to the score. */
  readonly weight: number;
  /** What the rule saw, short and without personal data; null where there is nothing to add to its words. */
  readonly detail: string | null;
}

/** What the rules of the house alone find. */
export interface ContentRating {
  readonly findings: readonly ContentFinding[];
  /** Ids of those by which it looks like advertising, strongest first. */
  readonly promotional: readonly string[];
  /** 0 to 100: how much it looks like advertising. */
  readonly promotionalScore: number;
  /** Hosts of all links, lower-case A-labels, each once. */
  readonly linkHosts: readonly string[];
}

/**
 * `off`: not configured. `skipped`: not asked, because there was nothing to look at, or as it chose. `failed`: it did not
 * answer, or not to the point.
 */
export type ScannerState = 'off' | 'ok' | 'skipped' | 'failed';

/** What the scanners said, as `scanner` in answers: without addresses, versions or settings of theirs. */
export interface ScannerReport {
  readonly rspamd: {
    readonly state: ScannerState;
    readonly action: string | null;
    readonly score: number | null;
    /** The score at which it rejects. */
    readonly required: number | null;
    readonly symbols: readonly string[];
  };
  readonly clamd: {
    readonly state: ScannerState;
    /** Of what it found. */
    readonly virus: string | null;
    readonly attachment: string | null;
  };
  readonly links: {
    readonly state: ScannerState;
    readonly listed: readonly Listing[];
  };
}

/** A host of a link that a list names. */
export interface Listing {
  readonly host: string;
  /** The list's name, or `local`; without what only its subscribers know. */
  readonly list: string;
  /** What it adds to the score; `BLOCKING_WEIGHT` blocks. */
  readonly weight: number;
}

/** Why content is blocked; null where it is not. */
export type Block = 'score' | 'scanner' | 'virus' | 'listed_host' | null;

export interface Assessment {
  readonly score: number;
  readonly block: Block;
  readonly findings: readonly ContentFinding[];
  readonly promotional: readonly string[];
  readonly promotionalScore: number;
  /** Null where none is configured. */
  readonly scanner: ScannerReport | null;
  /** Names of scanners that failed, where content passes all the same. */
  readonly unavailable: readonly string[];
}

const MAX_SCORE = 100;
/** Of a finding that blocks whatever else there is. */
export const BLOCKING_WEIGHT = 100;
/** Of a message that rspamd rejects. */
const REJECTED_WEIGHT = 90;
/** Short of a rejection rspamd alone does not block. */
const MAX_SPAM_WEIGHT = HARD_BLOCK_SCORE - 1;
/** Share of its scale at which rspamd's own score stands when it reaches what it rejects at. */
const SPAM_SHARE = 0.7;
/** Less than that is said of most mails, and is not worth a word. */
const NOTABLE_SPAM_WEIGHT = 10;
/** Of rspamd where it does not say at which score it rejects. */
const USUAL_REQUIRED = 15;

/** Actions by which rspamd says that the message must not go on; `greylist` and `soft reject` say nothing of content. */
export const rejections: ReadonlySet<string | null> = new Set(['reject', 'discard', 'quarantine']);

const spamWeight = ({ action, score, required }: ScannerReport['rspamd']): number => {
  if (rejections.has(action)) return REJECTED_WEIGHT;
  const scale = required !== null && required > 0 ? required : USUAL_REQUIRED;
  const share = (MAX_SCORE * SPAM_SHARE * Math.max(0, score ?? 0)) / scale;
  return Math.min(MAX_SPAM_WEIGHT, Math.round(share));
};

const spamFindings = ({ rspamd }: ScannerReport): ContentFinding[] => {
  const weight = rspamd.state === 'ok' ? spamWeight(rspamd) : 0;
  return weight < NOTABLE_SPAM_WEIGHT
    ? []
    : [{ id: 'rspamd', weight, detail: rspamd.symbols.join(' ') || null }];
};

const virusFindings = ({ clamd }: ScannerReport): ContentFinding[] =>
  clamd.virus === null ? [] : [{ id: 'virus', weight: BLOCKING_WEIGHT, detail: clamd.virus }];

const linkFindings = ({ links: { listed } }: ScannerReport): ContentFinding[] => {
  if (listed.length === 0) return [];
  const weight = Math.max(...listed.map((listing) => listing.weight));
  const detail = listed.map(({ host, list }) => `${host} (${list})`).join(', ');
  return [{ id: 'listed_host', weight, detail }];
};

/** Ids of what scanners find. */
export const SCANNER_FINDINGS: ReadonlySet<string> = new Set([
  'rspamd',
  'virus',
  'listed_host',
  'scanner_unavailable',
]);

const failedOf = (report: ScannerReport): string[] =>
  (['rspamd', 'clamd', 'links'] as const).filter((name) => report[name].state === 'failed');

const blockOf = (report: ScannerReport | null, score: number): Block => {
  if (report !== null && report.clamd.virus !== null) return 'virus';
  if (report?.links.listed.some(({ weight }) => weight >= BLOCKING_WEIGHT)) return 'listed_host';
  if (report?.rspamd.state === 'ok' && rejections.has(report.rspamd.action)) return 'scanner';
  return score >= HARD_BLOCK_SCORE ? 'score' : null;
};

/** What rules and scanners found, as one. `report`: null where no scanner is configured, or none may look. */
export const combine = (rating: ContentRating, report: ScannerReport | null): Assessment => {
  const unavailable = report === null ? [] : failedOf(report);
  const findings = [
    ...rating.findings,
    ...(report === null ? [] : [...spamFindings(report), ...virusFindings(report), ...linkFindings(report)]),
    ...(unavailable.length === 0
      ? []
      : [{ id: 'scanner_unavailable', weight: 0, detail: unavailable.join(' ') }]),
  ];
  const sum = findings.reduce((total, { weight }) => total + weight, 0);
  const score = Math.min(MAX_SCORE, Math.round(sum));
  return {
    score,
    block: blockOf(report, score),
    findings,
    promotional: rating.promotional,
    promotionalScore: rating.promotionalScore,
    scanner: report,
    unavailable,
  };
};

const grades = [
  { grade: 'A', below: 10 },
  { grade: 'B', below: 25 },
  { grade: 'C', below: 40 },
  { grade: 'D', below: 55 },
  { grade: 'E', below: 70 },
] as const;
export type Grade = (typeof grades)[number]['grade'] | 'F';

/** A school mark for a score: `A` is best, `F` blocks. */
export const gradeOf = (score: number): Grade => grades.find(({ below }) => score < below)?.grade ?? 'F';

export type InboxRisk = 'low' | 'medium' | 'high';
const RISKY_FROM = 25;
const VERY_RISKY_FROM = 55;

/** How likely a message of that score goes into the spam folder. */
export const inboxRiskOf = (score: number): InboxRisk => {
  if (score >= VERY_RISKY_FROM) return 'high';
  return score >= RISKY_FROM ? 'medium' : 'low';
};
