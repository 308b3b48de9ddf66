import { advisorVerbs } from './advisors.ts';
import { applicationVerbs } from './applications.ts';
import { contactVerbs } from './contacts.ts';
import { deploymentVerbs } from './deployment.ts';
import { firmVerbs } from './firms.ts';
import { keyVerbs } from './keys.ts';
import { signingKeyVerbs } from './signing-keys.ts';
import type { Verb } from './verb.ts';

/** Every verb of `assent`, in the order that its help lists them. */
export const verbs: Verb[] = [
  ...deploymentVerbs,
  ...firmVerbs,
  ...advisorVerbs,
  ...applicationVerbs,
  ...keyVerbs,
  ...signingKeyVerbs,
  ...contactVerbs,
];
