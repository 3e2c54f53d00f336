import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'The check follows as you type. Nothing is sent until you say so.',
  fromHint: (address) => `Empty: ${address}`,
  toHint: 'Several separated by commas. Addresses of the simulator answer like real servers.',
  html: 'HTML',
  kindByRoute: 'As the route',
  fresh: 'New message',
  accepted: 'The message is accepted and is being sent.',
  suppressed: (addresses) => `Suppressed, get nothing: ${addresses}`,
  waiting: 'Once there are recipient, subject and text, this says how the message would fare.',
  grade: 'Grade',
  score: (score) => `${score} of 100 points of risk; from 70 on it is not sent`,
  risk: 'Spam folder',
  sends: 'It would be sent.',
  blocks: 'It would not be sent: the content is blocked.',
  refuses: (code) => `It would be refused (${code}).`,
  reasons: 'What speaks against it',
  warnings: 'What you should know',
  gates: 'Gates',
  risks: { low: 'unlikely', medium: 'possible', high: 'likely' },
};
