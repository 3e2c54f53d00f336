// What is wrong with an attachment's file name: what hides its type, and what other systems cannot store. Pure.

const MAX_BYTES = 150;
/** Controls, whatever shows nothing or turns the direction round, blanks that fill, halves of characters, paths. */
const SUSPICIOUS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u115f\u1160\u2028\u2029\u2800\u3164\uffa0/\\]|\u034f/u;
const AT_THE_EDGE = /^\s|\s$/;
/** Devices of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i;

/** All but the first part, in lower case, looking alike made equal: `x․exe` with a one dot leader is `x.exe`. A colon
 * parts as well: `a.exe:b.pdf` is a stream of `a.exe`. */
export const extensionsOf = (filename: string): string[] =>
  filename
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.:]/)
    .slice(1)
    .map((part) => part.trim());

/** The last extension as it stands there; undefined where there is none. */
export const lastExtension = (filename: string): string | undefined => {
  const dot = filename.lastIndexOf('.');
  return dot === -1 ? undefined : filename.slice(dot + 1).toLowerCase();
};

/** Whatever its extensions are; in words for its sender, null where nothing is wrong. */
export const nameProblem = (filename: string): string | null => {
  if (SUSPICIOUS.test(filename)) return 'the file name holds control, direction or path characters';
  if (Buffer.byteLength(filename.normalize('NFC')) > MAX_BYTES)
    return `the file name is longer than ${MAX_BYTES} bytes`;
  if (AT_THE_EDGE.test(filename)) return 'the file name begins or ends with a blank';
  if (DEVICE.test(filename)) return 'the file name is that of a device on Windows';
  return null;
};
