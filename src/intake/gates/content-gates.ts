// Gates that look at what the message says and carries, what is tracked of its recipients, and how they unsubscribe.
import { HARD_BLOCK_SCORE } from '#src/intake/content/assessment.ts';
import { findRefusedAttachment } from '#src/intake/content/attachment-policy.ts';
import { wordsOf } from '#src/intake/content/rate-content.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { hasSignedParts } from '#src/messages/submitted-part.ts';
import { defineGate } from '../gate.ts';
import { isDelicate, TRACKING_GATE } from '../tracking.ts';

/** The score from which content looks like advertising. */
const PROMOTIONAL_FROM = 40;
/** A confirmation mail is never promotional: a single sign is enough. */
const stricter: Readonly<Partial<Record<Kind, number>>> = { doi: 10 };
/** Samples that the practice sends to itself. */
const exempt: ReadonlySet<Kind> = new Set(['quality', 'test']);

/** Whether mail of that kind may carry advertising. */
export const mayAdvertise = (kind: Kind): boolean => kinds[kind].stream === 'marketing' || exempt.has(kind);

const whys = (ids: readonly string[]): string => ids.map((id) => wordsOf({ id }, 'en').why).join(' ');

export const attachments = defineGate({
  name: 'attachments',
  kind: 'content',
  errors: ['attachment_rejected'],
  check: (_, { attachments: given }) => {
    const refused = findRefusedAttachment(given);
    if (refused === null) return { facts: { count: given.length } };
    return {
      facts: refused,
      refusal: new AppError(
        'attachment_rejected',
        `The attachment ${JSON.stringify(refused.attachment)} is rejected: ${refused.reason}.`,
        { extra: refused },
      ),
    };
  },
});

export const promotional = defineGate({
  name: 'promotional',
  kind: 'content',
  errors: ['promotional_on_transactional'],
  check: ({ content: rated, kind }) => {
    if (rated === null || mayAdvertise(kind)) return { facts: { applies: false } };
    const limit = stricter[kind] ?? PROMOTIONAL_FROM;
    const facts = { score: rated.promotionalScore, limit, reasons: rated.promotional };
    if (rated.promotionalScore < limit) return { facts };
    return {
      facts,
      refusal: new AppError(
        'promotional_on_transactional',
        `The content looks like advertising: ${whys(rated.promotional)}`,
        { extra: { content_reasons: [...rated.promotional] } },
      ),
    };
  },
});

export const content = defineGate({
  name: 'content',
  kind: 'content',
  // Answered by the caller, which knows under which id the message is kept as failed.
  errors: ['content_blocked'],
  check: ({ content: rated }) => {
    if (rated === null) return { facts: { applies: false } };
    const { score, block, findings, scanner, unavailable } = rated;
    const facts = { score, limit: HARD_BLOCK_SCORE, block, findings, scanner, unavailable };
    if (block !== null) return { facts, blocks: true };
    return findings.length > 0 || unavailable.length > 0 ? { facts, warns: true } : { facts };
  },
});

export const tracking = defineGate({
  name: TRACKING_GATE,
  kind: 'content',
  errors: [],
  check: ({ kind }, draft) => {
    const { track_opens = false, track_clicks = false } = draft.settings;
    const facts = { track_opens, track_clicks };
    return isDelicate(facts, kind) ? { facts, warns: true } : { facts };
  },
});

export const unsubscribe = defineGate({
  name: 'unsubscribe',
  kind: 'content',
  errors: ['unsupported_media_type'],
  check: ({ unsubscribe: way_out, stream }, { parts }) => {
    if (stream !== 'marketing' || parts === undefined || !hasSignedParts(parts))
      return { facts: { way_out } };
    return {
      facts: { way_out, signed: true },
      refusal: new AppError(
        'unsupported_media_type',
        'Marketing needs a footer, which cannot be added to a signed message.',
        { hint: 'Turn off the signature in the mail program: the service signs each message itself.' },
      ),
    };
  },
});
