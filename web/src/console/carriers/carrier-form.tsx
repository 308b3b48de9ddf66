import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { toast } from '../../shell/toasts.tsx';
import { FormDialog } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import type { Carrier, Field, Kind } from './queries.ts';
import { kindNames } from './words.ts';

/** `(hidden)` stands for a secret that stays as it is. */
const hidden = '(hidden)';

/** Adds a carrier, or changes one. Secrets can be written here, and nobody can read them again. */
export function CarrierForm({ kinds, carrier, close }: { kinds: Kind[]; carrier?: Carrier; close(): void }) {
  const [kind, setKind] = useState(carrier?.kind ?? kinds.find(({ fields }) => fields)?.kind ?? '');
  const [name, setName] = useState(carrier?.name ?? '');
  const [typed, type] = useState<Record<string, string>>(() => textsOf(carrier?.settings ?? {}));
  const fields = kinds.find((each) => each.kind === kind)?.fields ?? null;
  const run = async () => {
    const settings = settingsOf(fields ?? [], typed, carrier !== undefined);
    if (carrier) await put(`/carriers/${carrier.name}`, { body: { settings } });
    else await post('/carriers', { body: { name: name.trim(), kind, settings } });
    await refresh('/carriers');
    toast('Nodes open it within seconds.');
  };
  const missing = fields?.some((each) => each.isRequired && !typed[each.name]?.trim());
  return (
    <FormDialog
      title={carrier ? `Settings of ${carrier.name}` : 'Add a carrier'}
      action={carrier ? 'Save' : 'Add'}
      run={run}
      close={close}
      isReady={fields !== null && !missing && name.trim() !== ''}
    >
      {!carrier && (
        <div className="two">
          <label className="label">
            Kind
            <select className="plain-field" value={kind} onChange={({ target }) => setKind(target.value)}>
              {kinds.map((each) => (
                <option value={each.kind} key={each.kind}>
                  {kindNames[each.kind] ?? each.kind}
                </option>
              ))}
            </select>
          </label>
          <label className="label">
            Name
            <input
              className="plain-field"
              value={name}
              onChange={({ target }) => setName(target.value)}
              placeholder="acme-us"
            />
          </label>
        </div>
      )}
      {fields === null && (
        <p className="hint">
          Its settings have lists of connections, so they come from a file: run{' '}
          <code>assent carriers add NAME --kind {kind} --settings FILE</code>.
        </p>
      )}
      {fields
        ?.filter(({ isRequired }) => isRequired)
        .map((field) => (
          <FieldOf
            key={field.name}
            field={field}
            value={typed[field.name] ?? ''}
            set={(value) => type({ ...typed, [field.name]: value })}
          />
        ))}
      {fields && (
        <details>
          <summary>More settings</summary>
          <div className="form spaced-form">
            {fields
              .filter(({ isRequired }) => !isRequired)
              .map((field) => (
                <FieldOf
                  key={field.name}
                  field={field}
                  value={typed[field.name] ?? ''}
                  set={(value) => type({ ...typed, [field.name]: value })}
                />
              ))}
          </div>
        </details>
      )}
    </FormDialog>
  );
}

function FieldOf({
  field: { about, type, isSecret },
  value,
  set,
}: {
  field: Field;
  value: string;
  set(value: string): void;
}) {
  if (type === 'boolean')
    return (
      <label className="label">
        {about}
        <select className="plain-field" value={value} onChange={({ target }) => set(target.value)}>
          <option value="">As usual</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      </label>
    );
  return (
    <label className="label">
      {about}
      <input
        className="plain-field"
        type={isSecret ? 'password' : 'text'}
        inputMode={type === 'number' ? 'decimal' : undefined}
        autoComplete="off"
        value={value === hidden ? '' : value}
        placeholder={value === hidden ? 'Stays as it is' : undefined}
        onChange={({ target }) => set(target.value)}
      />
    </label>
  );
}

function textsOf(settings: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}

/** Empty ones are left out; of a carrier that is there, null removes them. */
function settingsOf(fields: Field[], typed: Record<string, string>, isChange: boolean): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const text = (typed[name] ?? '').trim();
    if (text !== '') given[name] = type === 'string' ? text : type === 'number' ? Number(text) : text === 'true';
    else if (isChange) given[name] = null;
  }
  return given;
}
