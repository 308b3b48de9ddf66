import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import type { setMembers } from '../../../server/src/http/advisor/api/contacts.ts';
import { CallFailed, post, put } from '../api/http.ts';
import { refresh } from '../api/live.ts';
import { contactQuery, refreshBooks } from '../api/queries.ts';
import type { BodyOf, ContactDetail, ContactInput, IdResult } from '../api/types.ts';
import { contactDraft, useFormDraft } from '../inbox/drafts.ts';
import { useKeyOf } from '../inbox/outbox.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Field, Tick, Wrong } from '../look/fields.tsx';
import { Loading } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import { phoneWords, readPhone } from '../words/people.ts';
import { useFoundGroups } from './found-groups.tsx';

/** As many characters as the server takes. */
const lengthMax = 200;

type Props = {
  /** Null for a new one. */
  contactId: number | null;
  phone: string | null;
  memberId: number | null;
  close(): void;
  drop?(contact: { contactId: number; fullName: string }): void;
};

type Values = Record<'firstName' | 'lastName' | 'phone' | 'emailAddress' | 'birthDate', string>;
/** What differs from the contact, until it is saved or given up. */
type FormDraft = Partial<Values> & {
  groupIds?: number[];
  /** Added already, if only its groups were refused. */
  added?: number;
};

export default function ContactEditor(props: Props) {
  const { contactId, phone } = props;
  const [typed, type, close] = useFormDraft<FormDraft>(contactDraft(contactId, phone), {}, props.close);
  const { data, error, isFetchedAfterMount } = useQuery({
    ...contactQuery(contactId ?? 0),
    enabled: contactId !== null,
    staleTime: 0,
  });
  return (
    <Dialog close={close} title={contactId === null ? 'New contact' : 'Contact'} isFirm>
      {contactId === null || (data && isFetchedAfterMount) ? (
        <Fields {...props} {...{ typed, type, close }} given={data ?? null} />
      ) : error ? (
        <p className="soft">{isGone(error) ? 'There is no such contact. It may have been deleted.' : error.message}</p>
      ) : (
        <Loading height={260} />
      )}
    </Dialog>
  );
}

type FieldsProps = Props & { given: ContactDetail | null; typed: FormDraft; type(change: FormDraft): void };

function Fields({ contactId, given, phone, memberId, close, drop, typed, type }: FieldsProps) {
  // As it was when it was opened: what is changed elsewhere meanwhile doesn't empty the form, and stays.
  const [contact] = useState(given);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [isSaving, setSaving] = useState(false);
  const { groups, found, search } = useFoundGroups();
  const before = new Set(contact?.groupIds ?? []);
  const member = typed.groupIds ? new Set(typed.groupIds) : before;
  const keyOf = useKeyOf();
  const number = contact?.phone ?? phone;
  const values: Values = {
    firstName: contact?.firstName ?? '',
    lastName: contact?.lastName ?? '',
    phone: number ? phoneWords(number) : '',
    emailAddress: contact?.emailAddress ?? '',
    birthDate: contact?.birthDate ?? '',
    ...typed,
  };

  const save = async () => {
    setWrong({});
    const typedPhone = values.phone.trim();
    const phone = typedPhone ? readPhone(typedPhone) : null;
    if (typedPhone && !phone) return setWrong({ phone: 'A number has ten digits, or begins with a plus sign.' });
    const input: ContactInput = {
      firstName: values.firstName.trim(),
      lastName: values.lastName.trim(),
      emailAddress: values.emailAddress.trim() || null,
      phone,
      birthDate: values.birthDate || null,
    };
    setSaving(true);
    try {
      const path = '/v1/core/contact/contacts';
      let id = contactId ?? typed.added;
      if (id !== undefined) await put(`${path}/${id}`, { body: contact ? changedIn(input, contact) : input });
      else {
        id = (await post<IdResult>(path, { body: input, idempotencyKey: keyOf(input) })).id;
        type({ added: id });
      }
      // Each by itself: what became of the other groups meanwhile stays.
      for (const groupId of before.symmetricDifference(member))
        await post(`/groups/${groupId}/members`, {
          body: { contactIds: [id], isMember: member.has(groupId) } satisfies BodyOf<typeof setMembers>,
        });
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
    name: keyof Values,
    label: string,
    rest: Pick<ComponentProps<'input'>, 'type' | 'required'> & { 'data-autofocus'?: true } = {},
  ) => (
    <Field
      {...rest}
      label={label}
      maxLength={lengthMax}
      value={values[name]}
      wrong={wrong[name] ?? null}
      set={(value) => type({ [name]: value })}
    />
  );
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="two">
        {field('firstName', 'First name', { required: true, 'data-autofocus': true })}
        {field('lastName', 'Last name', { required: true })}
      </div>
      {field('phone', 'Mobile number', { type: 'tel' })}
      {field('emailAddress', 'Email', { type: 'email' })}
      {field('birthDate', 'Birthday', { type: 'date' })}
      {groups.length > 0 && (
        <fieldset className="group-choice">
          <legend>Groups</legend>
          {search}
          {found.map(({ groupId, name }) => (
            <Tick
              key={groupId}
              isOn={member.has(groupId)}
              set={(isOn) => {
                const others = [...member].filter((each) => each !== groupId);
                type({ groupIds: isOn ? [...others, groupId] : others });
              }}
            >
              {name}
            </Tick>
          ))}
        </fieldset>
      )}
      {contact?.isCrmLinkedContact && (
        <p className="small soft">These details came from your CRM. What you change here stays.</p>
      )}
      {wrong[''] && <Wrong>{wrong['']}</Wrong>}
      <div className="buttons">
        {drop && contactId !== null && contact && (
          <Button
            icon="trash"
            kind="quiet bad"
            style={{ marginRight: 'auto' }}
            onClick={() => {
              close();
              drop({ contactId, fullName: `${contact.firstName ?? ''} ${contact.lastName ?? ''}`.trim() });
            }}
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

function isGone(error: Error): boolean {
  return error instanceof CallFailed && error.status === 404;
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
