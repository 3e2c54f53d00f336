import type { words as german } from './de.ts';

export const words: typeof german = {
  intro:
    'This is how your mails look: the logo above, closing and signature below, and what you write in between. A change here applies to all templates and drafts too.',
  saved: 'The letterhead is saved.',
  logo: 'Logo',
  logoHint: 'It stands above the text. Without a logo, the name of the practice stands there.',
  logoAlt: 'What does the logo say?',
  logoAltHint: 'It is read by those who do not see the image.',
  removeLogo: 'Remove the logo',
  colour: 'Colour',
  colourHint: 'For buttons and links.',
  usualColour: 'Take the usual colour',
  signature: 'Closing and signature',
  signatureHint:
    'It can have several lines, and placeholders such as {{practice.phone}}. If the field stays empty, “Kind regards” and the name of the practice stand there.',
  preview: 'This is how it looks',
  usualClosing: 'Kind regards',
  sampleGreeting: 'Dear Ms Example,',
  sampleText: 'here stands what you write. The legal notice of the practice follows by itself.',
  sampleButton: 'Make an appointment',
};
