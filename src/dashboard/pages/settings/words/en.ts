import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Your name, the address that you send from, and whether mail is sent.',
  nameTitle: 'Name',
  name: 'Name of the practice',
  nameHint: 'Recipients see it as sender, in the footer and on the public pages.',
  defaultFrom: 'Default sender address',
  managedHost: 'Managed host',
  changeDomain: 'Change the domain',
  legalMissing: 'not filled in yet',
  answers: 'Answers',
  answersText:
    'Who answers one of your mails writes to this address, unless the mail itself, its route or its project names another.',
  replyAddressHint: 'Empty: to your inbox while receiving is on, else to the sender.',
  addReplyTo: 'Put an address for answers into each mail',
  addReplyToHint: 'Off: answers go to the sender unless the mail says otherwise.',
  pauseText: 'While it is paused no message goes out, and new ones are refused.',
  reasonHint: 'Who wants to send reads it in the refusal.',
  paused: 'Sending is paused',
};
