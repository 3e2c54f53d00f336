// What is answered where a campaign would reach no one: why, in the order of how many people it concerns. Pure.
import { AppError } from '#src/kernel/errors.ts';
import { joined, say, type Text } from '#src/kernel/say.ts';
import type { AudienceCount } from './preview.ts';

/** What is said of those left out, and what to do; of other reasons the API names the code. */
const words: Readonly<Record<string, { readonly why: Text; readonly hint?: Text }>> = {
  pending: {
    why: say`not confirmed yet`,
    hint: say`Send it once people have followed the link in their confirmation mail.`,
  },
  unsubscribed: { why: say`unsubscribed` },
  bounced: { why: say`undeliverable` },
  complained: { why: say`reported mail as spam` },
  suppressed: {
    why: say`suppressed`,
    hint: say`GET /api/practices/{id}/suppression says why their addresses are suppressed.`,
  },
  missing_value: {
    why: say`without a value for placeholders`,
    hint: say`Give the values for all in \`values\` of the campaign, or each person their own.`,
  },
  unusable_value: {
    why: say`with a value that cannot be where its placeholder is`,
    hint: say`Correct the value, or use its placeholder elsewhere: a link begins with https, http, mailto, tel or sms.`,
  },
  'refused:invalid_recipient': {
    why: say`with letters beyond ASCII before the @, which the upstream does not take (SMTPUTF8)`,
  },
  'refused:safe_mode_recipient': {
    why: say`held back by the safe mode`,
    hint: say`The operator ends the safe mode when the practice goes live.`,
  },
};

/** The placeholders that lack values, as the API shows them. */
export const presentPlaceholders = ({ missing }: Pick<AudienceCount, 'missing'>) =>
  [...missing].map(([name, people]) => ({ name, people }));

export const noRecipients = (count: AudienceCount): AppError<'no_recipients'> => {
  const { people, leftOut, missing } = count;
  const reasons = [...leftOut].toSorted(([, a], [, b]) => b - a);
  const told = reasons.map(([reason, n]): Text => {
    const why = words[reason]?.why ?? reason;
    return reason === 'missing_value'
      ? say`${why} (${[...missing.keys()].join(', ')}): ${n}`
      : say`${why}: ${n}`;
  });
  const why =
    people === 0
      ? say`The campaign would reach no one: there is no one on its lists.`
      : told.length === 0
        ? say`The campaign would reach no one: its filter fits none of the ${people} people on its lists.`
        : say`The campaign would reach no one: of ${people} people on its lists, ${joined(told, '; ')}.`;
  const hints = reasons.flatMap(([reason]) => words[reason]?.hint ?? []);
  return new AppError('no_recipients', why, {
    ...(hints.length === 0 ? {} : { hint: joined(hints, ' ') }),
    extra: { people, left_out: Object.fromEntries(leftOut), placeholders: presentPlaceholders(count) },
  });
};
