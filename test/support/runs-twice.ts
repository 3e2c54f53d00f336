// A function given to `write` may run twice (see durable-file.ts), and hardly ever does. In the tests that say so each transaction
// is undone once and runs again, so that a function whose second run goes wrong fails the test of what it does; under `TWICE=1`
// in all tests of this process. Not in all by themselves: what stores remember is forgotten each time, and would hide what is
// remembered for too long.
import process from 'node:process';

/** `wanted`: false in tests of what is remembered. */
export const runsTwice = (wanted?: boolean): boolean => wanted ?? process.env.TWICE === '1';
