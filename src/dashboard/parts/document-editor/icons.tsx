// Pictures on the buttons of the toolbar, drawn in the colour of the text.
import { Drawing } from '#dashboard/parts/drawing.tsx';

const paths = {
  strong: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zm0 7h7a3.5 3.5 0 0 1 0 7H7z',
  em: 'M10 5h8M6 19h8M14 5l-4 14',
  underline: 'M7 5v6a5 5 0 0 0 10 0V5M6 20h12',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500',
  bullet_list: 'M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01',
  ordered_list:
    'M10 6h10M10 12h10M10 18h10M4 4.500l1.500-.5v5M4 15.500c.5-1 2.500-1 2.500.3 0 1-2.500 1.500-2.500 3.200h2.700',
  start: 'M4 6h16M4 12h10M4 18h13',
  center: 'M4 6h16M7 12h10M5.500 18h13',
  end: 'M4 6h16M10 12h10M7 18h13',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  remove: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  undo: 'M8 5L4 9l4 4M4 9h9a6 6 0 0 1 0 12h-2',
  redo: 'M16 5l4 4-4 4M20 9h-9a6 6 0 0 0 0 12h2',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => <Drawing path={paths[name]} />;
