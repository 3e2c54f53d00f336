// Gates that ask whether these people may be written to: for marketing the sender's identity, a host that receivers trust and
// consent; safe mode and suppressions for all mail. Then how much the practice sends, by the plan's cap in the UTC month and the
// warm-up's of the UTC day on which the message leaves; what it says, what is tracked, and how its recipients unsubscribe.

import { utcDay } from '#src/accounts/counters/rules.ts';
import { missingLegal } from '#src/accounts/tenants/legal.ts';
import { warmupDay as dayOfWarmup, FIRST_BROADCAST_DAY, warmupCaps } from '#src/accounts/tenants/rules.ts';
import { HARD_BLOCK_SCORE } from '#src/content/assessment.ts';
import { wordsOf } from '#src/content/rate-content.ts';
import { judge } from '#src/feedback/brake/rules.ts';
import {
  type DepartureFacts,
  defineGate,
  type Facts,
  type Gate,
  isDelicate,
  leavesAt,
  recipientsOf,
  TRACKING_GATE,
} from '#src/intake/gate.ts';
import type { Settings } from '#src/kernel/config/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import { answerDefault } from '#src/kernel/language.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, SECOND, toIso } from '#src/kernel/time.ts';
import { addressDomain, addressKey } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { hasSignedParts } from '#src/messages/submitted-part.ts';

export const impressum = defineGate({
  name: 'impressum',
  title: say`Legal notice`,
  kind: 'sender',
  errors: ['impressum_incomplete'],
  isForMarketing: true,
  check: (facts) => {
    if (facts.stream !== 'marketing') return { facts: { applies: false } };
    const missing = missingLegal(facts);
    if (missing.length === 0) return { facts: { complete: true } };
    return {
      facts: { missing },
      refusal: new AppError('impressum_incomplete', say`Marketing mail must name its sender.`, {
        hint: say`Complete the legal block: PATCH /api/practices/{id}/compliance.`,
        extra: { missing },
      }),
    };
  },
});

export const dkim = defineGate({
  name: 'dkim',
  title: say`Signature of the domain (DKIM)`,
  kind: 'sender',
  errors: ['dkim_not_verified'],
  isForMarketing: true,
  check: ({ stream, from, dkimBroken }) => {
    if (stream !== 'marketing') return { facts: { applies: false } };
    const host = addressDomain(from.address);
    if (!dkimBroken) return { facts: { host, verified: true } };
    return {
      facts: { host, verified: false },
      refusal: new AppError(
        'dkim_not_verified',
        say`The last check found the DKIM records of ${host} wrong or missing.`,
        { extra: { missing: ['dkim'] } },
      ),
    };
  },
});

export const warmupDay = defineGate({
  name: 'warmup_day',
  title: say`Warm-up: day`,
  kind: 'time',
  errors: ['warmup_not_ready'],
  isForMarketing: true,
  check: (departure) => {
    const { warmup, stream } = departure;
    if (warmup === null || stream !== 'marketing') return { facts: { applies: false } };
    const day = dayOfWarmup(warmup.startedAt, leavesAt(departure));
    const facts = { day, first_day: FIRST_BROADCAST_DAY };
    if (day >= FIRST_BROADCAST_DAY) return { facts };
    return {
      facts,
      refusal: new AppError(
        'warmup_not_ready',
        say`Marketing mail begins on day ${FIRST_BROADCAST_DAY} of the warm-up.`,
        {
          hint: say`Until then send it with a From address on ${warmup.managedHost}, which needs no warm-up.`,
          extra: { day },
        },
      ),
    };
  },
});

export const consent = defineGate({
  name: 'consent',
  title: say`Consent`,
  kind: 'recipients',
  errors: ['consent_required'],
  isForMarketing: true,
  check: ({ stream, consent: given }, draft) => {
    if (stream !== 'marketing') return { facts: { applies: false } };
    if (given === null) return { facts: { list_send: false } };
    if (given.entry !== null) return { facts: { list_send: true, entry: given.entry } };
    const missing = recipientsOf(draft).map(({ address }) => address);
    return {
      facts: { list_send: true, missing },
      refusal: new AppError('consent_required', say`Not every recipient has given consent to this list.`, {
        extra: { missing },
      }),
    };
  },
});

export const isAllowedInSafeMode = (
  { address }: Mailbox,
  { simulatorDomain, config }: Pick<Facts, 'simulatorDomain'> & { config: Pick<Settings, 'safe_mode'> },
): boolean => {
  const { allowlist, placement_testers } = config.safe_mode;
  const domain = addressDomain(address);
  const names = [addressKey(address), `@${domain}`];
  return (
    domain === simulatorDomain ||
    [...allowlist, ...placement_testers].some((allowed) => names.includes(allowed))
  );
};

export const safeMode = defineGate({
  name: 'safe_mode',
  title: say`Safe mode`,
  kind: 'recipients',
  errors: ['safe_mode_recipient'],
  check: (facts, draft) => {
    if (!facts.safeMode) return { facts: { safe_mode: false } };
    const outside = recipientsOf(draft)
      .filter((mailbox) => !isAllowedInSafeMode(mailbox, facts))
      .map(({ address }) => address);
    if (outside.length === 0) return { facts: { safe_mode: true } };
    return {
      facts: { safe_mode: true, outside },
      refusal: new AppError('safe_mode_recipient', say`Safe mode keeps mail from strangers.`, {
        extra: { recipients: outside },
      }),
    };
  },
});

export const suppression = defineGate({
  name: 'suppression',
  title: say`Suppression list`,
  kind: 'recipients',
  errors: [],
  check: ({ suppressed }) => {
    if (suppressed.size === 0) return { facts: { suppressed: [] } };
    const rows = [...suppressed].map(([address, { id, scope, reason }]) => ({ address, id, scope, reason }));
    return { facts: { suppressed: rows }, suppresses: [...suppressed.keys()] };
  },
});

/** The score from which content looks like advertising. */
const PROMOTIONAL_FROM = 40;
/** A confirmation mail is never promotional: a single sign is enough. */
const stricter: Readonly<Partial<Record<Kind, number>>> = { doi: 10 };
/** Samples that the practice sends to itself. */
const exempt: ReadonlySet<Kind> = new Set(['quality', 'test']);

/** Whether mail of that kind may carry advertising. */
export const mayAdvertise = (kind: Kind): boolean => kinds[kind].stream === 'marketing' || exempt.has(kind);

const whys = (ids: readonly string[]): string =>
  ids.map((id) => wordsOf({ id }, answerDefault).why).join(' ');

/** Transactional mail waits for another day only beyond this multiple of the cap. */
const TRANSACTIONAL_SLACK = 2;
export const planCap = defineGate({
  name: 'plan_cap',
  title: say`Limit of the plan`,
  kind: 'plan',
  errors: ['plan_cap_reached'],
  check: ({ plan, mails, stream, seesPractice, isAskedFor }) => {
    if (plan === null) return { facts: { capped: false } };
    const { name, used, cap, refuses, managedHost } = plan;
    const facts = { plan: name, used, cap, mails };
    const isOver = mails > 0 && used + mails > cap;
    if (!isOver || (refuses === 'marketing' && stream !== 'marketing')) return { facts };
    if (isAskedFor) return { facts, holdsUntil: plan.resetsAt };
    const message = seesPractice
      ? say`${used} of ${cap} mails of this month are used.`
      : say`The mails of this month are used up.`;
    return {
      facts,
      refusal: new AppError('plan_cap_reached', message, {
        ...(managedHost
          ? { hint: say`Send from a domain of your own: mail from the managed host has a smaller cap.` }
          : {}),
        extra: { used: seesPractice ? used : cap, cap, resets_at: toIso(plan.resetsAt) },
      }),
    };
  },
});

/** The first day from `from` on that has room for the mails. Without a cap any day has. */
const dayWithRoom = (warmup: NonNullable<DepartureFacts['warmup']>, from: number, mails: number): number => {
  for (let day = from; ; day += 1) {
    const cap = warmupCaps[dayOfWarmup(warmup.startedAt, day * DAY) - 1];
    const planned = warmup.planned.get(day) ?? 0;
    // A message with more recipients than a whole day takes goes out on a day that has nothing else.
    if (cap === undefined || planned === 0 || planned + mails <= cap * TRANSACTIONAL_SLACK) return day;
  }
};

export const warmupVolume = defineGate({
  name: 'warmup_volume',
  title: say`Warm-up: volume`,
  kind: 'volume',
  errors: ['warmup_cap_reached'],
  isForMarketing: true,
  check: (departure) => {
    const { warmup, mails, stream } = departure;
    if (warmup === null) return { facts: { applies: false } };
    const day = utcDay(leavesAt(departure));
    const warmingDay = dayOfWarmup(warmup.startedAt, day * DAY);
    const cap = warmupCaps[warmingDay - 1] ?? null;
    const planned = warmup.planned.get(day) ?? 0;
    const facts = { day: warmingDay, cap, planned, mails };
    if (cap === null || mails === 0) return { facts };
    if (stream === 'marketing') {
      if (planned + mails <= cap) return { facts };
      return {
        facts,
        refusal: new AppError(
          'warmup_cap_reached',
          say`The warm-up takes ${cap} marketing mails on that day.`,
          {
            extra: { cap },
          },
        ),
      };
    }
    const free = dayWithRoom(warmup, day, mails);
    return free === day
      ? { facts }
      : { facts: { ...facts, until: toIso(free * DAY) }, holdsUntil: free * DAY };
  },
});

export const usualRange = defineGate({
  name: 'usual_range',
  title: say`Usual range of the token`,
  kind: 'token',
  errors: ['token_slowed'],
  check: ({ brake, mails, now }) => {
    if (brake === null) return { facts: { applies: false } };
    const verdict = judge(brake, mails, now);
    if (verdict.is === 'free') return { facts: { slowed: false } };
    const facts = { slowed: true, per_hour: verdict.perHour };
    if (verdict.is === 'slowed')
      return verdict.dueAt > now
        ? { facts: { ...facts, until: toIso(verdict.dueAt) }, slowsUntil: verdict.dueAt }
        : { facts };
    return {
      facts,
      refusal: new AppError(
        'token_slowed',
        say`This token sends far more than it usually does, so it is slowed, and too much waits already.`,
        { extra: { retry_after: Math.ceil((verdict.retryAt - now) / SECOND) } },
      ),
    };
  },
});

export const promotional = defineGate({
  name: 'promotional',
  title: say`Advertising`,
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
        say`The content looks like advertising: ${whys(rated.promotional)}`,
        { extra: { content_reasons: [...rated.promotional] } },
      ),
    };
  },
});

export const content = defineGate({
  name: 'content',
  title: say`Content`,
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
  title: say`Tracking of opens and clicks`,
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
  title: say`Unsubscribe link`,
  kind: 'content',
  errors: ['unsupported_media_type'],
  check: ({ unsubscribe: way_out, stream }, { parts }) => {
    if (stream !== 'marketing' || parts === undefined || !hasSignedParts(parts))
      return { facts: { way_out } };
    return {
      facts: { way_out, signed: true },
      refusal: new AppError(
        'unsupported_media_type',
        say`Marketing needs a footer, which cannot be added to a signed message.`,
        { hint: say`Turn off the signature in the mail program: the service signs each message itself.` },
      ),
    };
  },
});

/** The gates in the order in which they run. */
export const contentGates: readonly Gate[] = [
  impressum,
  dkim,
  warmupDay,
  consent,
  safeMode,
  suppression,
  planCap,
  warmupVolume,
  usualRange,
  promotional,
  content,
  tracking,
  unsubscribe,
];
