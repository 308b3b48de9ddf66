import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field } from '../../look/fields.tsx';
import { toast } from '../../shell/toasts.tsx';
import { refresh } from '../lists.ts';
import type { Carrier, Kind, Field as Setting } from './queries.ts';
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
          <Choice
            label="Kind"
            value={kind}
            choose={setKind}
            options={kinds.map((each) => [each.kind, kindNames[each.kind] ?? each.kind])}
          />
          <Field label="Name" value={name} placeholder="acme-us" set={setName} />
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
          <SettingField
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
                <SettingField
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

function SettingField({
  field: { about, type, isSecret },
  value,
  set,
}: {
  field: Setting;
  value: string;
  set(value: string): void;
}) {
  if (type === 'boolean')
    return (
      <Choice
        label={about}
        value={value}
        choose={set}
        none="As usual"
        options={[
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    );
  return (
    <Field
      label={about}
      type={isSecret ? 'password' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      value={value === hidden ? '' : value}
      placeholder={value === hidden ? 'Stays as it is' : undefined}
      set={set}
    />
  );
}

function textsOf(settings: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}

/** Empty ones are left out; of a carrier that is there, null removes them. */
function settingsOf(fields: Setting[], typed: Record<string, string>, isChange: boolean): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const text = (typed[name] ?? '').trim();
    if (text !== '') given[name] = type === 'string' ? text : type === 'number' ? Number(text) : text === 'true';
    else if (isChange) given[name] = null;
  }
  return given;
}
