import type { Words } from '../de/public.ts';

export const words: Words = {
  confirmation: {
    subject: (list) => `Please confirm your subscription: ${list}`,
    greeting: 'Hello,',
    asked: (address, list, practice) =>
      `the address ${address} was entered for the list “${list}” of ${practice}.`,
    agree: 'By confirming you declare:',
    click: 'If this is what you want, please confirm it with this link:',
    link: 'Confirm the subscription',
    until: (days) => `The link is valid for ${days} days.`,
    ignore:
      'If you did not enter the address, there is nothing you need to do: without a confirmation it is not added.',
    sender: 'Sender',
  },
  form: {
    email: 'Email address',
    name: 'Name',
    optional: 'optional',
    trap: 'Please leave this field empty',
    submit: 'Subscribe',
    privacy: 'Privacy policy',
  },
  confirm: {
    title: {
      asked: 'Confirm your subscription',
      active: 'Your subscription is confirmed',
      ended: 'You are not subscribed',
    },
    text: {
      asked: (practice, list, address) =>
        `Do you want the address ${address} to be on the list ${list} of ${practice}?`,
      active: (practice, list, address) => `The address ${address} is on the list ${list} of ${practice}.`,
      ended: (practice, list, address) => `The address ${address} is not on the list ${list} of ${practice}.`,
    },
    declare: 'By confirming you declare:',
    confirm: 'Yes, confirm',
    decline: 'No, thanks',
    leave: 'Unsubscribe',
    unknownTitle: 'This link is not valid',
    unknown:
      'The link may be incomplete, or it is too old. Nothing has been changed. You can subscribe again at any time.',
  },
  preferences: {
    title: 'Your lists',
    yourAddress: 'your address',
    intro: (practice, address) => `These are the lists of ${practice} that ${address} is on:`,
    none: (practice, address) => `There is no list of ${practice} that ${address} is on.`,
    left: (lists) => `Unsubscribed: ${lists}. Emails that are already on their way may still reach you.`,
    legend: 'Which do you want to unsubscribe from?',
    leave: 'Unsubscribe from the chosen ones',
    leaveAll: 'Unsubscribe from all lists',
    nothingChosen: 'Please choose at least one list.',
    all: (practice) => `No emails from ${practice} at all`,
    tracking: 'Tracking',
    tracked: {
      allowed: (practice) =>
        `${practice} may record whether you open the emails and which of their links you follow. You can object to that; you still get the emails.`,
      asked: (practice) =>
        `${practice} does not record whether you open the emails of your lists and which of their links you follow unless you allow it.`,
      objected: (practice) =>
        `You have objected: ${practice} does not record whether you open emails and which of their links you follow.`,
    },
    object: 'Do not track',
    agree: 'Allow tracking',
  },
  subscribe: {
    title: (list) => `Subscribe: ${list}`,
    problemTitle: 'Please check what you entered',
    problem: 'Please enter a valid email address, such as name@example.org.',
    doneTitle: 'Please look into your mailbox',
    done: (practice) =>
      `If there is something left to confirm, you will get an email from <strong>${practice}</strong> shortly. Only its link makes your subscription valid.`,
    later: (practice) =>
      `If there is something left to confirm, you will get an email from <strong>${practice}</strong>. It cannot be sent at once: it will come as soon as that is possible again. Only its link makes your subscription valid.`,
    closedTitle: 'The form is closed',
    closed: {
      over: (practice) =>
        `<strong>${practice}</strong> takes no more subscriptions to this list. Nothing has been stored.`,
      starting: (practice) =>
        `<strong>${practice}</strong> is still setting up its email. Until that is done no one can subscribe here, and nothing has been stored. Please try again in a few days.`,
      unable: (practice) =>
        `<strong>${practice}</strong> cannot send the email by which you would confirm your subscription. Nothing has been stored. Please try again later, or write to the sender directly.`,
    },
    nothing:
      'No email? Please look into the spam folder, too. Perhaps you are subscribed already, or we have written to you today.',
    unknownTitle: 'There is no such list',
    unknown: 'The link may be incomplete, or the list is no longer offered.',
  },
  wording: {
    sent: {
      termin: 'messages about my appointments',
      recall: 'reminders of appointments that are due',
      newsletter: 'the newsletter',
      transactional: 'messages about my requests',
      other: 'information and offers',
    },
    list: (practice, sent, list) =>
      `I would like to receive ${sent} (“${list}”) from ${practice} by e-mail. I can withdraw this consent at any time with effect for the future, for example by the unsubscribe link in each mail.`,
    tracking: (practice) =>
      `${practice} may record whether I open the e-mails and which of their links I follow, to improve what is in them. This is voluntary. I can withdraw it at any time with effect for the future, on the page “Your lists” to which each mail leads.`,
  },
  person: {
    erased: {
      subscriptions: 'subscriptions',
      mentions_in_lists: 'mentions in the subscriptions of others',
      mentions_in_consent: 'consent entries of others from which values that named the address were removed',
      mentions_in_erasures: 'reasons of other erasures',
      import_reports: 'rows in reports of imports',
      links: 'links of campaigns',
      consent_entries_reduced: 'entries of the consent ledger, reduced to hashes',
      consent_documents: 'confirmation mails in the consent ledger',
    },
    kept: {
      consent_entries: {
        what: 'entries of the consent ledger without personal values',
        why: 'They prove that and when consent was given and withdrawn (Art. 7(1), Art. 17(3)(e) GDPR); their chain can still be verified.',
      },
    },
    titles: {
      subscriptions: 'Lists',
      consent: 'Consent',
    },
  },
};
