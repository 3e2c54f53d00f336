// Gates that look at what the message says, what is noticed of its recipients, and how they get out of it.
import { HARD_BLOCK_SCORE } from '#src/intake/content/assessment.ts';
import { wordsOf } from '#src/intake/content/rate-content.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Kind } from '#src/messages/kinds.ts';
import { type Gate, kindOf, streamOf } from '../gate.ts';
import { isDelicate, TRACKING_GATE } from '../tracking.ts';

/** Looks like advertising at or above it. */
const PROMOTIONAL_FROM = 40;
/** A confirmation mail is never promotional (decisions 10): a single sign is enough. */
const stricter: Readonly<Partial<Record<Kind, number>>> = { doi: 10 };
/** Samples of the practice to itself. */
const exempt: ReadonlySet<Kind> = new Set(['quality', 'test']);

const whys = (ids: readonly string[]): string => ids.map((id) => wordsOf({ id }, 'en').why).join(' ');

const promotional: Gate = {
  name: 'promotional',
  check: (draft, facts) => {
    const { content } = facts;
    const kind = kindOf(draft, facts);
    if (content === null || streamOf(draft, facts) === 'marketing' || exempt.has(kind))
      return { facts: { applies: false } };
    const limit = stricter[kind] ?? PROMOTIONAL_FROM;
    const shown = { score: content.promotionalScore, limit, reasons: content.promotional };
    if (content.promotionalScore < limit) return { facts: shown };
    return {
      facts: shown,
      refusal: new AppError(
        'promotional_on_transactional',
        `The content looks like advertising: ${whys(content.promotional)}`,
        { extra: { content_reasons: [...content.promotional] } },
      ),
    };
  },
};

const contentGate: Gate = {
  name: 'content',
  check: (_, { content }) => {
    if (content === null) return { facts: { applies: false } };
    const { score, block, findings, scanner, unavailable } = content;
    const shown = { score, limit: HARD_BLOCK_SCORE, block, findings, scanner, unavailable };
    if (block !== null) return { facts: shown, blocks: true };
    return findings.length > 0 || unavailable.length > 0 ? { facts: shown, warns: true } : { facts: shown };
  },
};

const tracking: Gate = {
  name: TRACKING_GATE,
  check: (draft, facts) => {
    const { track_opens = false, track_clicks = false } = draft.settings;
    const shown = { track_opens, track_clicks };
    return isDelicate(shown, kindOf(draft, facts)) ? { facts: shown, warns: true } : { facts: shown };
  },
};

const unsubscribe: Gate = {
  name: 'unsubscribe',
  check: (_, facts) => ({ facts: { way_out: facts.unsubscribe } }),
};

export const contentGates: readonly Gate[] = [promotional, contentGate, tracking, unsubscribe];
