// What the rooms refuse, by language: English is in the texts themselves.
import { de as accounts } from '#src/accounts/refusals/de.ts';
import { de as audience } from '#src/audience/refusals/de.ts';
import { de as domains } from '#src/domains/refusals/de.ts';
import { de as feedback } from '#src/feedback/refusals/de.ts';
import { de as followers } from '#src/followers/refusals/de.ts';
import { de as http } from '#src/http/refusals/de.ts';
import { de as inbound } from '#src/inbound/refusals/de.ts';
import { de as insight } from '#src/insight/refusals/de.ts';
import { de as intake } from '#src/intake/refusals/de.ts';
import { de as kernel } from '#src/kernel/refusals/de.ts';
import { de as messages } from '#src/messages/refusals/de.ts';
import { de as operations } from '#src/operations/refusals/de.ts';
import { de as people } from '#src/people/refusals/de.ts';
import { de as relay } from '#src/relay/refusals/de.ts';
import { de as smtp } from '#src/smtp/refusals/de.ts';
import { de as app } from './refusals/de.ts';

export const refusals = {
  de: {
    ...kernel,
    ...accounts,
    ...app,
    ...audience,
    ...domains,
    ...feedback,
    ...followers,
    ...http,
    ...inbound,
    ...insight,
    ...intake,
    ...messages,
    ...operations,
    ...people,
    ...relay,
    ...smtp,
  },
};
