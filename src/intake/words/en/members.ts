import type { Words } from '../de/members.ts';

export const words: Words = {
  suppressed: {
    recipient_suppressed: 'Every recipient is on a suppression list of this practice; nothing is sent.',
    recipients_suppressed:
      'Those in `suppressed` are on a suppression list of this practice; the others get the message.',
  },
  findings: {
    kind_not_allowed_on_route: {
      why: 'The route does not take messages of this kind.',
      advice: 'Use one of allowed_routes.',
    },
    impressum_incomplete: {
      why: "The practice's legal block is incomplete: marketing mail must name its sender, and sending is refused. The service adds the block by itself once it is complete.",
      advice: 'Enter street, city and privacy URL: PATCH /api/practices/{id}/compliance.',
    },
    content_blocked: {
      why: 'The content is stopped before it is sent, because it looks like spam or fraud.',
      advice: 'Change what the other issues name.',
    },
    tracking_on_kind: {
      why: 'Opens or clicks are tracked in a mail about an appointment, a check-up or the confirmation of a subscription. As a rule no one has consented to that (§ 25 TDDDG).',
      advice: 'Turn track_opens and track_clicks off for the kinds termin, recall and doi.',
    },
    subject_names_person: {
      why: 'The subject names a person: on lock screens and in logs others see that this is your patient.',
      advice: 'Address the person by name in the text only.',
    },
    no_greeting: {
      why: 'The mail begins without a greeting; people and filters take such mail for bulk mail.',
      advice: 'Begin with “Hello” or a personal greeting.',
    },
    recipient_suppressed: {
      why: 'Every recipient is on the suppression list: nothing would be sent.',
      advice: 'Look up why the recipients are suppressed.',
    },
    recipients_suppressed: {
      why: 'Some recipients are on the suppression list and would get nothing.',
      advice: 'Take suppressed recipients off your lists.',
    },
    held: {
      why: 'The warm-up of the domain would let the message out on a later day only.',
      advice: 'Spread large volumes over several days.',
    },
    no_way_out: {
      why: 'The message would have no unsubscribe link, because the service has no HTTPS address.',
      advice: 'Ask the operator to set up a public origin with HTTPS.',
    },
  },
  sample: (name) => ({
    subject: `Sample message from ${name}`,
    text: [
      'Hello,',
      `this is how mail from ${name} arrives. Please check that this message is in your inbox and that these letters are shown as they should be: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Kind regards\n${name}`,
    ].join('\n\n'),
  }),
  trial: (kind, name) => ({
    subject: `Test with the mailbox simulator: ${kind}`,
    text: `This message from ${name} goes to the mailbox simulator.`,
  }),
  appointment: {
    summary: (name) => `Appointment: ${name}`,
    mail: ({ day, time, location, name }) => ({
      subject: `Your appointment on ${day}`,
      paragraphs: [
        'Hello,',
        'we have made the following appointment for you:',
        `Date: ${day}\nTime: ${time}${location === null ? '' : `\nPlace: ${location}`}`,
        'This is a sample: it shows how mail about appointments arrives, and the calendar invitation in it.',
        `Kind regards\n${name}`,
      ],
    }),
  },
  purposes: {
    termin:
      'Confirms, moves or cancels an appointment that was made, or reminds of it. Name date, time and place; an invitation (calendar) goes well with it.',
    recall: 'Reminds people who asked for it to make a new appointment.',
    transactional: 'Belongs to something the person began: documents, invoices, answers.',
    doi: 'Asks only whether someone confirms a subscription: what, by which practice, the link, and what happens if one does nothing. No offer and no welcome.',
    newsletter:
      'What is new in the practice, and advertising, to people who subscribed to the newsletter and confirmed it.',
    custom: 'Other advertising and circulars to people who consented to the channel “other”.',
    quality: 'Asks how content someone was; also the sample that shows a practice how its mail arrives.',
    test: 'A technical test, for instance to the mailbox simulator.',
  },
  streams: {
    transactional: 'Goes over a transactional route; it may carry no advertising (§ 7 UWG).',
    marketing:
      'Goes over a marketing route, with consent only; the service adds the legal block and the link to unsubscribe.',
  },
  tracking: {
    off: 'Opens and clicks are not tracked unless the message asks for it; leave it so.',
    'as its route':
      'Whether opens and clicks are tracked is what the route says, unless the message says otherwise.',
  },
};
