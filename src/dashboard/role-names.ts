// What roles are called: those of every practice in the page's language, its own as it named them.
import type { RoleOfMember } from '#api';
import { words } from './words.ts';

export const roleNames = words({
  de: {
    owner: 'Inhaberin oder Inhaber',
    admin: 'Verwaltung',
    member: 'Mitarbeit',
    editor: 'Redaktion',
    viewer: 'Nur ansehen',
  },
  en: { owner: 'Owner', admin: 'Admin', member: 'Member', editor: 'Editor', viewer: 'Viewer' },
});

export const roleName = ({ slug, name }: Pick<RoleOfMember, 'slug' | 'name'>): string =>
  slug ? roleNames()[slug] : name;
