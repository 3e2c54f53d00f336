// Pictures in the navigation: of the pages for every day, by their path, and of the groups that fold.
export const pictures: Readonly<Record<string, string>> = {
  overview: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  letter: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  post: 'M21 3L3 10l7 4 4 7zM21 3L10 14',
  inbox: 'M3 13l3-8h12l3 8v6H3zM3 13h5l2 3h4l2-3h5',
  people: 'M5 20c0-4 3-6 7-6s7 2 7 6M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
  templates: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  campaigns: 'M4 10v4h3l9 5V5l-9 5zM19.500 9.500a4 4 0 0 1 0 5M8 15l1 5h2',
  reach: 'M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01',
  develop: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  practice: 'M4 7h8M16 7h4M4 17h4M12 17h8M14 5v4M10 15v4',
  operator: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  own: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M6 18.500c2-4 10-4 12 0M12 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
};
