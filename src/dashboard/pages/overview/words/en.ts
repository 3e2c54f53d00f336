import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: (from) => `Mail is sent from ${from}`,
  next: 'Your next step',
  steps: {
    legal: ['Fill in who sends', 'Every marketing mail carries street, city and privacy notice.'],
    test: ['Send yourself a test message', 'That shows you how your mail arrives.'],
    domain: ['Attach your domain', 'The records of your domain have not been found yet.'],
    access: ['Connect your software or your team', 'With a token or an invitation.'],
    live: ['Go live', 'Until then mail goes only to addresses that the operator has allowed.'],
  },
  progress: (done, all) => `${done} of ${all} steps done`,
  go: 'Go on setting up',
  plan: (name) => `Plan ${name}`,
  toPlan: 'See the plan',
  waiting: 'What waits now',
  waits: (count, since) =>
    `${plural(count, { one: '# message waits', other: '# messages wait' })}${since === null ? '' : `, the oldest since ${since}`}.`,
  reasons: {
    sending: { one: '# is being sent', other: '# are being sent' },
    paused: { one: '# waits because sending is paused', other: '# wait because sending is paused' },
    held: {
      one: '# waits for your decision since a restore',
      other: '# wait for your decision since a restore',
    },
    scheduled: { one: '# is scheduled for later', other: '# are scheduled for later' },
    upstream: {
      one: '# waits because the sending server takes no mail at the moment',
      other: '# wait because the sending server takes no mail at the moment',
    },
    retry: {
      one: '# is tried again, because the receiver refused it for now',
      other: '# are tried again, because the receiver refused them for now',
    },
    busy: {
      one: '# waits for a free place at the sending server',
      other: '# wait for a free place at the sending server',
    },
    next: { one: '# is about to go', other: '# are about to go' },
  },
  held: {
    title: (count: number) =>
      `${plural(count, { one: '# message waits', other: '# messages wait' })} for your decision.`,
    text: 'The data were restored from a backup. These messages may have left after it was made, and would arrive twice. New mail goes at once.',
    release: 'Send',
    releaseText: 'All messages that are held go out, even if some have arrived already.',
    discard: 'Discard',
    discardText: 'None of the messages that are held goes out. This cannot be undone.',
    done: 'Done.',
  },
  nextTry: 'Next try',
  outcomes: 'What became of your mail',
  noMailText: 'As soon as you send, this shows what became of your mail.',
  sentMails: 'Sent',
  opened: 'Opened',
  notMeasured: 'not measured',
  notReported: 'not reported',
  before: (value) => `before: ${value}`,
  acceptedShare: (share) => `${share} accepted`,
  refusedShare: (share) => `${share} refused`,
  sentences: {
    unknown: (outcome, days) => `${outcome} in ${days} days`,
    same: (outcome, days) => `${outcome}, about as in the ${days} days before`,
    more: (outcome, days, points) =>
      `${outcome}, ${plural(points, { one: '# point', other: '# points' })} more than in the ${days} days before`,
    less: (outcome, days, points) =>
      `${outcome}, ${plural(points, { one: '# point', other: '# points' })} less than in the ${days} days before`,
  },
  tooFewToCompare: 'There are too few mails to compare with the time before.',
  look: {
    title: 'Please look at this first',
    records: (count) =>
      plural(count, { one: '# record of your domain is wrong', other: '# records of your domain are wrong' }),
    complaints: (count) =>
      plural(count, { one: '# mail was reported as spam', other: '# mails were reported as spam' }),
    watched: 'So many mails were refused or reported that sending will soon be paused',
    bounced: (count) => plural(count, { one: '# mail was refused', other: '# mails were refused' }),
    unread: (count) =>
      plural(count, { one: '# mail in the inbox is unread', other: '# mails in the inbox are unread' }),
  },
  last: 'The last messages',
  all: 'All mail',
};
