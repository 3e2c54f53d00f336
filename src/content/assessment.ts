// The result of checking a message's content: what the content rules and the configured scanners found, and the score they
// add up to, from 0 (nothing found) to 100. Types and arithmetic only. Pure.

import type { ScannerReport } from '#src/kernel/scanner-report.ts';

/** Content with this score or a higher one is blocked. */
export const HARD_BLOCK_SCORE = 70;

/** The input of the content rules. */
export interface Content {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly { readonly filename: string; readonly content: Uint8Array }[];
  /** Names of the sender and of its lists in that text: they are not what the mail says, and no offers. */
  readonly names?: readonly string[];
  /** No text part is made from the HTML with `plain_text_fallback: false`. */
  readonly settings?: { readonly plain_text_fallback?: boolean | undefined };
}

/** One rule that found something. The rule has the words about it. */
export interface ContentFinding {
  readonly id: string;
  /** Adds to the score: 0 to 100. */
  readonly weight: number;
  /** What the rule found, short and without personal data; null if its words say all. */
  readonly detail: string | null;
}

/** What the content rules find, without scanners. */
export interface ContentRating {
  readonly findings: readonly ContentFinding[];
  /** Ids of the promotional rules that found something, strongest first. */
  readonly promotional: readonly string[];
  /** How much it looks like advertising: 0 to 100. */
  readonly promotionalScore: number;
  /** Hosts of all links, lower-case A-labels, each once. */
  readonly linkHosts: readonly string[];
}

/** Why content is blocked; null if it is not. */
export type Block = 'score' | 'scanner' | 'virus' | 'listed_host' | null;

export interface Assessment {
  readonly score: number;
  readonly block: Block;
  readonly findings: readonly ContentFinding[];
  readonly promotional: readonly string[];
  readonly promotionalScore: number;
  /** Null if no scanner is configured. */
  readonly scanner: ScannerReport | null;
  /** Names of the scanners that failed. */
  readonly unavailable: readonly string[];
}

const MAX_SCORE = 100;
/** The weight of a finding that blocks alone. */
export const BLOCKING_WEIGHT = 100;
/** The weight of a rejection by rspamd. */
const REJECTED_WEIGHT = 90;
/** rspamd's score alone does not block; only its rejection does. */
const MAX_SPAM_WEIGHT = HARD_BLOCK_SCORE - 1;
/** The share of our scale that rspamd's score has when it reaches the score at which rspamd rejects. */
const SPAM_SHARE = 0.7;
/** Most mails have less, which is not worth a finding. */
const NOTABLE_SPAM_WEIGHT = 10;
/** Used if rspamd does not say at which score it rejects. */
const USUAL_REQUIRED = 15;

/** The actions of rspamd that stop a message. `greylist` and `soft reject` say nothing about content. */
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

/** The ids of findings that come from scanners. */
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

/** `report` is null if no scanner is configured or none may be asked. */
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

/** How likely it is that a message with that score goes to the spam folder. */
export const inboxRiskOf = (score: number): InboxRisk => {
  if (score >= VERY_RISKY_FROM) return 'high';
  return score >= RISKY_FROM ? 'medium' : 'low';
};

/** Messages made from one template share the scanners' report about the first of them; the content rules check each. `own` is
 * the assessment without scanners, `first` the report about the first message. */
export const assessAlike = (own: Assessment, first: ScannerReport): Assessment => {
  const { promotional, promotionalScore } = own;
  const findings = own.findings.filter(({ id }) => !SCANNER_FINDINGS.has(id));
  const listed = new Map(
    [...first.links.listed, ...(own.scanner?.links.listed ?? [])].map((listing) => [
      `${listing.host} ${listing.list}`,
      listing,
    ]),
  );
  const report = { ...first, links: { ...first.links, listed: [...listed.values()] } };
  return combine({ findings, promotional, promotionalScore, linkHosts: [] }, report);
};
