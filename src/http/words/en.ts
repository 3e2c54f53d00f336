import { formOf } from '#src/kernel/language.ts';
import type { Words } from './de.ts';

const waiting = (seconds: number): string =>
  formOf(seconds, { one: 'a second', other: `${seconds} seconds` }, 'en');

export const words: Words = {
  landing: {
    intro: (service) => `${service} sends email for practices, clubs and firms.`,
    signIn: 'Sign in',
    reference: 'Description of the API',
    abuse: 'Report unwanted email',
  },
  refusal: {
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
