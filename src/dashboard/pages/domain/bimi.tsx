// The logo that some mailboxes show beside mail of the domain.
import { useLayoutEffect } from 'preact/hooks';
import type { BimiLogo } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Card } from '#dashboard/parts/basics.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const typedOf = ({ logo_url, certificate_url }: BimiLogo) => ({
  logo_url: logo_url ?? '',
  certificate_url: certificate_url ?? '',
});

const BimiForm = ({
  id,
  present,
  onDone,
}: {
  readonly id: string;
  readonly present: BimiLogo;
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(typedOf(present));
  useLayoutEffect(() => setFields(typedOf(present)), [present]);
  const action = useAction(async () => {
    const body = {
      logo_url: fields.logo_url.trim() || null,
      certificate_url: fields.certificate_url.trim() || null,
    };
    await call('PUT /api/practices/{id}/bimi', { id, body });
    toast(w.saved);
    onDone();
  });
  return (
    <Form action={action} submit={w.save}>
      <TextField label={w.logoUrl} type="url" hint={w.logoHint} optional {...field('logo_url')} />
      <TextField
        label={w.certificateUrl}
        type="url"
        hint={w.certificateHint}
        optional
        {...field('certificate_url')}
      />
    </Form>
  );
};

export const Bimi = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const data = useAnswer('GET /api/practices/{id}/deliverability', { id });
  return (
    <Card title={w.bimi}>
      <p class="quiet">{w.bimiText}</p>
      <Loaded data={data} lines={3}>
        {({ bimi }) => <BimiForm id={id} present={bimi} onDone={onDone} />}
      </Loaded>
    </Card>
  );
};
