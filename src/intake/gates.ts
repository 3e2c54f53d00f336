// The gates every message passes, in their order: route and kind, suppressions, content, the way out. The first that
// refuses ends the way; the verdicts with the facts they used are kept with the message, so that "why was this sent,
// held, refused" always has an answer.
import type { AppError } from '#src/kernel/errors.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { Draft } from './draft.ts';
import { type Facts, type Finding, type Gate, recipientsOf, type Verdict } from './gate.ts';
import { broadcastGates } from './gates/broadcast-gates.ts';
import { contentGates } from './gates/content-gates.ts';
import { recipientGates } from './gates/recipient-gates.ts';
import { requestGates } from './gates/request-gates.ts';
import { senderGates } from './gates/sender-gates.ts';
import { volumeGates } from './gates/volume-gates.ts';

export const gates: readonly Gate[] = [
  ...senderGates,
  ...requestGates,
  ...broadcastGates,
  ...recipientGates,
  ...volumeGates,
  ...contentGates,
];

export interface Passage {
  readonly verdicts: readonly Verdict[];
  /** The first refusal: nothing is to be kept. */
  readonly refusal: AppError | null;
  /** All of them: where the way was not a dry one, that one alone. */
  readonly refusals: readonly AppError[];
  /** The content must not leave: it is kept as failed. */
  readonly blocked: boolean;
  readonly suppressed: ReadonlySet<Address>;
  /** Not to be tried before, ms; null: no gate asks for that. */
  readonly heldUntil: number | null;
}

const verdictOf = ({ refusal, blocks, suppresses, holdsUntil, warns }: Finding): Verdict['verdict'] => {
  if (refusal) return 'refused';
  if (blocks) return 'blocked';
  if (suppresses) return 'suppressed';
  if (holdsUntil !== undefined) return 'held';
  return warns ? 'warned' : 'passed';
};

export interface Way {
  /** Past refusals too. */
  readonly dry?: boolean;
  /** Names of the gates to pass; all where absent. */
  readonly only?: ReadonlySet<string>;
}

/**
 * Verdicts of all gates up to the first that refuses; `dry`: of all gates. Where every recipient is suppressed nothing
 * goes out, and the gates after that have nothing to ask.
 */
export const passGates = (draft: Draft, facts: Facts, { dry = false, only }: Way = {}): Passage => {
  const verdicts: Verdict[] = [];
  const count = recipientsOf(draft).length;
  const refusals: AppError[] = [];
  let blocked = false;
  let heldUntil: number | null = null;
  let suppressed: ReadonlySet<Address> = new Set();
  for (const { name, check } of gates) {
    if (only && !only.has(name)) continue;
    const finding = check(draft, facts);
    verdicts.push({ gate: name, verdict: verdictOf(finding), facts: finding.facts });
    if (finding.refusal) refusals.push(finding.refusal);
    blocked ||= finding.blocks === true;
    heldUntil = finding.holdsUntil ?? heldUntil;
    suppressed = finding.suppresses ? new Set(finding.suppresses) : suppressed;
    if (!dry && (refusals.length > 0 || (count > 0 && suppressed.size === count))) break;
  }
  return { verdicts, refusal: refusals[0] ?? null, refusals, blocked, suppressed, heldUntil };
};
