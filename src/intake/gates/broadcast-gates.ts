// Gates that marketing has to pass beside the others: the sender's identity, a host that receivers trust, a warm-up past
// its first days, and for list sends the recipients' consent. One code each. Other mail passes them all.

import { warmupDay } from '#src/accounts/tenants/rules.ts';
import { AppError } from '#src/kernel/errors.ts';
import { addressDomain } from '#src/mail/address.ts';
import { type Facts, type Gate, goesOutAt, streamOf } from '../gate.ts';

export const FIRST_BROADCAST_DAY = 3;
const LEGAL_FIELDS = ['street', 'city', 'privacy_url'] as const;

/** What the legal block lacks. */
export const missingLegal = ({ legal }: Pick<Facts, 'legal'>): string[] =>
  LEGAL_FIELDS.filter((field) => !legal[field]);

const onMarketing = (gate: Gate): Gate => ({
  name: gate.name,
  check: (draft, facts) =>
    streamOf(draft, facts) === 'marketing' ? gate.check(draft, facts) : { facts: { applies: false } },
});

const impressum: Gate = {
  name: 'impressum',
  check: (_, facts) => {
    const missing = missingLegal(facts);
    if (missing.length === 0) return { facts: { complete: true } };
    return {
      facts: { missing },
      refusal: new AppError('impressum_incomplete', 'Marketing mail must name its sender.', {
        hint: 'Complete the legal block: PATCH /api/practices/{id}/compliance.',
        extra: { missing },
      }),
    };
  },
};

const dkim: Gate = {
  name: 'dkim',
  check: (_, { from, dkimBroken }) => {
    const host = addressDomain(from.address);
    if (!dkimBroken) return { facts: { host, verified: true } };
    return {
      facts: { host, verified: false },
      refusal: new AppError(
        'dkim_not_verified',
        `The DKIM records of ${host} were not right at the last look.`,
        {
          extra: { missing: ['dkim'] },
        },
      ),
    };
  },
};

const warmupReady: Gate = {
  name: 'warmup_day',
  check: (draft, facts) => {
    const { warmup } = facts;
    if (warmup === null) return { facts: { applies: false } };
    const day = warmupDay(warmup.startedAt, goesOutAt(draft, facts));
    const shown = { day, first_day: FIRST_BROADCAST_DAY };
    if (day >= FIRST_BROADCAST_DAY) return { facts: shown };
    return {
      facts: shown,
      refusal: new AppError(
        'warmup_not_ready',
        `Marketing mail begins on day ${FIRST_BROADCAST_DAY} of the warm-up.`,
        {
          extra: { day },
        },
      ),
    };
  },
};

const consent: Gate = {
  name: 'consent',
  check: (_, { withoutConsent }) => {
    if (withoutConsent === null) return { facts: { list_send: false } };
    if (withoutConsent.length === 0) return { facts: { list_send: true } };
    return {
      facts: { list_send: true, missing: withoutConsent },
      refusal: new AppError('consent_required', 'Not every recipient has given consent to this list.', {
        extra: { missing: [...withoutConsent] },
      }),
    };
  },
};

export const broadcastGates: readonly Gate[] = [impressum, dkim, warmupReady, consent].map(onMarketing);
