import { DateTime } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const versionMax = 1_000_000;
/** The domain checks each rule, as it does for the command, and says what is wrong with it. */
const Rules = () => Type.Array(Type.Unsafe<unknown>({}), { maxItems: 1_000 });

export const LexiconQuery = Type.Object({ version: Type.Optional(Type.Integer({ minimum: 0, maximum: versionMax })) });
export const LexiconChange = Type.Object({
  rules: Rules(),
  basedOn: Type.Integer({ minimum: 0, maximum: versionMax }),
});
export const LexiconDraft = Type.Object({ rules: Rules() });
export const LexiconTrial = Type.Object({ rules: Rules(), text: Type.String({ maxLength: 10_000 }) });
export const ReportQuery = Type.Object({ from: DateTime(), until: DateTime() });
