// The real clock and a real random number, kept before they are replaced: for what the simulation says of its own speed, and for its
// first seed where none is given.
const now = performance.now.bind(performance);

export const realMs = (): number => now();

/** In [0, 1). */
export const drawn = Math.random();
