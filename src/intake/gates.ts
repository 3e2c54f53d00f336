// The gates that every message passes, in their order. The first that refuses ends the run; the verdicts with the facts
// they used are kept with the message, so that "why was this sent, held, refused" always has an answer.
import type { AppError, ErrorCode } from '#src/kernel/errors.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { Draft } from './draft.ts';
import {
  type DepartureFacts,
  type DepartureKind,
  type Facts,
  type Finding,
  type Gate,
  type GateKind,
  gateKinds,
  recipientsOf,
  type Verdict,
} from './gate.ts';
import { contentGates } from './gates/content-gates.ts';
import { envelopeGates } from './gates/envelope-gates.ts';

export const gates: readonly Gate[] = [...envelopeGates, ...contentGates];

/** The codes that a caller of these kinds may meet, each once: what its route declares. */
export const gateErrors = (kinds: readonly GateKind[] = gateKinds): readonly ErrorCode[] => [
  ...new Set(gates.filter(({ kind }) => kinds.includes(kind)).flatMap(({ errors }) => errors)),
];

export interface GateResult {
  readonly verdicts: readonly Verdict[];
  /** The first refusal: nothing is to be kept. */
  readonly refusal: AppError | null;
  /** All refusals; without `pastRefusals` at most one. */
  readonly refusals: readonly AppError[];
  /** The content must not leave: it is kept as failed. */
  readonly blocked: boolean;
  readonly suppressed: ReadonlySet<Address>;
  /** The first attempt waits until then, ms; null: no gate asks for that. */
  readonly heldUntil: number | null;
  /** The same, because of the token. */
  readonly slowedUntil: number | null;
}

const verdictOf = ({
  refusal,
  blocks,
  suppresses,
  holdsUntil,
  slowsUntil,
  warns,
}: Finding): Verdict['verdict'] => {
  if (refusal) return 'refused';
  if (blocks) return 'blocked';
  if (suppresses) return 'suppressed';
  if (holdsUntil !== undefined || slowsUntil !== undefined) return 'held';
  return warns ? 'warned' : 'passed';
};

/**
 * Runs the gates of these kinds up to the first that refuses; with `pastRefusals` all of them. Where every recipient is
 * suppressed nothing goes out, and the run ends there. A message that is stored already has no draft: only the kinds that
 * look at none run for it.
 */
export function runGates(kinds: readonly DepartureKind[], facts: DepartureFacts): GateResult;
export function runGates(
  kinds: readonly GateKind[],
  facts: Facts,
  draft: Draft,
  pastRefusals?: boolean,
): GateResult;
export function runGates(
  kinds: readonly GateKind[],
  facts: DepartureFacts,
  draft?: Draft,
  pastRefusals = false,
): GateResult {
  const verdicts: Verdict[] = [];
  const count = draft === undefined ? 0 : recipientsOf(draft).length;
  const refusals: AppError[] = [];
  let blocked = false;
  let heldUntil: number | null = null;
  let slowedUntil: number | null = null;
  let suppressed: ReadonlySet<Address> = new Set();
  for (const { name, kind, check } of gates) {
    if (!kinds.includes(kind)) continue;
    // The overloads see to it that both are there for the kinds that look at them.
    const finding = check(facts as Facts, draft as Draft);
    verdicts.push({ gate: name, verdict: verdictOf(finding), facts: finding.facts });
    if (finding.refusal) refusals.push(finding.refusal);
    blocked ||= finding.blocks === true;
    if (finding.holdsUntil !== undefined) heldUntil = Math.max(heldUntil ?? 0, finding.holdsUntil);
    slowedUntil = finding.slowsUntil ?? slowedUntil;
    suppressed = finding.suppresses ? new Set(finding.suppresses) : suppressed;
    if (!pastRefusals && (refusals.length > 0 || (count > 0 && suppressed.size === count))) break;
  }
  return { verdicts, refusal: refusals[0] ?? null, refusals, blocked, suppressed, heldUntil, slowedUntil };
}
