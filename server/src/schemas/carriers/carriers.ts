import { e164Pattern } from '../../domain/shared/phone-numbers.ts';
import { Id, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const { Optional } = Type;
const name = () => Type.String({ minLength: 1, maxLength: 50 });
/** What its kind takes: the domain checks them by the kind's own schema. */
const settings = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const CarrierParams = Type.Object({ carrier: name() });
export const CarrierInput = Type.Object({ name: name(), kind: name(), settings });
export const CarrierChange = Type.Object({ settings: Optional(settings), disabled: Optional(Type.Boolean()) });

const change = {
  pace: Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
  campaign: Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: stringLengthMax })),
};
/** A number is known by its advisor, so that no address has a number in it. */
export const NumberParams = Type.Object({ advisorId: Id() });
export const NumberInput = Type.Object({
  number: Type.String({ pattern: e164Pattern }),
  carrier: name(),
  ...change,
});
export const NumberChange = Type.Object({ carrier: Optional(name()), ...change });
