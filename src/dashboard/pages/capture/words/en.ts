import type { words as german } from './de.ts';

export const words: typeof german = {
  date: 'Date',
  headers: 'Header',
  source: 'Source',
  download: 'Download as .eml',
  value: 'Value',
  files: 'Attachments',
  html: 'Formatted',
  text: 'Text only',
  noFiles: 'This mail has no attachments.',
  type: 'Type',
  inline: 'in the text',
};
