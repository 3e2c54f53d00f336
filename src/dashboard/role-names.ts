// What roles are called: those of every practice in the page's language, its own as it named them.
import type { RoleOfMember } from '#api';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const roleNames = () => translated(words).roles;

export const roleName = ({ slug, name }: Pick<RoleOfMember, 'slug' | 'name'>): string =>
  slug ? roleNames()[slug] : name;
