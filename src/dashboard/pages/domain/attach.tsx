// Asks for a domain of one's own, or another one.
import { useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const AttachForm = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const [domain, setDomain] = useState('');
  const action = useAction(async () => {
    await call('POST /api/practices/{id}/custom-domain', { id, body: { domain: domain.trim() } });
    toast(w.attached);
    onDone();
  });
  return (
    <Form action={action} submit={w.attachConfirm}>
      <TextField
        label={w.domain}
        path="domain"
        value={domain}
        onValue={setDomain}
        hint={w.domainHint}
        placeholder="praxis.example"
        autoComplete="off"
        required
      />
    </Form>
  );
};
