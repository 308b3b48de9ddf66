/**
 * A bug that breaks one sentence of the rules that the server enforces: `from`, which is in `file` once, becomes `to`. The test
 * `test`, which `npm test` runs, finds it; with `name`, by one of its tests alone.
 */
export type DeliberateFault = {
  rule: string;
  sentence: string;
  file: string;
  from: string;
  to: string;
  test: string;
  name?: string;
};

/** Each is as small as a slip of the hand, and the server still starts: `npm run test:faults` shows that a test finds it. */
export const deliberateFaults: readonly DeliberateFault[] = [
  {
    rule: '1',
    sentence: 'The gate fails closed: no record of consent means no text, as a `failures` entry.',
    file: 'server/src/domain/texting/gate.ts',
    from: "return consentRequired ? ['accepted'] : ['none', 'pending', 'accepted'];",
    to: "return consentRequired ? ['none', 'accepted'] : ['none', 'pending', 'accepted'];",
    test: 'server/test/messages/messages.send.test.ts',
  },
  {
    rule: '1',
    sentence:
      'It runs when a send is accepted and again, with the consent row locked, in the transaction that starts its submission: scheduled, repeated and retried sends outlive the first check.',
    file: 'server/src/store/delivery/claims.ts',
    from: "(kind || ':' || consent_required::text || ':' || m.state)",
    to: "(kind || ':false:' || m.state)",
    test: 'server/test/delivery/dispatches.test.ts',
  },
  {
    rule: '1',
    sentence:
      "No submission begins after that person's STOP was acknowledged, however long the text waited for the carrier's window or pace; only the remaining parts of a long text that has begun may follow.",
    file: 'server/src/domain/delivery/submissions.ts',
    from: 'if (performance.now() > beginBy)',
    to: 'if (performance.now() > beginBy + config.carrierTimeoutMs)',
    test: 'server/test/delivery/dispatcher.test.ts',
    name: 'a text that can’t begin soon after its claim goes back unsent: a STOP may have come',
  },
  {
    rule: '2',
    sentence: '`opted_out` is sticky and blocks every send, also where no consent is required.',
    file: 'server/src/domain/texting/gate.ts',
    from: "return consentRequired ? ['accepted'] : ['none', 'pending', 'accepted'];",
    to: "return consentRequired ? ['accepted'] : consentStates;",
    test: 'server/test/messages/messages.send.test.ts',
    name: 'an opt-out counts even where no consent is required',
  },
  {
    rule: '3',
    sentence:
      'Opt-out words: STOP, STOPALL, STOP ALL, UNSUBSCRIBE, CANCEL, END, QUIT, REVOKE, OPTOUT, OPT OUT, OPT-OUT, REMOVE: the whole message, after NFKC, removal of zero-width characters, trimming of white space and punctuation, any case.',
    file: 'server/src/domain/consent/reading/reply-words.ts',
    from: `fold(decomposed)
    .replace(hidden, '')`,
    to: 'fold(decomposed)',
    test: 'server/test/consent/reply-words.test.ts',
  },
  {
    rule: '4',
    sentence:
      'Wording that may mean stop and may not ("that\'s enough", "wrong number") changes no state, and every text to that person is held (status `held`, reason `possible_opt_out`) until a reviewer decides or the person texts START: it fails safe.',
    file: 'server/src/store/delivery/claims.ts',
    from: `when m.held_since is not null and kind = any ($6::text[]) then 'held'`,
    to: `when m.held_since > $3 and kind = any ($6::text[]) then 'held'`,
    test: 'server/test/consent/possible-opt-outs.test.ts',
    name: 'holds what was queued, deferred or scheduled before it when its turn comes',
  },
  {
    rule: '5',
    sentence:
      "Exactly one confirmation follows an opt-out, with no marketing, within 5 minutes of the person's text or never (so an opt-out that a reviewer decides later sends none); it alone, with HELP answers, goes out to a person who is opted out.",
    file: 'server/src/domain/consent/answers.ts',
    from: 'new Date(arrivedAt.getTime() + confirmationMs)',
    to: 'new Date(deps.clock.now().getTime() + confirmationMs)',
    test: 'server/test/consent/possible-opt-outs.test.ts',
  },
  {
    rule: '6',
    sentence:
      "HELP and INFO are always answered (with the firm's name and how to stop), also when opted out; at most one answer a minute.",
    file: 'server/src/domain/texting/gate.ts',
    from: 'return consentStates;',
    to: "return ['none', 'pending', 'accepted'];",
    test: 'server/test/texting/disabled-accounts.test.ts',
    name: 'a STOP is recorded and confirmed once, and HELP is answered',
  },
  {
    rule: '7',
    sentence: 'YES, Y and ACCEPT count only while a consent request is open; NO is recorded as a decline (opted_out).',
    file: 'server/src/domain/consent/consent-replies.ts',
    from: "if (answersRequest(member, sentAt) && isAfterStops(member, sentAt)) return accept('accepted');",
    to: "if (isAfterStops(member, sentAt)) return accept('accepted');",
    test: 'server/test/consent/consent-machine.test.ts',
  },
  {
    rule: '8',
    sentence:
      "A consent request (its wording is the firm's): any accepted number → 400 before any side effect; an opted-out number is never texted; an account that isn't set up → 409 and no contact is made; no cooldown, but repeats are counted and shown.",
    file: 'server/src/domain/consent/consent-requests.ts',
    from: 'refuseAccepted(given, phones, inOrder(phones, members));',
    to: 'inOrder(phones, members);',
    test: 'server/test/consent/consent-machine.test.ts',
    name: 'an ACCEPT that is written after the first check of a request makes it a 400',
  },
  {
    rule: '9',
    sentence: "Evidence is kept for each change: who, number, wording as shown, channel, the reply's text, when.",
    file: 'server/src/domain/consent/consent-replies.ts',
    from: "reason === 'requested' && dateTime <= sentAt",
    to: "reason === 'requested'",
    test: 'server/test/consent/consent-machine.test.ts',
    name: 'of an answer that crossed a repeated request: the wording that the person had seen',
  },
  {
    rule: '10',
    sentence: 'A carrier that says "this person opted out" (Twilio 21610) makes the state opted_out.',
    file: 'server/src/adapters/carriers/twilio/codes.ts',
    from: "21610: 'opted_out'",
    to: "21610: 'unreachable'",
    test: 'server/test/carriers/http/codes.test.ts',
    name: 'Twilio’s 21610 says that the person opted out, in a response and in a receipt',
  },
  {
    rule: '11',
    sentence:
      'When in doubt the person is protected: a STOP that arrives opts out whatever its stamp; a START, YES or ACCEPT counts only if no STOP arrived after it or is stamped after it; no stamp is later than its arrival; where stamps and arrival disagree, a review is queued.',
    file: 'server/src/domain/consent/consent-replies.ts',
    from: 'return !stoppedAt || sentAt > stoppedAt;',
    to: 'return !stoppedAt || sentAt >= stoppedAt;',
    test: 'server/test/consent/consent-machine.test.ts',
  },
  {
    rule: '11a',
    sentence:
      "Inbound texts, receipts and revocations have capacity of their own: no load on the API delays a STOP by more than a second, and where inbound texts can't be taken, nothing is handed to carriers.",
    file: 'server/src/domain/shared/signals.ts',
    from: 'return nowMs - failedAtMs < failureCountsMs || (oldest',
    to: 'return (oldest',
    test: 'server/test/shared/intake.test.ts',
    name: 'a fault of the database stops texts for a moment, and is to be seen until something gets through',
  },
  {
    rule: '12',
    sentence:
      'Carriers offer no deduplication: commit an attempt before the network call; an attempt whose outcome is unknown is `in_doubt`, visible, and never sent again blindly.',
    file: 'server/src/store/delivery/claims.ts',
    from: "where decision in ('go', 'held')",
    to: "where decision = 'held'",
    test: 'server/test/delivery/dispatches.test.ts',
    name: 'leaves the text in doubt, and nobody sends it again',
  },
  {
    rule: '13',
    sentence: 'Receipts may come before the submit answer, twice, or never.',
    file: 'server/src/store/delivery/receipts.ts',
    from: 'if (unmatched.length > 0) await insertUnmatched(db, unmatched, realNow);',
    to: 'if (unmatched.length > 1) await insertUnmatched(db, unmatched, realNow);',
    test: 'server/test/delivery/dispatches.test.ts',
    name: 'a receipt that comes before the answer is applied with it',
  },
  {
    rule: '14',
    sentence:
      'Segments: GSM-7 160/153, UCS-2 70/67 (`sms-segments-calculator` counted 13 edge cases right; it accepts lone surrogates, so check first).',
    file: 'server/src/domain/texting/segments.ts',
    from: "'UCS-2': { alone: 70, joined: 67 }",
    to: "'UCS-2': { alone: 70, joined: 70 }",
    test: 'server/test/texting/segments.test.ts',
    name: '135 units',
  },
  {
    rule: '16',
    sentence:
      "Repeats keep the advisor's wall-clock time: a time that DST skips moves to the next valid minute, a time that occurs twice fires once.",
    file: 'server/src/domain/messages/recurrence.ts',
    from: "found.toPlainDateTime().equals(wanted) ? null : found.getTimeZoneTransition('next')",
    to: 'null',
    test: 'server/test/messages/recurrence.test.ts',
    name: 'at a time that clocks skip is at the instant of the change',
  },
  {
    rule: '17',
    sentence:
      "The carrier's pace is kept per texting number (messages a second, a setting); what is over it waits, in order, and isn't refused.",
    file: 'server/src/store/texting/pace.ts',
    from: "coalesce(sum(spacing), interval '0') as duration",
    to: "coalesce(max(spacing), interval '0') as duration",
    test: 'server/test/delivery/dispatches.test.ts',
    name: 'takes a slot in the pace when its day has begun, in order and between earlier and later texts',
  },
  {
    rule: '18',
    sentence:
      "The first text to a person names the firm and how to stop, as a line after the text (a setting of the advisor's firm, on in production, off in the sandbox); the archive keeps the text given and the text sent.",
    file: 'server/src/domain/texting/texts.ts',
    from: 'return !text.awaitsConsent && !heldReasonOf(to, text);',
    to: 'return !text.awaitsConsent;',
    test: 'server/test/supervision/supervision.test.ts',
    name: 'has a first text’s line, and so does the next one until the held text has gone out',
  },
  {
    rule: '19',
    sentence: 'A held text goes out only after a named reviewer approves.',
    file: 'server/src/domain/texting/texts.ts',
    from: "if (finding?.action === 'hold') return 'supervision';",
    to: "if (heldSince && finding?.action === 'hold') return 'supervision';",
    test: 'server/test/supervision/supervision.test.ts',
    name: 'and held is a success with status held, is archived, and doesn’t go out on its own',
  },
  {
    rule: '20',
    sentence:
      'Every text in or out, every consent change, every opt-out, every review and every export is an archive entry, written in the transaction that makes it true, numbered densely per advisor (a deleted row is a gap).',
    file: 'server/src/domain/supervision/reviews.ts',
    from: 'await record(deps, review, by, { decision, outcome, note });',
    to: 'if (settle) await record(deps, review, by, { decision, outcome, note });',
    test: 'server/test/supervision/supervision.test.ts',
    name: 'an opt-out in free wording stays one, even if its review is rejected',
  },
  {
    rule: '21',
    sentence:
      'An owner or superuser can get round both: evidence therefore comes from signed checkpoints of a Merkle tree (RFC 6962 hashing, C2SP checkpoint form, Ed25519), also written outside the database.',
    file: 'server/src/domain/examiner/tree.mjs',
    from: '[Buffer.of(0), Buffer.of(1)]',
    to: '[Buffer.of(0), Buffer.of(0)]',
    test: 'server/test/archive/merkle.test.ts',
    name: 'a tree of several leaves has the root that Certificate Transparency publishes for it',
  },
  {
    rule: '23',
    sentence: "Exit 0 intact, 1 altered, 2 incomplete, 3 can't tell.",
    file: 'server/src/domain/archive/archive-verification.ts',
    from: "if (faults.some(({ verdict }) => verdict === 'altered')) return 'altered';",
    to: "if (faults[0]?.verdict === 'altered') return 'altered';",
    test: 'server/test/archive/tampering.test.ts',
    name: 'one that has lost a body is incomplete, and altered if an entry was altered as well',
  },
  {
    rule: '24',
    sentence:
      'Exports: EML in a ZIP with a manifest, and NDJSON with proofs, verifiable offline with the public key alone.',
    file: 'server/src/domain/record-keeping/archive-export.ts',
    from: 'yield rows.map((row, index) => ({ ...row, proof: proofs[index] ?? [], outcome: null }));',
    to: 'yield rows.map((row) => ({ ...row, proof: proofs[row.leaf] ?? [], outcome: null }));',
    test: 'server/test/record-keeping/archive-export-bytes.test.ts',
  },
  {
    rule: '25',
    sentence: "Both credentials on every request, the key bound to the token's application.",
    file: 'server/src/domain/access/callers.ts',
    from: 'if (key.applicationId !== application.applicationId)',
    to: 'if (!key.applicationId)',
    test: 'server/test/access/credentials.test.ts',
  },
  {
    rule: '26',
    sentence: 'A disconnected application stops at once (its grant is denied), not at expiry.',
    file: 'server/src/domain/access/callers.ts',
    from: 'if (ended) return endedToken();',
    to: '',
    test: 'server/test/access/credentials.test.ts',
    name: 'a token with a grant that doesn’t exist is refused',
  },
  {
    rule: '27',
    sentence: "Ids of another advisor answer exactly like ids that don't exist.",
    file: 'server/src/store/address-book/contacts.ts',
    from: `delete from contacts
     where advisor_id = $1 and contact_id = $2`,
    to: `delete from contacts
     where contact_id = $2`,
    test: 'server/test/access/isolation.test.ts',
  },
  {
    rule: '28',
    sentence:
      'Logs carry no phone number, text, token or key: allow-listed fields, proved by a test that greps for canaries.',
    file: 'server/src/log.ts',
    from: 'return { kind: error.constructor.name, code,',
    to: 'return { kind: error.constructor.name, message: error.message, code,',
    test: 'server/test/http/operations.test.ts',
  },
  {
    rule: '29',
    sentence:
      'Pages: `__Host-` cookies where HTTPS, CSRF tokens, a strict CSP with no inline script; API answers `no-store`.',
    file: 'server/src/http/browser/forms.ts',
    from: 'if (kept === null || !matchesHash(token, hashSecret(kept)))',
    to: 'if (kept !== null && !matchesHash(token, hashSecret(kept)))',
    test: 'server/test/http/forms.test.ts',
  },
];
