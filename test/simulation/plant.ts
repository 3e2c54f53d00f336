// A fault planted by hand: texts of today's source, and the wrong ones that are loaded in their place, so that the simulation has to
// show that it finds them. Nothing is written to the disk: Node gets the changed text while it loads the file, and strips its types
// as always.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

export interface Replacement {
  /** A text that occurs exactly once. */
  readonly from: string;
  readonly to: string;
}

export interface Plant {
  readonly name: string;
  /** The order or the rule that it breaks, in one sentence. */
  readonly what: string;
  /** The source file, from the root of the repository. */
  readonly file: string;
  readonly replacements: readonly Replacement[];
}

const urlOf = ({ file }: Plant): URL => new URL(`../../${file}`, import.meta.url);

/** The source with the fault. Throws where the source has changed, so that a text does not occur exactly once any more. */
export const faultySource = (plant: Plant): string =>
  plant.replacements.reduce(
    (source, { from, to }) => {
      const parts = source.split(from);
      if (parts.length !== 2)
        throw new Error(`${plant.file} has the text of ${plant.name} ${parts.length - 1} times:\n${from}`);
      return parts.join(to);
    },
    readFileSync(urlOf(plant), 'utf8'),
  );

/** To be called before anything has imported the file. Throws as `faultySource`. */
export const loadFaulty = (plant: Plant): void => {
  const { href } = urlOf(plant);
  const source = faultySource(plant);
  registerHooks({
    load: (url, context, nextLoad) =>
      url === href ? { format: 'module-typescript', source, shortCircuit: true } : nextLoad(url, context),
  });
};
