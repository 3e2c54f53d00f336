// The sources change, and a plant must change with them: else it could not be planted any more, and no one would know whether the
// simulation still finds it.
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from 'vitest';
import { faultySource } from './plant.ts';
import { plants } from './plants.ts';

describe('the faults that are planted by hand', () => {
  test('have each a name of its own', () => {
    expect(new Set(plants.map(({ name }) => name)).size).toBe(plants.length);
  });

  test.each(plants.map((plant) => [plant.name, plant] as const))(
    '%s applies to the source of today',
    (_, plant) => {
      expect(stripTypeScriptTypes(faultySource(plant))).not.toContain('interface ');
    },
  );
});
