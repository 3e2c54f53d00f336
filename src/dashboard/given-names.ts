// What routes and projects are called: those that each practice begins with by what they are for, as long as no one has renamed them.
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface Named {
  readonly slug: string;
  readonly name: string;
}

/** Their names in the API. */
const given = { outgoing: 'Outgoing', broadcast: 'Broadcast', default: 'Default' } as const;
const isGiven = (slug: string): slug is keyof typeof given => Object.hasOwn(given, slug);

/** `name` is absent where the API tells the slug alone. */
export const givenName = ({ slug, name }: Pick<Named, 'slug'> & Partial<Named>): string =>
  isGiven(slug) && (name === undefined || name === given[slug])
    ? translated(words).given[slug]
    : (name ?? slug);

export const inWords = <N extends Named>(all: readonly N[]): readonly N[] =>
  all.map((one) => ({ ...one, name: givenName(one) }));
