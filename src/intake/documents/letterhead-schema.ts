// The letterhead as the API takes and shows it.
import { z } from 'zod';
import { said, type Text } from '#src/kernel/say.ts';
import { because } from '#src/kernel/validate.ts';
import { compileTemplate } from '#src/mail/merge-fields.ts';

const MAX_ALT = 200;
const MAX_SIGNATURE = 1_000;
const MAX_LINES = 12;

const problemOf = (text: string): Text | null => compileTemplate(text, 'text').problems[0] ?? null;
const withPlaceholders = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\u2028\u2029]*(?:\r?\n[^\p{Cc}\u2028\u2029]*)*$/u, 'control characters are not allowed')
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== null) context.addIssue({ code: 'custom', message: because(problem) });
    });

const logo = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected the id of an image')
  .nullable()
  .describe('id of an image; null: the name of the practice is the head');
const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'expected a colour such as #0b57d0')
  .toLowerCase()
  .nullable()
  .describe('buttons, links and the line above; where it could not be read, it is darkened or lightened');

export const letterheadSchema = z
  .strictObject({
    logo,
    logo_alt: z.string().describe('what the logo says; the name of the practice where empty'),
    colour,
    signature: z
      .string()
      .nullable()
      .describe('lines with `{{placeholders}}`; null: a closing and the name of the practice'),
  })
  .meta({ id: 'Letterhead' });

export const letterheadBody = z
  .strictObject({
    logo: logo.default(null),
    logo_alt: withPlaceholders(MAX_ALT)
      .refine((text) => !text.includes('\n'), said('expected one line').key)
      .default(''),
    colour: colour.default(null),
    signature: withPlaceholders(MAX_SIGNATURE)
      .refine((text) => text.split('\n').length <= MAX_LINES, 'has more than 12 lines')
      .transform((text) => (text.trim() === '' ? null : text.trimEnd()))
      .nullable()
      .default(null),
  })
  .meta({
    examples: [{ colour: '#0b57d0', signature: 'Dr. Anna Weber\n{{practice.name}}\n{{practice.phone}}' }],
  });
