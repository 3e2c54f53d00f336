// What a certificate authority is answered while it checks a name (RFC 8555 §8): by HTTP a text for a token, by DNS the texts of a
// name. Only what is pending is known here, so nothing can be asked out of it.
const RECORD_LABEL = '_acme-challenge.';

/** RFC 8555 §8.3: base64url, at least 128 bits. */
const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;
export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

export const createChallenges = () => {
  const byToken = new Map<string, string>();
  const byName = new Map<string, string[]>();
  /** The key authorization; null: no such check is pending. */
  const answerTo = (token: string): string | null =>
    TOKEN.test(token) ? (byToken.get(token) ?? null) : null;
  return {
    answerTo,
    /** The same by the path of a request; undefined: the path is another one. */
    answerAt: (path: string): string | null | undefined =>
      path.startsWith(CHALLENGE_PATH) ? answerTo(path.slice(CHALLENGE_PATH.length)) : undefined,
    /** The TXT records at the name, which is in lower case. */
    textsAt: (name: string): readonly string[] => byName.get(name) ?? [],
    recordOf: (name: string): string => RECORD_LABEL + name,
    /** Each returns what ends it. */
    publishToken: (token: string, answer: string): (() => void) => {
      byToken.set(token, answer);
      return () => void byToken.delete(token);
    },
    publishText: (name: string, text: string): (() => void) => {
      const record = RECORD_LABEL + name;
      byName.set(record, [...(byName.get(record) ?? []), text]);
      return () => {
        const left = (byName.get(record) ?? []).filter((other) => other !== text);
        if (left.length > 0) byName.set(record, left);
        else byName.delete(record);
      };
    },
  };
};
export type Challenges = ReturnType<typeof createChallenges>;
