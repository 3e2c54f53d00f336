// Vendor B's published Node.js client, unmodified, against the daemon.
// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guideText } from './guide.ts';
import { postmarkGuide } from './postmark-guide.ts';
import { openScene, type Scene } from './scene.ts';
import { sendBehaviours } from './vendor-b-behaviours.ts';
import { lookupBehaviours } from './vendor-b-lookup-behaviours.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

test.each(sendBehaviours)('$what', ({ run }) => run(scene));

test('the guide says what the rows show', async () => {
  await expect(guideText(postmarkGuide, [...sendBehaviours, ...lookupBehaviours])).toMatchFileSnapshot(
    '../../docs/from-postmark.md',
  );
});
