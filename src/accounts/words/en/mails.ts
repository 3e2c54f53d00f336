// The mails to members about their practice, its domain and its plan.

import type { SlowedReason } from '#src/accounts/entry/slowed-token.ts';
import { type Person, planName, quotedShort, type Seen, wordsFor } from '#src/accounts/mails/in-words.ts';
import { FIRST_BROADCAST_DAY, warmupCaps } from '#src/accounts/tenants/rules.ts';
import { formOf } from '#src/kernel/language.ts';
import type { Words } from '../de/mails.ts';

const { counted, date, dayOf, figures, moment, monthOf } = wordsFor('en');

/** What becomes of requests to be put on a list. */
const WAITING =
  'Who subscribes to a list by its form meanwhile is stored, and gets the confirmation mail afterwards.';

const seenAs = (seen: Seen): readonly string[] => {
  const { share, counts, limit } = figures(seen);
  const [count, whole] = counts;
  const what =
    seen.measure === 'hard_bounces'
      ? 'emails to addresses that do not exist'
      : 'emails that recipients reported as spam';
  const advice =
    seen.measure === 'hard_bounces'
      ? 'What to do now: remove invalid addresses from your list, and find out where they came from. Write only to addresses that the recipients themselves have given you and confirmed.'
      : 'What to do now: remove everyone from your list who has not explicitly asked for your emails, and make it easy to unsubscribe.';
  return [
    `On the route “${seen.route}” the share of ${what} is ${share} (${count} of ${whole}, counted since ${date(seen.from)}). At ${limit} sending is paused, to protect the reputation of your domain.`,
    advice,
  ];
};

/** What left the usual range. */
const beyondAs = ({ measure, count, whole, usual, limit }: SlowedReason): string => {
  const of = whole === null ? '' : `${counted(count)} of ${counted(whole)} emails`;
  switch (measure) {
    case 'mails_per_hour':
      return `${counted(count)} emails in an hour, where up to ${counted(usual)} or so are usual. Above ${counted(limit)} it is slowed.`;
    case 'mails_per_day':
      return `${counted(count)} emails on a day, where up to ${counted(usual)} or so are usual. Above ${counted(limit)} it is slowed.`;
    case 'hard_bounces':
      return `${of} of yesterday and today went to addresses that do not exist.`;
    case 'complaints':
      return `${of} of yesterday and today were reported as spam by recipients.`;
    case 'by_hand':
      return '';
  }
};

const personOf = ({ by, name }: Person, service: string): string => {
  if (by === 'operator') return `The operator of ${service}`;
  return by === 'member' ? name : `Someone with the API token “${name}”`;
};

export const words: Words = {
  sign_in_code: ({ code, minutes, link }, service) => ({
    subject: `Your sign-in code for ${service}`,
    paragraphs: [
      `Use this code to sign in to ${service}:`,
      code,
      'Enter it on the page where you asked for it. You also find that page here:',
      link,
      `The code is valid for ${formOf(minutes, { one: 'one minute', other: `${minutes} minutes` }, 'en')} and for one sign-in only. Do not share it.`,
      'You did not ask for a code? Then someone has probably entered your address by mistake. You need not do anything.',
    ],
  }),
  invitation: ({ practice, inviter, link, expiresAt }, service) => ({
    subject: `Invitation to “${practice}” at ${service}`,
    paragraphs: [
      inviter === null
        ? `You are invited to become a member of “${practice}” at ${service}.`
        : `${inviter} invites you to become a member of “${practice}” at ${service}.`,
      'To accept the invitation:',
      link,
      `The link is valid until ${moment(expiresAt)}. Do not share it: it is meant for you alone.`,
      'You did not expect an invitation? Then you need not do anything. You do not become a member unless you agree.',
    ],
  }),
  owner_welcome: ({ practice, link }, service) => ({
    subject: `You are an owner of “${practice}” at ${service}`,
    paragraphs: [
      `The operator of ${service} has made you an owner of “${practice}”. You can manage everything there, including its members and their permissions.`,
      'Sign in here with this email address:',
      link,
      'You did not expect this? Then please contact the operator. Nothing is done in your name unless you sign in.',
    ],
  }),
  domain_verified: ({ practice, host, managedHost, link }, service) => ({
    subject: `The domain ${host} has been verified`,
    paragraphs: [
      `The DKIM records of ${host} have been found in the DNS. From now on “${practice}” sends from this domain at ${service}.`,
      `So that receivers get used to the domain, its warm-up begins today: daily limits apply in the first ${warmupCaps.length} days, and newsletters can be sent from it from day ${FIRST_BROADCAST_DAY} on. Until then send newsletters from an address at ${managedHost}.`,
      'Whether all other records are right you see here:',
      link,
      'You did not set up this domain? Then please ask the other owners or the operator.',
    ],
  }),
  domain_lost: ({ practice, host, managedHost, link }, service) => ({
    subject: `The domain ${host} no longer belongs to “${practice}”`,
    paragraphs: [
      `Another account at ${service} has proved by records in the DNS that it controls ${host}. “${practice}” therefore no longer sends from this domain, but from ${managedHost}.`,
      'If the domain is yours, please check who can change its DNS records. You can add it again here; that takes new DKIM records:',
      link,
      'You did not expect this? Then someone else may have access to your DNS. If you have given the domain away, you need not do anything.',
    ],
  }),
  plan_usage: (content) => {
    const { practice, plan, month, share, used, cap, resetsAt, refuses, managedHost, link } = content;
    const [useds, caps] = [counted(used), counted(cap)];
    const limit = managedHost ? 'without a domain of its own' : `on the ${planName(plan)} plan`;
    const day = dayOf(resetsAt);
    const consequence =
      refuses === 'all'
        ? `no more emails are accepted until ${day} (00:00 UTC), not even appointment confirmations. ${WAITING}`
        : `no newsletters or other marketing emails are accepted until ${day} (00:00 UTC). Appointment confirmations, reminders and other messages still go out.`;
    const more = managedHost
      ? 'With a verified domain of its own the limit of the plan applies. See the current state here:'
      : 'A larger plan raises the limit. See the current state here:';
    return {
      subject:
        share === 100
          ? `The monthly allowance of “${practice}” is used up`
          : `“${practice}” has used ${share}% of its monthly allowance`,
      paragraphs: [
        `In ${monthOf(month)} “${practice}” has so far used ${useds} of the ${caps} emails a month that it may send ${limit}. That is ${share}% of the allowance.`,
        share === 100 ? `From now on ${consequence}` : `At 100% ${consequence}`,
        more,
        link,
        'You did not send that much? Then please check who has access, and replace the API tokens.',
      ],
    };
  },
  billing: ({ practice, what, at, testCap, link }) =>
    what.is === 'payment_failed'
      ? {
          subject: `The payment for “${practice}” has failed`,
          paragraphs: [
            `The last payment for the Supporter plan of “${practice}” has failed. The payment provider will try again.`,
            `The plan is kept until ${moment(what.planKeptUntil)}. If it is not paid by then, the Test plan with ${testCap} emails a month applies again.`,
            'What to do now: check the payment method. An owner opens the page of the subscription here:',
            link,
            'Payment details are entered on the page of the payment provider only. Do not send them to anyone by email.',
          ],
        }
      : {
          subject: `The Test plan applies to “${practice}” again`,
          paragraphs: [
            what.isUnpaid
              ? `The Supporter plan of “${practice}” ended on ${moment(at)}, because it is not paid.`
              : `The subscription to the Supporter plan for “${practice}” has ended, and with it the plan, on ${moment(at)}.`,
            `The Test plan with ${testCap} emails a month applies since then. Once they are used up, no more are accepted until the next month, not even appointment confirmations.`,
            'Nothing is lost: all data and settings are kept. An owner can subscribe again at any time here:',
            link,
          ],
        },
  practice_paused: ({ practice, at, cause, link }, service) => {
    const when = moment(at);
    const resumption =
      cause.by === 'operator'
        ? 'Only the operator can resume sending. Please contact them. See the current state here:'
        : cause.by === 'guardrail'
          ? 'Once the list is clean, an owner resumes sending here:'
          : 'An owner can resume sending at any time. See the current state here:';
    return {
      subject: `Sending for “${practice}” is paused`,
      paragraphs: [
        ...(cause.by === 'guardrail'
          ? [`Sending for “${practice}” has been paused since ${when}.`, ...seenAs(cause)]
          : [
              `${personOf(cause, service)} paused sending for “${practice}” on ${when}. The reason given:`,
              cause.reason,
            ]),
        'Nothing is lost: emails that have already been accepted wait, and go out as soon as sending is resumed. New ones are not accepted until then. Who subscribes to a list by its form meanwhile is stored, and gets the confirmation mail afterwards.',
        resumption,
        link,
        cause.by === 'guardrail'
          ? 'You did not send these emails? Then please check who has access, and replace the API tokens.'
          : 'You did not expect this? Then please contact the other owners or the operator.',
      ],
    };
  },
  token_slowed: ({ practice, token, at, by, reason, perHour, link }, service) => ({
    subject: `The API token “${token}” of “${practice}” is slowed`,
    paragraphs: [
      by === 'brake'
        ? `The API token “${token}” of “${practice}” has been slowed since ${moment(at)}, because it left its usual range: ${beyondAs(reason)}`
        : `${by === 'operator' ? `The operator of ${service}` : 'A member of your practice'} slowed the API token “${token}” of “${practice}” on ${moment(at)}.${reason.note === null ? '' : ` The reason given: ${quotedShort(reason.note)}`}`,
      `Nothing is lost: what is sent with this token is accepted and waits; ${counted(perHour)} emails of it go out each hour. Other tokens are not affected.`,
      'Is this yours, such as a mailing that you planned? Then confirm it here with one click, and everything goes out at once:',
      link,
      'Is it not yours? Then somebody else probably has the token, or the program that uses it, such as a form on your website. Revoke the token on the same page, and discard what waits.',
    ],
  }),
  practice_resumed: ({ practice, at, link, ...person }, service) => ({
    subject: `Sending for “${practice}” has been resumed`,
    paragraphs: [
      `${personOf(person, service)} resumed sending for “${practice}” on ${moment(at)}.`,
      'Emails that were waiting go out now, and new ones are accepted again. See the current state here:',
      link,
      'You did not expect this? Then please contact the other owners or the operator.',
    ],
  }),
};
