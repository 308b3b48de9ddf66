import type { Verb } from './verb.ts';

/** Verbs that begin with these words. */
type Group = { words: string[]; load(): Promise<Verb[]> };

/** In the order of the help. */
const groups: Group[] = [
  {
    words: ['serve', 'migrate', 'token', 'secrets'],
    load: async () => (await import('./deployment.ts')).deploymentVerbs,
  },
  { words: ['completion'], load: async () => (await import('./completion.ts')).completionVerbs },
  { words: ['doctor', 'status', 'clock'], load: async () => (await import('./operations/verbs.ts')).operationsVerbs },
  { words: ['example'], load: async () => (await import('./sandbox/example.ts')).exampleVerbs },
  { words: ['logs'], load: async () => (await import('./sandbox/logs.ts')).logVerbs },
  { words: ['sandbox'], load: async () => (await import('./sandbox/sandbox.ts')).sandboxVerbs },
  { words: ['firms'], load: async () => (await import('./accounts/firms.ts')).firmVerbs },
  { words: ['staff'], load: async () => (await import('./accounts/staff.ts')).staffVerbs },
  { words: ['advisors'], load: async () => (await import('./accounts/advisors.ts')).advisorVerbs },
  { words: ['carriers'], load: async () => (await import('./carriers/carriers.ts')).carrierVerbs },
  { words: ['numbers'], load: async () => (await import('./carriers/numbers.ts')).numberVerbs },
  { words: ['applications'], load: async () => (await import('./access/applications.ts')).applicationVerbs },
  { words: ['keys'], load: async () => (await import('./access/api-keys.ts')).apiKeyVerbs },
  { words: ['signing-keys'], load: async () => (await import('./access/signing-keys.ts')).signingKeyVerbs },
  { words: ['webhooks'], load: async () => (await import('./webhooks/webhooks.ts')).webhookVerbs },
  { words: ['listen'], load: async () => (await import('./webhooks/listen.ts')).listenVerbs },
  { words: ['trigger'], load: async () => (await import('./sandbox/trigger.ts')).triggerVerbs },
  { words: ['contacts'], load: async () => (await import('./address-book/contacts.ts')).contactVerbs },
  { words: ['content'], load: async () => (await import('./content/content.ts')).contentVerbs },
  { words: ['crm'], load: async () => (await import('./address-book/crm.ts')).crmVerbs },
  { words: ['consents'], load: async () => (await import('./consent/consents.ts')).consentVerbs },
  { words: ['wordings'], load: async () => (await import('./texting/wordings.ts')).wordingVerbs },
  { words: ['texts'], load: async () => (await import('./texting/texts.ts')).textVerbs },
  { words: ['lexicons'], load: async () => (await import('./supervision/lexicons.ts')).lexiconVerbs },
  { words: ['reviews'], load: async () => (await import('./supervision/reviews.ts')).reviewVerbs },
  { words: ['retention', 'archive'], load: async () => (await import('./record-keeping/retention.ts')).retentionVerbs },
  { words: ['holds'], load: async () => (await import('./record-keeping/holds.ts')).holdVerbs },
  { words: ['archive'], load: async () => (await import('./record-keeping/reconciliation.ts')).reconciliationVerbs },
  { words: ['archive'], load: async () => (await import('./archive/archive.ts')).archiveVerbs },
  { words: ['archive'], load: async () => (await import('./record-keeping/archive-export.ts')).archiveExportVerbs },
  { words: ['archive'], load: async () => (await import('./record-keeping/archive-trust.ts')).archiveTrustVerbs },
];

/**
 * Every verb of `assent` in the order of its help, or those that begin with this word. A command loads no others: all of them
 * would take as long as everything else that it loads.
 */
export async function listVerbs(word?: string): Promise<Verb[]> {
  const wanted = groups.filter(({ words }) => word === undefined || words.includes(word));
  const verbs = (await Promise.all(wanted.map(({ load }) => load()))).flat();
  return word === undefined ? verbs : verbs.filter(({ name }) => name.split(' ')[0] === word);
}
