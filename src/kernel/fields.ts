// Shapes of fields that several slices take from outside.
import { z } from 'zod';

/** An id that a client names: it may have been written in upper case on its way. */
export const idSchema = z.uuid().toLowerCase();

const NAME_LENGTH = 200;

/** Control characters, line and paragraph separators, and what steers or hides text without being seen. */
const UNSEEN = /^[^\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/u;

/** A name for people: one line, and what is seen is all there is. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH)
  .regex(UNSEEN, 'expected one line without control or invisible characters');
