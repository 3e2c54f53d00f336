import { formOf } from '#src/kernel/language.ts';
import type { Words } from './de.ts';

const waiting = (seconds: number): string =>
  formOf(seconds, { one: 'a second', other: `${seconds} seconds` }, 'en');

export const words: Words = {
  landing: {
    title: 'Email that is meant to arrive',
    intro: (service) =>
      `${service} sends and receives email for practices, clubs and firms: reminders of appointments, invoices, newsletters, and whatever a program writes for them.`,
    signIn: 'Sign in',
    open: 'To your email',
    reference: 'For developers',
    audiences: [
      {
        heading: 'For the practice',
        text: 'You write a letter in the browser, and see of each email whether it was accepted, has waited or came back.',
      },
      {
        heading: 'For developers',
        text: 'One call over HTTP, or one message over SMTP. What was confirmed is not lost, not even at a crash.',
      },
      {
        heading: 'For recipients',
        text: 'Newsletters go only to those who agreed. Leaving takes one click, and each report is read.',
      },
    ],
    abuse: 'Report unwanted email',
    operator: (name) => `Operated by ${name}`,
    legalNotice: 'Legal notice',
    status: 'State of the service',
  },
  refusal: {
    home: 'To the start page',
    refused: {
      title: 'That did not work',
      text: 'Please go back, change what you entered and send it again.',
    },
    notFound: {
      title: 'There is no such page',
      text: 'Please check the address.',
    },
    tooMany: (seconds) => ({
      title: 'Too many requests',
      text: `Please wait ${waiting(seconds)}, then try again.`,
    }),
    unavailable: (seconds) => ({
      title: 'This is not possible right now',
      text: `The fault is ours: your request could not be handled. Please try again in ${waiting(seconds)}.`,
    }),
    failed: {
      title: 'Sorry, that did not work',
      text: 'The fault is ours. Please try again later.',
    },
  },
  notBuilt: {
    title: 'The dashboard has not been built',
    text: 'Mail is accepted and sent all the same. Run this command in the folder of the service, then load this page again:',
  },
};
