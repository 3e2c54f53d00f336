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

/** `off`: not configured. `skipped`: there was nothing to look at. `failed`: it did not answer, or not to the point. */
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
    /** Hosts of links that a list names, and the list: its zone, or `local`. */
    readonly listed: readonly { readonly host: string; readonly list: string }[];
  };
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

/** The rules' word alone, where no scanner is configured or none may look. */
export const assessAlone = (rating: ContentRating): Assessment => {
  const sum = rating.findings.reduce((total, { weight }) => total + weight, 0);
  const score = Math.min(MAX_SCORE, Math.round(sum));
  return {
    score,
    block: score >= HARD_BLOCK_SCORE ? 'score' : null,
    findings: rating.findings,
    promotional: rating.promotional,
    promotionalScore: rating.promotionalScore,
    scanner: null,
    unavailable: [],
  };
};
