// The picture in ARCHITECTURE.md, made from the imports: the rooms, with the arrows that the others do not imply. Run by itself it
// puts the picture there.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { importsOf } from '#test/support/source-rules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FILE = join(ROOT, 'ARCHITECTURE.md');
const BLOCK = /```mermaid\n[\s\S]*?```\n/;

const roomOf = (path: string): string => path.split('/')[0] ?? path;

const arrowsIn = (directory: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const arrows = new Map<string, Set<string>>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = name.replaceAll(sep, '/');
    const room = roomOf(path);
    if (!path.includes('/') || !path.endsWith('.ts') || room === 'dashboard') continue;
    const targets = arrows.get(room) ?? new Set();
    arrows.set(room, targets);
    for (const { isLocal, target } of importsOf({ path, text: readFileSync(join(directory, name), 'utf8') }))
      if (isLocal && roomOf(target) !== room) targets.add(roomOf(target));
  }
  return arrows;
};

/** The rooms of `arrows` by floor, the lowest first; a room is one above the highest that it imports. */
const picture = (arrows: ReadonlyMap<string, ReadonlySet<string>>): string => {
  const targetsOf = (room: string): readonly string[] => [...(arrows.get(room) ?? [])].sort();
  const floorOf = (room: string): number => 1 + Math.max(0, ...targetsOf(room).map(floorOf));
  const reaches = (from: string, to: string): boolean =>
    from === to || targetsOf(from).some((next) => reaches(next, to));
  const rooms = [...arrows.keys()].sort((a, b) => floorOf(b) - floorOf(a) || a.localeCompare(b));
  const lines = rooms.flatMap((room) =>
    targetsOf(room)
      .filter((to) => !targetsOf(room).some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${room} --> ${to}`),
  );
  return ['```mermaid', 'flowchart TD', ...lines, '```', ''].join('\n');
};

/** ARCHITECTURE.md as it is, and as it would be with the picture of today's imports. */
export const readPicture = (): { readonly is: string; readonly wanted: string } => {
  const is = readFileSync(FILE, 'utf8');
  return { is, wanted: is.replace(BLOCK, () => picture(arrowsIn(join(ROOT, 'src')))) };
};

if (import.meta.main) writeFileSync(FILE, readPicture().wanted);
