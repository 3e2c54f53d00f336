// A picture beside a text or a name that says the same: a line in the colour of the text.
export const Drawing = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);
