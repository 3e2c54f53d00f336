import type { Words } from './de.ts';

export const words: Words = {
  title: 'Unsubscribe',
  doneTitle: 'You are unsubscribed',
  unknownTitle: 'This link is not valid',
  mail: {
    marketing: 'newsletters and offers',
    transactional: 'messages such as appointment confirmations and reminders',
  },
  yourAddress: 'your address',
  ask: (practice, address, mail) =>
    `Do you want <strong>${practice}</strong> to stop sending emails of this kind to <strong>${address}</strong>? This means: ${mail}.`,
  warnAll: (practice) =>
    `Or do you want no emails from ${practice} at all? This includes appointment confirmations and reminders.`,
  stop: 'Unsubscribe from these emails',
  stopAll: 'Unsubscribe from all emails of this sender',
  stopped: {
    route: (practice, address, mail) =>
      `<strong>${practice}</strong> no longer sends emails of this kind to <strong>${address}</strong>. This means: ${mail}.`,
    team: (practice, address) =>
      `<strong>${practice}</strong> no longer sends any emails to <strong>${address}</strong>.`,
  },
  alreadySent: 'Emails that are already on their way may still reach you.',
  question: {
    title: 'Decline the subscription',
    ask: (practice, address) =>
      `Do you want to decline the subscription of <strong>${address}</strong> at <strong>${practice}</strong>? Nothing changes for other emails.`,
    stop: 'Decline the subscription',
    doneTitle: 'You have declined the subscription',
    stopped: (practice, address) =>
      `The subscription of <strong>${address}</strong> at <strong>${practice}</strong> is declined. Nothing changes for other emails.`,
  },
  lists: 'Unsubscribe from single lists only',
  sender: 'Sender',
  unknown:
    'The link may be incomplete, or the email is so old that we can no longer find it. Nothing has been changed.',
  unknownAdvice:
    'Please open the link again directly from the email, or reply to the sender that you do not want any more emails.',
  person: {
    erased: {
      suppressions: 'suppressions in which the address was readable',
    },
    kept: {
      suppressions: {
        what: 'suppressions with a keyed hash of the address',
        why: 'So that the address gets no more mail, also where it is imported again (Art. 17(3)(b), Art. 21 GDPR). The address cannot be read from it.',
      },
    },
    titles: {
      suppressions: 'Suppressions',
    },
  },
};
