import { expect, test } from 'vitest';
import { contrast, readableOn } from '#src/kernel/contrast.ts';

test('contrast is what WCAG counts', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#0b57d0', '#0b57d0')).toBe(1);
});

test('every colour can be read on the light and on the dark ground', () => {
  const levels = ['00', '33', '66', '99', 'cc', 'ff'];
  const colours = levels.flatMap((red) =>
    levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)),
  );
  const unreadable = ['#ffffff', '#161616'].flatMap((ground) =>
    colours.filter((colour) => contrast(readableOn(ground, colour), ground) < 4.5),
  );
  expect(unreadable).toEqual([]);
});

test('a colour that can be read stays as it is', () => {
  expect(readableOn('#ffffff', '#0b57d0')).toBe('#0b57d0');
  expect(readableOn('#161616', '#8ab4f8')).toBe('#8ab4f8');
});
