// The known word that a mistyped one was probably meant to be, by the optimal string alignment distance: insertions, deletions,
// replacements and swaps of neighbours.

/** Longer words are not compared: the distance costs the product of both lengths. */
const MAX_WORD_CHARACTERS = 64;

/** Insertions, deletions, replacements and swaps of neighbours between both; costs the product of their lengths. */
export const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
};

/** `messageKind` and `message-kind` are the same word as `message_kind`. */
export const foldWord = (word: string): string => word.toLowerCase().replace(/[_-]/g, '');

/** The nearest of `known`, or undefined where none is near: more than a third of it would have to change. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > MAX_WORD_CHARACTERS) return undefined;
  const folded = foldWord(word);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const other = foldWord(candidate);
    const allowed = Math.max(1, Math.floor(candidate.length / 3));
    // The distance is at least that of the lengths, which costs nothing.
    if (Math.abs(folded.length - other.length) > allowed) continue;
    const distance = editDistance(folded, other);
    if (distance <= allowed && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
};
