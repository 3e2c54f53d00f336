import type { words as german } from './de.ts';

export const words: typeof german = {
  sendCode: 'Send code',
  byCode: 'If there is an account for it, we send a code of six digits to this address.',
  codeSent: (email) =>
    `If there is an account for ${email}, a code is on its way there. It is valid for 10 minutes.`,
  byLink: (email) => `This link signs you in as ${email}.`,
  wrongCode: 'The code is not right, has expired or has been used.',
  wrongPassword: 'The email address or the password is not right.',
  newCode: 'Send a new code',
  codeSentAgain: 'A new code is on its way.',
  code: 'Code from the email',
  digit: (at) => `Digit ${at}`,
  otherAddress: 'Other address',
  withPassword: 'Sign in with password',
  withCode: 'Sign in with code',
};
