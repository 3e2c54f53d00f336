import type { words as german } from './de.ts';

export const words: typeof german = {
  views: 'Views of the template',
  write: 'Write',
  versions: 'Versions',
  saved: 'The template is saved.',
  tested: (address) => `The test mail is on its way to ${address}.`,
  removeTitle: 'Delete the template?',
  removeText: 'It is deleted with its earlier versions. Messages that were sent stay as they are.',
  removed: 'The template is deleted.',
  version: 'Version',
  current: 'current',
  by: 'By',
  makers: { member: 'member', token: 'token (API)', operator: 'operator' },
  look: 'Look at it',
  takeBack: 'Use this version again',
  takenBack: (version) => `Version ${version} is in use again.`,
  open: (version) => `Version ${version}`,
};
