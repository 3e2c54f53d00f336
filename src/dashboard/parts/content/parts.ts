// What shows and edits the content of a mail, in one file.
export { Fields } from './fields.tsx';
export { Preview } from './preview.tsx';
