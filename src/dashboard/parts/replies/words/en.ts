import type { words as german } from './de.ts';

// What the office can do about a refusal.
const wait = 'You need not do anything; if it stays so, send it again later.';
const byTelephone = 'Ask for another address on the telephone.';
const technical = 'Pass the server’s reply (below “Technical”) on to those who look after your technology.';
const filtered = 'Write the text again without links and advertising, or call.';

export const words: typeof german = {
  own: {
    captured: 'Captured: it did not leave the service.',
    cancelled: 'Cancelled before it was due.',
    campaignCancelled: 'The campaign was cancelled.',
    outOfUse: 'Our sending server could not be reached.',
    uncomposed: 'The message could not be put together.',
    restored: 'Discarded after a restore; whether it left before is not known.',
    misused: 'Discarded, because the token that was to send it was misused.',
  },
  refusals: {
    unknown_address: {
      why: 'The address does not exist there',
      advice: 'Check the spelling, or ask for the right address on the telephone.',
    },
    unknown_domain: {
      why: 'What is behind the @ does not exist or takes no mail',
      advice: 'Check the spelling of the address.',
    },
    mailbox_full: {
      why: 'The mailbox is full',
      advice: 'Call, and send the message again once there is room.',
    },
    disabled: { why: 'The mailbox is switched off', advice: byTelephone },
    too_large: {
      why: 'The message is too large for the server',
      advice: 'Send it with smaller or fewer attachments.',
    },
    content: { why: 'The server takes it for spam or for dangerous', advice: filtered },
    block: { why: 'The server takes no mail from our sending server at the moment', advice: technical },
    auth_policy: {
      why: 'The server does not accept your sender address as genuine',
      advice: 'Check the records of your domain on the page “Domain”.',
    },
    sender_address: {
      why: 'The server does not take your sender address',
      advice: 'Check the records of your domain on the page “Domain”.',
    },
    policy: { why: 'The rules of the recipient’s server do not allow it', advice: technical },
    recipient_policy: { why: 'This mailbox takes no mail from you', advice: byTelephone },
    relay_suppression: {
      why: 'Our sending service has blocked the address, because earlier mail did not arrive',
      advice: byTelephone,
    },
    greylisted: { why: 'The server makes new senders wait first', advice: wait },
    throttled: { why: 'The server takes no more mail at the moment', advice: wait },
    network: { why: 'The recipient’s server could not be reached', advice: wait },
    loop: { why: 'The recipient’s mail is forwarded in a circle', advice: byTelephone },
    tls: { why: 'No encrypted connection with the server was possible', advice: technical },
    unexplained: { why: 'We cannot classify the reason', advice: technical },
  },
};
