import { wordsFor } from '#src/accounts/mails/in-words.ts';
import { formOf } from '#src/kernel/language.ts';
import type { Words } from '../de/public.ts';

const { moment } = wordsFor('en');

export const words: Words = {
  frame: {
    greeting: 'Hello,',
    closing: (service) => `${service}\n\nThis email was sent automatically. Replies to it are not read.`,
  },
  mails: {
    forward_confirmation: ({ practice, link, expiresAt }, service) => ({
      subject: `Shall emails to “${practice}” be forwarded to you?`,
      paragraphs: [
        `“${practice}” receives emails through ${service} and would like to forward them to this address. That happens only if you agree:`,
        link,
        `You can agree until ${moment(expiresAt)}. On the same page you can decline, and end the forwarding later.`,
        'You did not expect this? Then you need not do anything. Nothing is forwarded unless you agree.',
      ],
    }),
    abuse_ticket: ({ ticketId, stage }) => {
      const stages = {
        open: {
          subject: 'We have received your report',
          paragraphs: [
            'Thank you for your report. We have received it under this number:',
            ticketId,
            'We will look into it, and write to you when the investigation begins and when it is closed.',
          ],
        },
        investigating: {
          subject: 'We are investigating your report',
          paragraphs: [
            'We are now investigating your report with this number:',
            ticketId,
            'We will write to you when the investigation is closed.',
          ],
        },
        closed: {
          subject: 'Your report has been closed',
          paragraphs: [
            'We have closed the investigation of your report with this number:',
            ticketId,
            'Thank you for taking the time. Should you notice anything again, please report it.',
          ],
        },
      };
      const { subject, paragraphs } = stages[stage];
      return {
        subject: `${subject} (${ticketId})`,
        paragraphs: [
          ...paragraphs,
          'You did not report anything? Then someone else has given your address. You need not do anything.',
        ],
      };
    },
  },
  abuse: {
    title: 'Report abuse',
    intro:
      'Have you received an email through this service that you did not ask for, or that is meant to deceive you? Report it here. We look at every report.',
    email: 'Your email address',
    emailNote: 'We will write to you there about what becomes of your report.',
    name: 'Your name',
    subject: 'Subject',
    description: 'What happened?',
    source: 'The reported email as a file (.eml)',
    sourceNote: 'At most 10 MB. The email with all of its headers helps us most.',
    optional: 'optional',
    send: 'Send the report',
    receivedTitle: 'Your report has arrived',
    received: 'Thank you. We will confirm it by email and look into your report.',
    number: 'Number of your report',
  },
  waitlist: {
    title: 'You are on the waiting list',
    text: 'Thank you. We will write to you as soon as a place is free.',
    home: 'To the start page',
    form: {
      heading: 'Get a place',
      intro:
        'Leave your address. We will write to you as soon as a place is free; it commits you to nothing.',
      email: 'Your email address',
      plan: 'How much would you like to send?',
      upTo: (mails) => `up to ${mails} emails a month`,
      name: 'Your name or that of your practice',
      note: 'Is there anything you would like to tell us?',
      optional: 'optional',
      trap: 'Please leave empty',
      send: 'Join the waiting list',
      kept: (days) =>
        `Only the operator sees what you enter. It is deleted after ${formOf(days, { one: 'a day', other: `${days} days` }, 'en')}, or earlier if you ask for it.`,
    },
  },
  legal: {
    privacy_url: 'Privacy policy',
    email: 'Email',
    phone: 'Phone',
    represented_by: 'Represented by',
    register: 'Register',
    vat_id: 'VAT ID',
    authority: 'Supervisory authority',
    imprint_url: 'Legal notice',
  },
  person: {
    kept: {
      member: {
        what: 'the membership of that address in the practice',
        why: 'Those who work for the practice are removed among its members.',
      },
    },
  },
};
