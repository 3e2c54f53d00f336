import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'With a token, a program sends for this practice without a person who signs in.',
  nameHint: 'Where it is used, for example “Practice software”.',
  scope: 'Valid for',
  team: 'The whole practice',
  projectOf: (name) => `Project ${name}`,
  expires: 'Valid until',
  expiresHint: 'Empty: it does not expire.',
  never: 'does not expire',
  networks: 'Only from these networks',
  networksHint: 'By commas, for example 203.0.113.7 or 203.0.113.0/24. Empty: from anywhere.',
  anywhere: 'from anywhere',
  unused: 'never yet',
  list: 'Tokens',
  secret: 'New token',
  revoke: 'Revoke',
  revokeText: (name) => `Programs that use “${name}” are refused from now on.`,
  revoked: 'The token is valid no more.',
  examples: 'How it is used',
  empty: 'No tokens yet',
  emptyText: 'Create one, so that your program can send.',
};
