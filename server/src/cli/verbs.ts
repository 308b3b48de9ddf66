import { apiKeyVerbs } from './access/api-keys.ts';
import { applicationVerbs } from './access/applications.ts';
import { signingKeyVerbs } from './access/signing-keys.ts';
import { advisorVerbs } from './accounts/advisors.ts';
import { firmVerbs } from './accounts/firms.ts';
import { staffVerbs } from './accounts/staff.ts';
import { contactVerbs } from './address-book/contacts.ts';
import { crmVerbs } from './address-book/crm.ts';
import { archiveVerbs } from './archive/archive.ts';
import { carrierVerbs } from './carriers/carriers.ts';
import { numberVerbs } from './carriers/numbers.ts';
import { consentVerbs } from './consent/consents.ts';
import { contentVerbs } from './content/content.ts';
import { deploymentVerbs } from './deployment.ts';
import { operationsVerbs } from './operations/verbs.ts';
import { archiveExportVerbs } from './record-keeping/archive-export.ts';
import { holdVerbs } from './record-keeping/holds.ts';
import { reconciliationVerbs } from './record-keeping/reconciliation.ts';
import { retentionVerbs } from './record-keeping/retention.ts';
import { lexiconVerbs } from './supervision/lexicons.ts';
import { reviewVerbs } from './supervision/reviews.ts';
import { textVerbs } from './texting/texts.ts';
import { wordingVerbs } from './texting/wordings.ts';
import type { Verb } from './verb.ts';
import { webhookVerbs } from './webhooks/webhooks.ts';

/** Every verb of `assent`, in the order of its help. */
export const verbs: Verb[] = [
  ...deploymentVerbs,
  ...operationsVerbs,
  ...firmVerbs,
  ...staffVerbs,
  ...advisorVerbs,
  ...carrierVerbs,
  ...numberVerbs,
  ...applicationVerbs,
  ...apiKeyVerbs,
  ...signingKeyVerbs,
  ...webhookVerbs,
  ...contactVerbs,
  ...contentVerbs,
  ...crmVerbs,
  ...consentVerbs,
  ...wordingVerbs,
  ...textVerbs,
  ...lexiconVerbs,
  ...reviewVerbs,
  ...retentionVerbs,
  ...holdVerbs,
  ...reconciliationVerbs,
  ...archiveVerbs,
  ...archiveExportVerbs,
];
