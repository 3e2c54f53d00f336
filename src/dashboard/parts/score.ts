// What the service would do with a message that is being written.
import { useEffect, useState } from 'preact/hooks';
import type { NewMessage, Score } from '#api';
import { call, Refusal } from '#dashboard/api/call.ts';

const TYPING_MS = 400;

/** The value as it was in the last pause of typing. */
export const usePaused = <T>(value: T): T => {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(() => value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
};

/** A refusal says what of the message is not understood, such as an address that is half typed: that is no failure. */
export const scoreOf = async (id: string, body: NewMessage, abort: AbortSignal): Promise<Score | Refusal> => {
  try {
    return await call('POST /api/practices/{id}/send/score', { id, body }, { abort });
  } catch (error) {
    if (error instanceof Refusal && (error.status === 400 || error.status === 422)) return error;
    throw error;
  }
};
