import type { words as german } from './de.ts';

export const words: typeof german = {
  name: 'Name',
  type: 'Type',
  value: 'Value',
  priority: 'Priority',
  found: 'Found',
  nothing: 'Nothing',
  whatToDo: 'What to do',
  hint: 'In detail',
  required: 'required',
  optional: 'optional',
  byOperator: 'There is nothing for you to do: the operator of the service corrects this record.',
  advice: {
    missing:
      'Add this record at the provider of your domain. It may take up to an hour to be seen everywhere.',
    mismatch: 'Change the record that is there, so that it has the value shown.',
    multiple: 'Remove the surplus records. Only one may remain, with the value shown.',
    proxied: 'Switch the proxy off for this name; at Cloudflare choose “DNS only”.',
    error: 'Wait a few minutes and check again. The name server of the domain did not answer.',
  },
};
