// Where in a request a problem is, short enough to be said back to whoever sent it. Pure.

const MAX_PATH_PARTS = 8;
const MAX_KEY_CHARACTERS = 60;

/** `body.to[0]`; keys that are no names are quoted, long ones and long paths are cut. */
export const formatPath = (root: string, path: readonly PropertyKey[]): string => {
  const parts = path.slice(0, MAX_PATH_PARTS).map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    const name = cut(String(key));
    return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `${root}${parts.join('')}${path.length > MAX_PATH_PARTS ? '…' : ''}`;
};

/** A client's own word, short enough to be said back to it. */
export const cut = (word: string): string =>
  word.length > MAX_KEY_CHARACTERS ? `${word.slice(0, MAX_KEY_CHARACTERS).toWellFormed()}…` : word;
