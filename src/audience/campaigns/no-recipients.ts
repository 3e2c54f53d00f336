// What is answered where a campaign would reach no one: why, in the order of how many people it concerns. Pure.
import { AppError } from '#src/kernel/errors.ts';
import type { AudienceCount } from './preview.ts';

/** What is said of those left out, and what to do; of other reasons the API names the code. */
const words: Readonly<Record<string, { readonly why: string; readonly hint?: string }>> = {
  pending: {
    why: 'not confirmed yet',
    hint: 'Send it once people have followed the link in their confirmation mail.',
  },
  unsubscribed: { why: 'unsubscribed' },
  bounced: { why: 'undeliverable' },
  complained: { why: 'reported mail as spam' },
  suppressed: {
    why: 'suppressed',
    hint: 'GET /api/practices/{id}/suppression says why their addresses are suppressed.',
  },
  missing_value: {
    why: 'without a value for placeholders',
    hint: 'Give the values for all in `values` of the campaign, or each person their own.',
  },
  unusable_value: {
    why: 'with a value that cannot be where its placeholder is',
    hint: 'Correct the value, or use its placeholder elsewhere: a link begins with https, http, mailto, tel or sms.',
  },
  'refused:invalid_recipient': {
    why: 'with letters beyond ASCII before the @, which the upstream does not take (SMTPUTF8)',
  },
  'refused:safe_mode_recipient': {
    why: 'held back by the safe mode',
    hint: 'The operator ends the safe mode when the practice goes live.',
  },
};

/** As the API shows which placeholders lack values. */
export const presentPlaceholders = ({ missing }: Pick<AudienceCount, 'missing'>) =>
  [...missing].map(([name, people]) => ({ name, people }));

export const noRecipients = (count: AudienceCount): AppError<'no_recipients'> => {
  const { people, leftOut, missing } = count;
  const reasons = [...leftOut].toSorted(([, a], [, b]) => b - a);
  const said = reasons.map(([reason, n]) => {
    const names = reason === 'missing_value' ? ` (${[...missing.keys()].join(', ')})` : '';
    return `${words[reason]?.why ?? reason}${names}: ${n}`;
  });
  const why =
    people === 0
      ? 'there is no one on its lists.'
      : said.length === 0
        ? `its filter fits none of the ${people} people on its lists.`
        : `of ${people} people on its lists, ${said.join('; ')}.`;
  const hints = reasons.flatMap(([reason]) => words[reason]?.hint ?? []);
  return new AppError('no_recipients', `The campaign would reach no one: ${why}`, {
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
    extra: { people, left_out: Object.fromEntries(leftOut), placeholders: presentPlaceholders(count) },
  });
};
