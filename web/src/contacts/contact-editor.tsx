import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type CallFailed, post, put } from '../api/http.ts';
import { refresh } from '../api/live.ts';
import { contactQuery, groupsQuery, refreshBooks } from '../api/queries.ts';
import type { ContactDetail, ContactInput } from '../api/types.ts';
import { useKeyOf } from '../inbox/outbox.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Tick, Wrong } from '../look/fields.tsx';
import { toast } from '../shell/toasts.tsx';
import { phoneWords, readPhone } from '../words/people.ts';

type Props = {
  /** Null for a new one. */
  contactId: number | null;
  phone: string | null;
  memberId: number | null;
  close(): void;
  drop?(contact: { contactId: number; fullName: string }): void;
};

export default function ContactEditor(props: Props) {
  const { contactId, close } = props;
  const { data, error, isFetchedAfterMount } = useQuery({
    ...contactQuery(contactId ?? 0),
    enabled: contactId !== null,
    staleTime: 0,
  });
  return (
    <Dialog close={close} title={contactId === null ? 'New contact' : 'Contact'} isFirm>
      {contactId === null || (data && isFetchedAfterMount) ? (
        <Fields {...props} given={data ?? null} />
      ) : error ? (
        <p className="soft">{error.message}</p>
      ) : (
        <div className="skeleton" style={{ height: 260 }} role="status" aria-label="Loading" />
      )}
    </Dialog>
  );
}

function Fields({ contactId, given, phone, memberId, close, drop }: Props & { given: ContactDetail | null }) {
  // As it was when it was opened: what is changed elsewhere meanwhile doesn't empty the form, and stays.
  const [contact] = useState(given);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [isSaving, setSaving] = useState(false);
  const groups = useQuery(groupsQuery).data?.data ?? [];
  const [member, setMember] = useState(() => new Set(contact?.groupIds ?? []));
  const keyOf = useKeyOf();
  // Added already, if only its groups were refused.
  const added = useRef(contactId);

  const save = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? '').trim();
    const typedPhone = value('phone');
    const number = typedPhone ? readPhone(typedPhone) : null;
    if (typedPhone && !number) return setWrong({ phone: 'A number has ten digits, or begins with a plus sign.' });
    const input: ContactInput = {
      firstName: value('firstName'),
      lastName: value('lastName'),
      emailAddress: value('emailAddress') || null,
      phone: number,
      birthDate: value('birthDate') || null,
    };
    setSaving(true);
    try {
      const path = '/v1/core/contact/contacts';
      if (added.current !== null)
        await put(`${path}/${added.current}`, { body: contact ? changedIn(input, contact) : input });
      else added.current = (await post<{ id: number }>(path, { body: input, idempotencyKey: keyOf(input) })).id;
      const before = new Set(contact?.groupIds ?? []);
      if (before.symmetricDifference(member).size > 0)
        await put(`${path}/${added.current}/groups`, { body: { groupIds: [...member] } });
    } catch (error) {
      setSaving(false);
      return setWrong(problemsOf(error));
    }
    toast(contactId === null ? 'Added.' : 'Saved.');
    await refreshBooks();
    if (memberId !== null) refresh(memberId);
    close();
  };

  const field = (
    name: string,
    label: string,
    value: string | undefined,
    options: { type?: string; required?: boolean; first?: boolean } = {},
  ) => (
    <label className="label">
      {label}
      <input
        className="plain-field"
        name={name}
        type={options.type ?? 'text'}
        defaultValue={value ?? ''}
        required={options.required ?? false}
        aria-invalid={wrong[name] ? true : undefined}
        data-autofocus={options.first ? true : undefined}
      />
      {wrong[name] && <small role="alert">{wrong[name]}</small>}
    </label>
  );
  const number = contact?.phone ?? phone;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setWrong({});
        void save(new FormData(event.currentTarget));
      }}
    >
      <div className="two">
        {field('firstName', 'First name', contact?.firstName, { required: true, first: true })}
        {field('lastName', 'Last name', contact?.lastName, { required: true })}
      </div>
      {field('phone', 'Mobile number', number ? phoneWords(number) : '', { type: 'tel' })}
      {field('emailAddress', 'Email', contact?.emailAddress, { type: 'email' })}
      {field('birthDate', 'Birthday', contact?.birthDate, { type: 'date' })}
      {groups.length > 0 && (
        <fieldset className="group-choice">
          <legend>Groups</legend>
          {groups.map(({ groupId, name }) => (
            <Tick
              key={groupId}
              isOn={member.has(groupId)}
              set={(isOn) => setMember(isOn ? new Set(member).add(groupId) : member.difference(new Set([groupId])))}
            >
              {name}
            </Tick>
          ))}
        </fieldset>
      )}
      {contact?.isCrmLinkedContact && (
        <p className="small soft">This person comes from your CRM, which may change it again.</p>
      )}
      {wrong[''] && <Wrong>{wrong['']}</Wrong>}
      <div className="buttons">
        {drop && contactId !== null && contact && (
          <Button
            icon="trash"
            kind="quiet bad"
            style={{ marginRight: 'auto' }}
            onClick={() => drop({ contactId, fullName: `${contact.firstName ?? ''} ${contact.lastName ?? ''}`.trim() })}
          >
            Delete
          </Button>
        )}
        <Button onClick={close}>Cancel</Button>
        <button type="submit" className="button main" disabled={isSaving}>
          {contactId === null ? 'Add' : 'Save'}
        </button>
      </div>
    </form>
  );
}

function changedIn(input: ContactInput, contact: ContactDetail): Partial<ContactInput> {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== (contact[name as keyof ContactDetail] ?? null)),
  );
}

/** Each rule that the server names beside its field, and the rest below. */
function problemsOf(error: unknown): Record<string, string> {
  const { message, details } = error as CallFailed;
  const rules = Array.isArray(details) ? (details as { path: string; message: string }[]) : [];
  if (rules.length === 0) return { '': message };
  return Object.fromEntries(rules.map((rule) => [rule.path.slice(1), rule.message]));
}
