// Gates that look at the request alone.
import { findRefusedAttachment } from '#src/intake/content/attachment-policy.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { needsSmtpUtf8 } from '#src/mail/address.ts';
import { type Gate, recipientsOf } from '../gate.ts';
import { headerProblem } from '../header-rules.ts';

export const MAX_RECIPIENTS = defaultLimits.recipients;
const MAX_DAYS_AHEAD = 30;

const recipientCount: Gate = {
  name: 'recipient_count',
  check: (draft) => {
    const count = recipientsOf(draft).length;
    const facts = { count, limit: MAX_RECIPIENTS };
    if (count === 0) {
      return {
        facts,
        refusal: new AppError('invalid_recipient', 'The message has no recipient.', {
          hint: 'Name at least one recipient in to, cc or bcc.',
          extra: { recipients: [] },
        }),
      };
    }
    if (count <= MAX_RECIPIENTS) return { facts };
    return {
      facts,
      refusal: new AppError('too_many_recipients', `The message has ${count} recipients.`, { extra: facts }),
    };
  },
};

const internationalisedAddresses: Gate = {
  name: 'internationalised_addresses',
  check: (draft, { from }) => {
    const wide = [from, ...recipientsOf(draft), ...draft.replyTo]
      .map(({ address }) => address)
      .filter(needsSmtpUtf8);
    if (wide.length === 0) return { facts: {} };
    return {
      facts: { addresses: wide },
      refusal: new AppError('invalid_recipient', 'An address has letters beyond ASCII before its @.', {
        hint: 'Such addresses need SMTPUTF8 all the way, which cannot be promised; use an address with ASCII before the @.',
        extra: { recipients: wide },
      }),
    };
  },
};

const headers: Gate = {
  name: 'headers',
  check: ({ headers: given }) => {
    const seen = new Set<string>();
    for (const [name, value] of given) {
      const key = name.toLowerCase();
      const problem = seen.has(key) ? 'is given twice' : headerProblem(name, value);
      seen.add(key);
      if (problem === null) continue;
      const header = name.slice(0, 76);
      return {
        facts: { header, problem },
        refusal: new AppError('header_not_allowed', `The header ${JSON.stringify(header)} ${problem}.`, {
          extra: { header },
        }),
      };
    }
    return { facts: { count: given.length } };
  },
};

const attachments: Gate = {
  name: 'attachments',
  check: ({ attachments: given }) => {
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
};

const schedule: Gate = {
  name: 'schedule',
  check: ({ scheduledAt }, { now }) => {
    if (scheduledAt === null) return { facts: { scheduled_at: null } };
    const latest = now + MAX_DAYS_AHEAD * DAY;
    const facts = { scheduled_at: toIso(scheduledAt), latest: toIso(latest) };
    if (scheduledAt <= latest) return { facts };
    const message = `must be at most ${MAX_DAYS_AHEAD} days ahead`;
    return {
      facts,
      refusal: new AppError('invalid_request', `The time it is to be sent at ${message}.`, {
        extra: { fields: [{ path: 'body.scheduled_at', message }] },
      }),
    };
  },
};

export const requestGates: readonly Gate[] = [
  recipientCount,
  internationalisedAddresses,
  headers,
  attachments,
  schedule,
];
