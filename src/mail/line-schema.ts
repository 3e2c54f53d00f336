// Shapes of names and other words for people, as requests bring them: one line that is not empty. Pure.
import { z } from 'zod';
import { isSeen } from './visible-text.ts';

const NAME_LENGTH = 200;

/** What is seen of it is all there is. */
export const lineSchema = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine(isSeen, 'expected one line without control or invisible characters');

export const nameSchema = lineSchema(NAME_LENGTH).meta({ id: 'Name' });
