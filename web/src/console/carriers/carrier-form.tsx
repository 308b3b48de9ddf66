import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field, Lines } from '../../look/fields.tsx';
import { toast } from '../../shell/toasts.tsx';
import { refresh } from '../lists.ts';
import type { Carrier, Kind, Field as Setting } from './queries.ts';
import { kindNames } from './words.ts';

/** `(hidden)` stands for a secret that stays as it is. */
const hidden = '(hidden)';

/** Adds a carrier, or changes one. Secrets can be written here, and nobody can read them again. */
export function CarrierForm({ kinds, carrier, close }: { kinds: Kind[]; carrier?: Carrier; close(): void }) {
  const [kind, setKind] = useState(carrier?.kind ?? kinds[0]?.kind ?? '');
  const [name, setName] = useState(carrier?.name ?? '');
  const [typed, type] = useState<Record<string, string>>(() => textsOf(carrier?.settings ?? {}));
  const fields = kinds.find((each) => each.kind === kind)?.fields ?? [];
  const run = async () => {
    const settings = settingsOf(fields, typed, carrier !== undefined);
    if (carrier) await put(`/carriers/${carrier.name}`, { body: { settings } });
    else await post('/carriers', { body: { name: name.trim(), kind, settings } });
    await refresh('/carriers');
    toast('Nodes open it within seconds.');
  };
  const missing = fields.some((each) => each.isRequired && !typed[each.name]?.trim());
  return (
    <FormDialog
      title={carrier ? `Settings of ${carrier.name}` : 'Add a carrier'}
      action={carrier ? 'Save' : 'Add'}
      run={run}
      close={close}
      isReady={!missing && name.trim() !== ''}
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
      {fields
        .filter(({ isRequired }) => isRequired)
        .map((field) => (
          <SettingField
            key={field.name}
            field={field}
            value={typed[field.name] ?? ''}
            set={(value) => type({ ...typed, [field.name]: value })}
          />
        ))}
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
    </FormDialog>
  );
}

function SettingField({
  field: { about, type, choices, isSecret },
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
        none="Default"
        options={[
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    );
  if (choices)
    return (
      <Choice
        label={about}
        value={value}
        choose={set}
        none={`Default: ${choices[0]}`}
        options={choices.map((each) => [each, each])}
      />
    );
  if (type === 'servers' || type === 'json')
    return (
      <>
        <Lines
          label={about}
          rows={2}
          spellCheck={false}
          value={value}
          placeholder={type === 'servers' ? 'smsc.example.com:3550 tls' : undefined}
          set={set}
        />
        <p className="small soft">
          {type === 'servers'
            ? 'One on each line: its name, its port, and tls where it is used. With certificates of your own: JSON.'
            : 'JSON, as in the guide to carriers.'}
        </p>
      </>
    );
  return (
    <Field
      label={about}
      type={isSecret ? 'password' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      value={value === hidden ? '' : value}
      placeholder={value === hidden ? 'Unchanged' : undefined}
      set={set}
    />
  );
}

function textsOf(settings: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, textOf(value)]));
}

type Server = { host: string; port: number; tls?: unknown };

function textOf(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  const isPlain = Array.isArray(value) && value.every(({ tls = false }: Server) => typeof tls === 'boolean');
  if (!isPlain) return JSON.stringify(value);
  return value.map(({ host, port, tls }: Server) => `${host}:${port}${tls ? ' tls' : ''}`).join('\n');
}

/** Empty ones are left out; of a carrier that is there, null removes them. */
function settingsOf(fields: Setting[], typed: Record<string, string>, isChange: boolean): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const text = (typed[field.name] ?? '').trim();
    if (text !== '') given[field.name] = settingIn(field, text);
    else if (isChange) given[field.name] = null;
  }
  return given;
}

function settingIn({ type, about }: Setting, text: string): unknown {
  if (type === 'string') return text;
  if (type === 'number') {
    // What isn't one would be sent as null, which removes the setting.
    if (!Number.isFinite(Number(text))) throw new Error(`${about}: that isn’t a number.`);
    return Number(text);
  }
  if (type === 'boolean') return text === 'true';
  if (type === 'servers' && !/^[[{]/.test(text)) return text.split('\n').flatMap((line) => serverIn(line.trim()));
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${about}: that isn’t JSON.`);
  }
}

function serverIn(line: string): Server[] {
  if (line === '') return [];
  const [, host = '', port, tls] = /^(\S+):(\d+)(\s+tls)?$/i.exec(line) ?? [];
  if (host === '') throw new Error(`“${line}” is no server with a port, such as smsc.example.com:3550.`);
  return [{ host, port: Number(port), ...(tls && { tls: true }) }];
}
