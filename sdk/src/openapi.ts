// Generated from openapi.json by `npm run generate`.

export interface paths {
    "/text/messaging/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description The status of the advisor’s texts, newest first; filters are combined. Consent requests and confirmations are not among them.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send message
         * @description Sends or schedules a text, with an outcome for each recipient. An unknown number becomes a contact; an existing contact is never changed.
         *
         *     Scope `text.messaging.write`: send and schedule texts, send consent requests.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/messages/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check message
         * @description What a send with this body would do for each recipient, and why. Nothing is done: no contact is created, and an `Idempotency-Key` is not spent.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        post: operations["checkMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get message status
         * @description Scope `text.messaging.read`: read texting status.
         */
        get: operations["getMessageStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/consent-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request consent
         * @description Sends consent-request texts. If one number has already accepted, the whole request is refused before anything is done.
         *
         *     Scope `text.messaging.write`: send and schedule texts, send consent requests.
         */
        post: operations["requestConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get consent status
         * @description After a consent request, poll every 30 seconds for 5 minutes, then every 5 minutes, for 24 hours; or use `wait` to hold the response while the state is `pending`.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        get: operations["getConsentStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/consents/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search consents
         * @description The consent state of up to 1,000 numbers at once. Nothing is done: an `Idempotency-Key` is not spent.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        post: operations["searchConsents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/scheduled-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scheduled messages
         * @description Scope `text.messaging.read`: read texting status.
         */
        get: operations["listScheduledMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/scheduled-messages/{scheduledMessageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get scheduled message
         * @description In any status: still scheduled, or what became of it.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        get: operations["getScheduledMessage"];
        /**
         * Update scheduled message
         * @description Changes the text, the date or the frequency of a message that is still scheduled, through the same checks as a send. If the person can’t be texted, it is a 400 with the failure’s code as `rule`.
         *
         *     Scope `text.messaging.write`: send and schedule texts, send consent requests.
         */
        put: operations["updateScheduledMessage"];
        post?: never;
        /**
         * Cancel scheduled message
         * @description Scope `text.messaging.write`: send and schedule texts, send consent requests.
         */
        delete: operations["cancelScheduledMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/text/messaging/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description What happened, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request, and none is skipped. With `wait`, an empty response waits for an event.
         *
         *     Scope `text.messaging.read`: read texting status.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search contacts
         * @description Scope `core.contacts.read`: read contacts and contact groups.
         */
        get: operations["searchContacts"];
        put?: never;
        /**
         * Create contact
         * @description Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/contacts/{contactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get contact
         * @description Scope `core.contacts.read`: read contacts and contact groups.
         */
        get: operations["getContact"];
        /**
         * Update contact
         * @description Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        put: operations["updateContact"];
        post?: never;
        /**
         * Delete contact
         * @description The contact disappears from searches and groups. Its archive and consent stay with the number.
         *
         *     Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contact changes
         * @description What changed in the address book, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request. Changes that a later one has overtaken may be left out, the last one never.
         *
         *     Scope `core.contacts.read`: read contacts and contact groups.
         */
        get: operations["listContactChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/contacts/{contactId}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace memberships
         * @description The contact becomes a member of exactly these groups. If a group id is unknown, nothing changes.
         *
         *     Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        put: operations["replaceMemberships"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search groups
         * @description Scope `core.contacts.read`: read contacts and contact groups.
         */
        get: operations["searchGroups"];
        put?: never;
        /**
         * Create group
         * @description Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/contact/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete group
         * @description Its members stay.
         *
         *     Scope `core.contacts.write`: create, update and delete contacts and groups.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/content/library/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search content
         * @description Items published for everyone and for the advisor’s firm. With a search text the best match comes first; otherwise they are sorted by title.
         *
         *     Scope `core.content.read`: read content library items.
         */
        get: operations["searchContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get account
         * @description The advisor that the access token acts for, their settings for texting, and the token’s scopes.
         *
         *     Any scope.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/enumerations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List enumerations
         * @description Every numbered value with its word.
         *
         *     Any scope.
         */
        get: operations["listEnumerations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "consent.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.changed
         * @description A person’s consent changed.
         */
        post: operations["onConsentChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * message.status
         * @description A text has a new status, after the one that the send answered.
         */
        post: operations["onMessageStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * message.received
         * @description A person texted the advisor. The text is not in it.
         */
        post: operations["onMessageReceived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "scheduled_message.fired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * scheduled_message.fired
         * @description A scheduled message became a text.
         */
        post: operations["onScheduledMessageFired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "scheduled_message.skipped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * scheduled_message.skipped
         * @description A scheduled message was due, but nothing was sent.
         */
        post: operations["onScheduledMessageSkipped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * contact.created
         * @description A contact was created.
         */
        post: operations["onContactCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * contact.updated
         * @description A contact was updated.
         */
        post: operations["onContactUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * contact.deleted
         * @description A contact was deleted.
         */
        post: operations["onContactDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "authorization.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * authorization.ended
         * @description The application can no longer act for the advisor.
         */
        post: operations["onAuthorizationEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.test
         * @description The operator tests the endpoint. It is about no advisor.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** Account */
        Account: {
            /** @description The `advisor_id` of client credentials. */
            advisorId: number;
            /** @description The advisor’s name. */
            name: string;
            firmName: string;
            /** @description The number that texts come from, in E.164. Null if there is none: then nothing can be sent. */
            textingNumber: string | null;
            /** @description The advisor’s IANA time zone, in which schedules repeat. */
            timeZone: string;
            /** @description Whether texts go only to people who have accepted. */
            consentRequired: boolean;
            /** @description Whether consent requests can be sent. */
            consentCollection: boolean;
            /**
             * @description Whether texts at night go out, are deferred until the recipient’s morning, or are refused.
             * @enum {string}
             */
            quietHours: "off" | "defer" | "refuse";
            /** @enum {string} */
            environment: "sandbox" | "production";
            /** @description The scopes of this access token. */
            scopes: components["schemas"]["Scope"][];
        };
        /**
         * Authorization ended webhook
         * @description The application can no longer act for the advisor.
         */
        AuthorizationEndedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "authorization.ended";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                /** @enum {string} */
                reason: "disconnected" | "revoked" | "token_reused" | "unprovisioned";
            };
        };
        /** Broken rule */
        BrokenRule: {
            /** @description Where, as a JSON pointer: `/phoneNumbers/3`. A parameter is `/` and its name. */
            path: string;
            /** @description Which rule, such as `required` or `maxLength`. */
            rule: string;
            /** @description A sentence for people. */
            message: string;
        };
        /**
         * Changed contact
         * @description With the contact as it is now; a deleted one is gone.
         */
        ChangedContact: {
            contactId: number;
            /** @enum {string} */
            change: "created" | "updated" | "deleted";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            contact?: components["schemas"]["ContactDetail"];
        };
        /**
         * Consent changed event
         * @description A person’s consent changed.
         */
        ConsentChangedEvent: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "consent.changed";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            data: {
                memberId: number;
                /** @description In E.164. */
                phone: string;
                /** @enum {string} */
                state: "none" | "pending" | "accepted" | "opted_out";
                /** @enum {string} */
                previousState: "none" | "pending" | "accepted" | "opted_out";
            };
        };
        /**
         * Consent changed webhook
         * @description A person’s consent changed.
         */
        ConsentChangedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "consent.changed";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                memberId: number;
                /** @description In E.164. */
                phone: string;
                /** @enum {string} */
                state: "none" | "pending" | "accepted" | "opted_out";
                /** @enum {string} */
                previousState: "none" | "pending" | "accepted" | "opted_out";
            };
        };
        /**
         * Consent request
         * @description `null` is the same as leaving a field out.
         */
        ConsentRequest: {
            /**
             * @description In E.164; duplicates are ignored.
             * @example [
             *       "+15005550006"
             *     ]
             */
            phoneNumbers: string[];
        };
        /** Consent request result */
        ConsentRequestResult: {
            /** @description One for each number that was sent a request. */
            successes: components["schemas"]["ConsentRequestSuccess"][];
            /** @description One sentence for each number that was not, for people to read. */
            failures: string[];
            /** @description The same failures, with stable codes. */
            failureDetails: components["schemas"]["FailureDetail"][];
        };
        /** Consent request success */
        ConsentRequestSuccess: {
            /** @description In E.164. */
            phone: string;
            memberId: number | null;
            consentState: components["schemas"]["ConsentState"] | null;
        };
        /** Consent search */
        ConsentSearch: {
            /**
             * @description In E.164; duplicates are ignored.
             * @example [
             *       "+15005550006"
             *     ]
             */
            phoneNumbers: string[];
        };
        /** Consent search item */
        ConsentSearchItem: {
            /** @description In E.164. */
            phone: string;
            memberId: number | null;
            state: components["schemas"]["ConsentState"] | null;
            lastChanged: number | null;
        };
        /** Consent search result */
        ConsentSearchResult: {
            /** @description One for each number, in the order given. `memberId`, `state` and `lastChanged` are null if no contact owns the number. */
            data: components["schemas"]["ConsentSearchItem"][];
        };
        /**
         * Consent state
         * @description Consent state; `opted_out` means that the person said stop.
         * @enum {string}
         */
        ConsentState: "none" | "pending" | "accepted" | "opted_out";
        /** Consent status */
        ConsentStatus: {
            memberId: number;
            state: components["schemas"]["ConsentState"];
            /** @description When the state last changed, in epoch milliseconds; for `none`, when the number became known. */
            lastChanged: number;
        };
        /**
         * Contact change
         * @description Replaces the fields that are given and keeps the others. `null` or `""` clears an optional field; `firstName` and `lastName` can’t be cleared.
         */
        ContactChange: {
            /**
             * @description Trimmed.
             * @example Ann
             */
            firstName?: string;
            /**
             * @description Trimmed.
             * @example Smith
             */
            lastName?: string;
            /** @example ann@example.org */
            emailAddress?: string | null;
            /** @example Annie */
            nickname?: string | null;
            /**
             * Format: date
             * @example 1961-07-14
             */
            birthDate?: string | null;
            /**
             * @description In E.164.
             * @example +12125550123
             */
            phone?: string | null;
            /**
             * Format: date
             * @example 2019-03-01
             */
            clientAnniversary?: string | null;
            /**
             * @description 0 unknown, 1 male, 2 female, 3 non-binary
             * @example 0
             * @enum {unknown}
             */
            gender?: 0 | 1 | 2 | 3 | null | "";
            /**
             * @description 0 unknown, 1 single, 2 married, 3 divorced, 4 widowed, 5 separated, 6 life partner
             * @example 0
             * @enum {unknown}
             */
            maritalStatus?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | null | "";
            /** @example 1 Main Street */
            address1?: string | null;
            /** @example Apt 4 */
            address2?: string | null;
            /** @example Springfield */
            city?: string | null;
            /** @example IL */
            state?: string | null;
            /** @example 62701 */
            postalCode?: string | null;
        };
        /** Contact changes */
        ContactChanges: {
            data: components["schemas"]["ChangedContact"][];
            /** @description For the next request. It is there even if `data` is empty. */
            cursor: string;
            /** @description Whether there is more already. */
            more: boolean;
        };
        /**
         * Contact created webhook
         * @description A contact was created.
         */
        ContactCreatedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "contact.created";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                contactId: number;
            };
        };
        /**
         * Contact deleted webhook
         * @description A contact was deleted.
         */
        ContactDeletedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "contact.deleted";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                contactId: number;
            };
        };
        /**
         * Contact detail
         * @description Unset fields are left out.
         */
        ContactDetail: {
            contactId: number;
            /** Format: uuid */
            identifier: string;
            /** @description The contact’s id in the advisor’s CRM, which a lookup there gave. */
            remoteContactId?: string;
            /** @description 0 Manual, 1 Import, 2 API, 3 Texting, 4 Form, 12 HTTPS lookup: a CRM; 10 and 11 are reserved */
            source: number;
            sourceText: string;
            /** @description Whether a lookup in the advisor’s CRM filled it in. */
            isCrmLinkedContact: boolean;
            emailAddress?: string;
            /** @description In E.164. */
            phone?: string;
            firstName?: string;
            lastName?: string;
            nickname?: string;
            /** Format: date */
            birthDate?: string;
            /** Format: date */
            clientAnniversary?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeUnsubscribed?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeCreated: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeModified: string;
            /**
             * @description 0 unknown, 1 male, 2 female, 3 non-binary
             * @enum {integer}
             */
            gender: 0 | 1 | 2 | 3;
            /**
             * @description 0 unknown, 1 single, 2 married, 3 divorced, 4 widowed, 5 separated, 6 life partner
             * @enum {integer}
             */
            maritalStatus: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /**
             * @description 0 None, 1 Subscribed, 2 Unsubscribed, 3 Bounced, 4 Complained, 5 Disabled
             * @enum {integer}
             */
            emailStatus: 0 | 1 | 2 | 3 | 4 | 5;
            disableEmailStatus: boolean;
            address1?: string;
            address2?: string;
            city?: string;
            state?: string;
            postalCode?: string;
            groupIds: number[];
            /** @description Its page there. */
            remoteContactUrl?: string;
            customFields: components["schemas"]["CustomField"][];
        };
        /** Contact input */
        ContactInput: {
            /**
             * @description Trimmed.
             * @example Ann
             */
            firstName: string;
            /**
             * @description Trimmed.
             * @example Smith
             */
            lastName: string;
            /** @example ann@example.org */
            emailAddress?: string | null;
            /** @example Annie */
            nickname?: string | null;
            /**
             * Format: date
             * @example 1961-07-14
             */
            birthDate?: string | null;
            /**
             * @description In E.164.
             * @example +12125550123
             */
            phone?: string | null;
            /**
             * Format: date
             * @example 2019-03-01
             */
            clientAnniversary?: string | null;
            /**
             * @description 0 unknown, 1 male, 2 female, 3 non-binary
             * @example 0
             * @enum {unknown}
             */
            gender?: 0 | 1 | 2 | 3 | null | "";
            /**
             * @description 0 unknown, 1 single, 2 married, 3 divorced, 4 widowed, 5 separated, 6 life partner
             * @example 0
             * @enum {unknown}
             */
            maritalStatus?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | null | "";
            /** @example 1 Main Street */
            address1?: string | null;
            /** @example Apt 4 */
            address2?: string | null;
            /** @example Springfield */
            city?: string | null;
            /** @example IL */
            state?: string | null;
            /** @example 62701 */
            postalCode?: string | null;
        };
        /**
         * Contact summary
         * @description Unset fields are left out.
         */
        ContactSummary: {
            contactId: number;
            /** Format: uuid */
            identifier: string;
            /** @description The phone number, for a contact that texting created. */
            fullName: string;
            firstName?: string;
            lastName?: string;
            email?: string;
            /** @description In E.164. */
            phone?: string;
            /** @description The word: `None`, `Subscribed` … */
            emailStatus: string;
            /**
             * @description 0 Unknown, 1 Deliverable, 2 SoftBounce, 3 HardBounce, 4 Invalid
             * @enum {integer}
             */
            emailAddressDisposition: 0 | 1 | 2 | 3 | 4;
            /** @enum {string} */
            status: "Active" | "Inactive";
            /** @description 0 Manual, 1 Import, 2 API, 3 Texting, 4 Form, 12 HTTPS lookup: a CRM; 10 and 11 are reserved */
            source: number;
            sourceText: string;
            groupCount: number;
            /** @description In the order of the detail’s `groupIds`. */
            groupNames: string[];
            remoteContactId?: string;
            remoteContactUrl?: string;
            isCrmLinkedContact: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeCreated: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeModified: string;
        };
        /**
         * Contact updated webhook
         * @description A contact was updated.
         */
        ContactUpdatedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "contact.updated";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                contactId: number;
            };
        };
        /** Content item */
        ContentItem: {
            title: string;
            url: string;
        };
        /** Custom field */
        CustomField: {
            key: string;
            label: string;
            author: string;
            display: string;
            value: string;
        };
        /** Enumeration value */
        EnumerationValue: {
            value: number;
            text: string;
        };
        /** Enumerations */
        Enumerations: {
            gender: components["schemas"]["EnumerationValue"][];
            maritalStatus: components["schemas"]["EnumerationValue"][];
            source: components["schemas"]["EnumerationValue"][];
            emailStatus: components["schemas"]["EnumerationValue"][];
            emailAddressDisposition: components["schemas"]["EnumerationValue"][];
            frequency: components["schemas"]["EnumerationValue"][];
        };
        /** Event */
        Event: components["schemas"]["ConsentChangedEvent"] | components["schemas"]["MessageStatusEvent"] | components["schemas"]["MessageReceivedEvent"] | components["schemas"]["ScheduledMessageFiredEvent"] | components["schemas"]["ScheduledMessageSkippedEvent"];
        /** Events */
        Events: {
            data: components["schemas"]["Event"][];
            /** @description For the next request. It is there even if `data` is empty. */
            cursor: string;
            /** @description Whether there is more already. */
            more: boolean;
        };
        /**
         * Failure code
         * @enum {string}
         */
        FailureCode: "not_consented" | "consent_pending" | "opted_out" | "unreachable" | "landline" | "quiet_hours" | "text_blocked" | "too_many_waiting";
        /** Failure detail */
        FailureDetail: {
            /** @description In E.164. */
            phone: string;
            memberId: number;
            code: components["schemas"]["FailureCode"];
            /** @description The same sentence as in `failures`. */
            message: string;
            /** @description Whether the same request can succeed later. */
            retryable: boolean;
        };
        /**
         * Failure reason
         * @description Why a text failed, was not delivered or was skipped, and what to do. No other code occurs.
         *
         *     - `not_consented`: The person hasn’t consented to texts from the advisor. Send a consent request, and the text once it is accepted, or send it with `whenConsented`.
         *     - `consent_pending`: The person hasn’t answered the consent request yet. Send the text once it is accepted, or send it with `whenConsented`.
         *     - `consent_lapsed`: A text with `whenConsented` waited 24 hours, and the person didn’t consent. Send it again if it still matters: the person is asked again.
         *     - `opted_out`: The person opted out of texts from the advisor, or the carrier says that they did. Don’t text them. Only they can opt back in, by texting START.
         *     - `unreachable`: The number doesn’t exist, or no text can reach it. Check the number with its owner.
         *     - `landline`: The number is a landline, which can’t receive texts. Use a mobile number.
         *     - `quiet_hours`: It isn’t between 8:00 and 21:00 everywhere that the person may be, and the account refuses texts then. Send it during those hours.
         *     - `text_blocked`: The firm’s supervision rules blocked the text, or a reviewer rejected it. Reword it.
         *     - `too_many_waiting`: Ten texts already wait for the person to consent. Send it again once they have answered.
         *     - `still_held`: The schedule’s text before this one is still held, and this one would be too: both would go out at once. Nothing: once the firm has decided about that text, the schedule goes on at its next date.
         *     - `expired`: The carrier didn’t take the text within its lifetime, 24 hours unless the operator set another. If the status is `undelivered`, part of a long text was sent, and the rest wasn’t. Send it again if it still matters. The operator sees in `assent carriers status` what the carrier lacks.
         *     - `carrier_unavailable`: The carrier failed to take the text, twelve times in a few minutes. Send it again later. If it happens again, contact the operator.
         *     - `rejected`: The carrier refused the text: the texting number isn’t registered for it, for example. Contact the operator. The archive has the carrier’s own code.
         *     - `filtered`: A carrier filtered the text as spam and didn’t deliver it. Reword it, without shortened links for example. If it happens again, contact the operator.
         *     - `undelivered`: The carrier took the text but couldn’t deliver it. The phone may be off or out of reach. Send it again later, or reach the person another way.
         *     - `account_disabled`: The advisor’s account is disabled. Contact the operator.
         *     - `no_texting_number`: The advisor’s account has no texting number. Contact the operator.
         *     - `no_carrier`: The advisor’s texting number has no carrier. Contact the operator.
         *     - `internal_error`: The scheduled message couldn’t be sent because of a fault on our side. Schedule it again. If it happens again, contact the operator.
         * @enum {string}
         */
        FailureReason: "not_consented" | "consent_pending" | "consent_lapsed" | "opted_out" | "unreachable" | "landline" | "quiet_hours" | "text_blocked" | "too_many_waiting" | "still_held" | "expired" | "carrier_unavailable" | "rejected" | "filtered" | "undelivered" | "account_disabled" | "no_texting_number" | "no_carrier" | "internal_error";
        /**
         * Gate
         * @description `code` and `message` are null if it passed. With `possible_opt_out` or `supervision` it only holds the text: if no other gate failed, `deliverable` is true and `status` is `held`.
         */
        Gate: {
            /** @enum {string} */
            gate: "consent" | "opt_out" | "number" | "quiet_hours" | "supervision" | "texting_number";
            passed: boolean;
            /** @enum {string|null} */
            code: "not_consented" | "consent_pending" | "opted_out" | "unreachable" | "landline" | "quiet_hours" | "text_blocked" | "too_many_waiting" | "supervision" | "possible_opt_out" | "no_texting_number" | "no_carrier" | null;
            /** @description What is wrong and what to do. */
            message: string | null;
        };
        /** Group input */
        GroupInput: {
            /**
             * @description Trimmed.
             * @example Retirees
             */
            name: string;
            /**
             * @description Your id for the group. If a group already has it, its id is returned.
             * @example crm-17
             */
            externalGroupId?: string | null;
        };
        /** Group memberships */
        GroupMemberships: {
            /** @description Required unless `isSelectAllGroup` is true. `[]` removes the contact from all groups. */
            groupIds?: number[];
            /** @description Every group that exists now; `groupIds` is ignored. */
            isSelectAllGroup?: boolean;
        };
        /** Group summary */
        GroupSummary: {
            groupId: number;
            externalId?: string;
            name: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeCreated: string;
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeModified: string;
            contactCount: number;
            source: number;
        };
        /** Id result */
        IdResult: {
            id: number;
        };
        /** Message check */
        MessageCheck: {
            /** @description In E.164. */
            phone: string;
            /** @description Null if the number is not known yet. */
            memberId: number | null;
            /** @description Whether a send now would be a success for this recipient. */
            deliverable: boolean;
            /**
             * @description The status that the success would have; null if it would be a failure.
             * @enum {string|null}
             */
            status: "queued" | "held" | "deferred" | "scheduled" | "awaiting_consent" | null;
            /** @description Each judged by itself, in this order. */
            gates: components["schemas"]["Gate"][];
            /** @description When the text would go out, in epoch milliseconds: now, after quiet hours, or at `deliveryDate`. Null if that takes more than time. */
            earliest: number | null;
        };
        /** Message check result */
        MessageCheckResult: {
            /** @description One for each recipient, in the order given. */
            data: components["schemas"]["MessageCheck"][];
        };
        /**
         * Message received event
         * @description A person texted the advisor. The text is not in it.
         */
        MessageReceivedEvent: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "message.received";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            data: {
                memberId: number;
                /** @description In E.164. */
                phone: string;
            };
        };
        /**
         * Message received webhook
         * @description A person texted the advisor. The text is not in it.
         */
        MessageReceivedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "message.received";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                memberId: number;
                /** @description In E.164. */
                phone: string;
            };
        };
        /**
         * Message request
         * @description Needs a recipient: `phone`, `phoneNumbers`, or both, which are combined. `null` is the same as leaving a field out.
         */
        MessageRequest: {
            /**
             * @description Message text, delivered and archived exactly as sent. The first text to a person may get a line after it, with the firm’s name and how to stop: a setting of the firm.
             * @example Your annual review is due. Does Tuesday at 10 suit you?
             */
            text: string;
            /**
             * @description Recipient, in E.164.
             * @example +15005550006
             */
            phone?: string;
            /**
             * @description In E.164; duplicates are ignored.
             * @example [
             *       "+15005550006"
             *     ]
             */
            phoneNumbers?: string[];
            /**
             * @description Requests a scheduled send.
             * @example false
             */
            scheduleDelivery?: boolean;
            /**
             * @description Epoch milliseconds (below 1e11: seconds), in the future, at most 731 days ahead. Needs `scheduleDelivery`; ignored if that is false.
             * @example 1798761600000
             */
            deliveryDate?: number;
            /**
             * @description 0 once, 1 daily, 2 weekly, 3 monthly, 4 yearly
             * @enum {integer}
             */
            frequency?: 0 | 1 | 2 | 3 | 4;
            /**
             * @description If true, a recipient who hasn’t consented gets a consent request, unless one went out in the last 24 hours, and the text waits up to 24 hours for the answer. Not with `scheduleDelivery`.
             * @example true
             */
            whenConsented?: boolean;
        };
        /** Message result */
        MessageResult: {
            /** @description One per accepted recipient. */
            successes: components["schemas"]["MessageSuccess"][];
            /** @description One per recipient that was not accepted, for people to read. */
            failures: string[];
            /** @description The same failures with stable codes. */
            failureDetails: components["schemas"]["FailureDetail"][];
        };
        /** Message status */
        MessageStatus: {
            messageId: number;
            memberId: number;
            /** @description In E.164. */
            phone: string;
            /** @enum {string} */
            status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "in_doubt" | "held" | "awaiting_consent";
            /** @description How many segments the network splits it into. */
            segments: number;
            /** @enum {string} */
            encoding: "GSM-7" | "UCS-2";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTimeCreated: string;
            dateTimeSent: string | null;
            dateTimeDelivered: string | null;
            /** @description Why it `failed` or is `undelivered`; null otherwise. */
            failureCode: components["schemas"]["FailureReason"] | null;
            /** @description Why it is held: the firm’s supervision, or a reply of the person that may mean stop. Null when not held. */
            heldReason: ("supervision" | "possible_opt_out") | null;
        };
        /**
         * Message status event
         * @description A text has a new status, after the one that the send answered.
         */
        MessageStatusEvent: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "message.status";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            data: {
                messageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
                /** @enum {string} */
                status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "in_doubt" | "held" | "awaiting_consent";
                failureCode: components["schemas"]["FailureReason"] | null;
                scheduledMessageId: number | null;
            };
        };
        /**
         * Message status webhook
         * @description A text has a new status, after the one that the send answered.
         */
        MessageStatusWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "message.status";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                messageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
                /** @enum {string} */
                status: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "in_doubt" | "held" | "awaiting_consent";
                failureCode: components["schemas"]["FailureReason"] | null;
                scheduledMessageId: number | null;
            };
        };
        /** Message success */
        MessageSuccess: {
            /** @description Null for scheduled sends. */
            messageId: number | null;
            memberId: number;
            /** @description In E.164. */
            phone: string;
            /** @enum {string} */
            status: "queued" | "held" | "deferred" | "scheduled" | "awaiting_consent";
            /** @description Only if quiet hours defer it: until then, in epoch milliseconds. */
            deliverAfter?: number;
            /** @description Only for scheduled sends. */
            scheduledMessageId?: number;
        };
        /** Page of contacts */
        PageOfContacts: {
            data: components["schemas"]["ContactSummary"][];
            pageInfo: {
                page: number;
                pageSize: number;
                /** @description Number of items on all pages together. */
                totalRecord: number;
                /** @enum {string} */
                sortDirection: "asc" | "desc";
                /** @enum {string} */
                sortBy: "fullName" | "email" | "emailStatus" | "groupCount" | "source" | "dateTimeCreated" | "dateTimeModified";
            };
        };
        /** Page of content */
        PageOfContent: {
            data: components["schemas"]["ContentItem"][];
            pageInfo: {
                page: number;
                pageSize: number;
                /** @description Number of items on all pages together. */
                totalRecord: number;
                /** @enum {string} */
                sortDirection: "asc" | "desc";
                /** @enum {string} */
                sortBy: "relevance" | "title";
            };
        };
        /** Page of groups */
        PageOfGroups: {
            data: components["schemas"]["GroupSummary"][];
            pageInfo: {
                page: number;
                pageSize: number;
                /** @description Number of items on all pages together. */
                totalRecord: number;
                /** @enum {string} */
                sortDirection: "asc" | "desc";
                /** @enum {string} */
                sortBy: "name" | "dateTimeCreated" | "dateTimeModified" | "contactCount";
            };
        };
        /** Page of messages */
        PageOfMessages: {
            data: components["schemas"]["MessageStatus"][];
            pageInfo: {
                page: number;
                pageSize: number;
                /** @description Number of items on all pages together. */
                totalRecord: number;
                /** @enum {string} */
                sortDirection: "asc" | "desc";
                /** @enum {string} */
                sortBy: "dateTimeCreated";
            };
        };
        /** Page of scheduled messages */
        PageOfScheduledMessages: {
            data: components["schemas"]["ScheduledMessage"][];
            pageInfo: {
                page: number;
                pageSize: number;
                /** @description Number of items on all pages together. */
                totalRecord: number;
                /** @enum {string} */
                sortDirection: "asc" | "desc";
                /** @enum {string} */
                sortBy: "deliveryDate";
            };
        };
        /** Problem */
        Problem: {
            /**
             * Format: uri
             * @description A page that explains the code.
             */
            type: string;
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong this time. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            code: components["schemas"]["ProblemCode"];
            /** @description Quote it to support. Also in the header `x-trace-id`. */
            traceId: string;
            /** @description Whether the same request can succeed later. */
            retryable: boolean;
            /** @description For bad input, the rules that it breaks; otherwise an object of facts. */
            details?: components["schemas"]["BrokenRule"][] | {
                [key: string]: unknown;
            };
        };
        /**
         * Problem code
         * @enum {string}
         */
        ProblemCode: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "version_mismatch" | "rate_limited" | "payload_too_large" | "unsupported_media_type" | "downstream_timeout" | "downstream_unavailable" | "internal_error";
        /** Scheduled message */
        ScheduledMessage: {
            scheduledMessageId: number;
            memberId: number;
            /** @description In E.164. */
            phone: string;
            text: string;
            /**
             * @description Epoch milliseconds: the next date while it is scheduled, otherwise the last one.
             * @example 1798761600000
             */
            deliveryDate: number;
            /**
             * @description 0 once, 1 daily, 2 weekly, 3 monthly, 4 yearly
             * @enum {integer}
             */
            frequency: 0 | 1 | 2 | 3 | 4;
            /** @enum {string} */
            status: "scheduled" | "skipped" | "completed" | "canceled";
            /** @description Why it was skipped, or why the last occurrence was if it repeats; null otherwise. */
            reason: components["schemas"]["FailureReason"] | null;
            /** @description The next five, or fewer if there are no more. */
            nextDeliveryDates: number[];
            /** @description The last text that it sent; null before the first one. */
            lastMessageId: number | null;
        };
        /**
         * Scheduled message change
         * @description Replaces the fields that are given and keeps the others. `null` is the same as leaving a field out.
         */
        ScheduledMessageChange: {
            /**
             * @description Message text, delivered and archived exactly as sent. The first text to a person may get a line after it, with the firm’s name and how to stop: a setting of the firm.
             * @example Your annual review is due. Does Tuesday at 10 suit you?
             */
            text?: string;
            /**
             * @description Epoch milliseconds (below 1e11: seconds), in the future, at most 731 days ahead. It repeats from this date on.
             * @example 1798761600000
             */
            deliveryDate?: number;
            /**
             * @description 0 once, 1 daily, 2 weekly, 3 monthly, 4 yearly
             * @enum {integer}
             */
            frequency?: 0 | 1 | 2 | 3 | 4;
        };
        /**
         * Scheduled message fired event
         * @description A scheduled message became a text.
         */
        ScheduledMessageFiredEvent: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "scheduled_message.fired";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            data: {
                scheduledMessageId: number;
                messageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
            };
        };
        /**
         * Scheduled message fired webhook
         * @description A scheduled message became a text.
         */
        ScheduledMessageFiredWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "scheduled_message.fired";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                scheduledMessageId: number;
                messageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
            };
        };
        /**
         * Scheduled message skipped event
         * @description A scheduled message was due, but nothing was sent.
         */
        ScheduledMessageSkippedEvent: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "scheduled_message.skipped";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            data: {
                scheduledMessageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
                reason: components["schemas"]["FailureReason"];
            };
        };
        /**
         * Scheduled message skipped webhook
         * @description A scheduled message was due, but nothing was sent.
         */
        ScheduledMessageSkippedWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "scheduled_message.skipped";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            /** @description Whom the event is about. */
            advisorId: number;
            data: {
                scheduledMessageId: number;
                memberId: number;
                /** @description In E.164. */
                phone: string;
                reason: components["schemas"]["FailureReason"];
            };
        };
        /**
         * Scope
         * @enum {string}
         */
        Scope: "core.contacts.read" | "core.contacts.write" | "core.content.read" | "text.messaging.read" | "text.messaging.write" | "openid" | "offline_access";
        /**
         * Webhook test webhook
         * @description The operator tests the endpoint. It is about no advisor.
         */
        WebhookTestWebhook: {
            /** @description The same wherever and however often you see this event. */
            id: string;
            /** @enum {string} */
            type: "webhook.test";
            /**
             * Format: date-time
             * @example 2026-03-01T17:05:00.000Z
             */
            dateTime: string;
            advisorId: null;
            data: Record<string, never>;
        };
    };
    responses: {
        /**
         * @description `invalid_request`: The request can’t be parsed or breaks a rule: malformed JSON, a missing or wrong field, a phone number that is not in E.164 format, or a consent request for a number that has already accepted.
         *
         *     `version_mismatch`: The path or the `X-API-Version` header asks for a version that this server doesn’t serve.
         */
        InvalidRequest: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthorized`: The access token or the API key is missing, unknown, expired, revoked or for a different environment; the two belong to different applications; or the application or the advisor’s account is disabled. `detail` says which. */
        Unauthorized: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: The access token lacks the scope that this route needs. `detail` names it. */
        Forbidden: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The API key is over its usage plan, or the server is overloaded. Nothing was done. */
        RateLimited: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal_error`: Something went wrong on our side. Nothing was done. */
        InternalError: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `downstream_unavailable`: The database can’t be reached, or it can’t store anything, because its disk is full for example. Nothing was done. */
        DownstreamUnavailable: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `downstream_timeout`: The database took too long. Nothing was done, unless `details.outcome` is `unknown`. */
        DownstreamTimeout: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payload_too_large`: The request body is larger than 256 KiB. */
        PayloadTooLarge: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The body is not `application/json` in UTF-8, or it is compressed. `detail` says which. */
        UnsupportedMediaType: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: There is no such route; no such contact, group, message or scheduled message on the advisor’s account; or no contact owns that phone number. */
        NotFound: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: The advisor’s account is not configured for consent collection, it has no texting number, or no carrier is connected for that number. `detail` says which. */
        Conflict: {
            headers: {
                "x-trace-id": components["headers"]["TraceId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
        ApiVersion: "1" | "v1" | "1.0" | "1.0.0";
        /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
        Traceparent: string;
        /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
        IdempotencyKey: string;
        /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
        SandboxFault: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "version_mismatch" | "rate_limited" | "payload_too_large" | "unsupported_media_type" | "downstream_timeout" | "downstream_unavailable" | "internal_error";
        /** @description The event’s `id`, the same each time it is pushed. */
        WebhookId: string;
        /** @description When it was pushed, in epoch seconds: real time. */
        WebhookTimestamp: number;
        /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
        WebhookSignature: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The trace id of this request.
         * @example 4bf92f3577b34da6a3ce929d0e0e4736
         */
        TraceId: string;
        /**
         * @description The usage plan’s remaining allowance.
         * @example "burst";r=99;t=1
         */
        RateLimit: string;
        /**
         * @description The usage plan’s limits.
         * @example "burst";q=100;w=2
         */
        RateLimitPolicy: string;
        /**
         * @description Seconds to wait.
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description `true` if the response is a replay.
         * @example true
         */
        IdempotentReplayed: string;
        /**
         * @description Names the error if an access token was sent.
         * @example Bearer error="invalid_token"
         */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMessages: {
        parameters: {
            query?: {
                /** @description Page number. */
                page?: number;
                /** @description Items per page. */
                pageSize?: number;
                /** @description Sort field. */
                sortBy?: "dateTimeCreated";
                /** @description Newest first. */
                sortDirection?: "desc";
                /**
                 * @description The recipient, in E.164, with the plus encoded as `%2B`.
                 * @example +15005550006
                 */
                phone?: string;
                /** @description The recipient. If `phone` is given too, both must match. */
                memberId?: number;
                /** @description Texts that this scheduled message sent. */
                scheduledMessageId?: number;
                /**
                 * @description Texts with this status now.
                 * @example delivered
                 */
                status?: "queued" | "sent" | "delivered" | "undelivered" | "failed" | "in_doubt" | "held" | "awaiting_consent";
                /**
                 * @description Texts accepted at or after this time, in RFC 3339.
                 * @example 2020-01-01T00:00:00Z
                 */
                createdSince?: string;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "messageId": 1,
                     *           "memberId": 500004,
                     *           "phone": "+15005550006",
                     *           "status": "delivered",
                     *           "segments": 1,
                     *           "encoding": "GSM-7",
                     *           "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *           "dateTimeSent": "2026-03-01T17:05:00.120Z",
                     *           "dateTimeDelivered": "2026-03-01T17:05:01.480Z",
                     *           "failureCode": null,
                     *           "heldReason": null
                     *         }
                     *       ],
                     *       "pageInfo": {
                     *         "page": 1,
                     *         "pageSize": 25,
                     *         "totalRecord": 1,
                     *         "sortDirection": "desc",
                     *         "sortBy": "dateTimeCreated"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageOfMessages"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone": "+15005550006",
                 *       "text": "Your annual review is due. Does Tuesday at 10 suit you?"
                 *     }
                 */
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "successes": [
                     *         {
                     *           "messageId": 1,
                     *           "memberId": 500004,
                     *           "phone": "+15005550006",
                     *           "status": "queued"
                     *         }
                     *       ],
                     *       "failures": [],
                     *       "failureDetails": []
                     *     }
                     */
                    "application/json": components["schemas"]["MessageResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    checkMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone": "+15005550006",
                 *       "text": "Your annual review is due. Does Tuesday at 10 suit you?"
                 *     }
                 */
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "phone": "+15005550006",
                     *           "memberId": 500004,
                     *           "deliverable": true,
                     *           "status": "queued",
                     *           "gates": [
                     *             {
                     *               "gate": "consent",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             },
                     *             {
                     *               "gate": "opt_out",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             },
                     *             {
                     *               "gate": "number",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             },
                     *             {
                     *               "gate": "quiet_hours",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             },
                     *             {
                     *               "gate": "supervision",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             },
                     *             {
                     *               "gate": "texting_number",
                     *               "passed": true,
                     *               "code": null,
                     *               "message": null
                     *             }
                     *           ],
                     *           "earliest": 1772384700000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MessageCheckResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    getMessageStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The message’s id.
                 * @example 1
                 */
                messageId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messageId": 1,
                     *       "memberId": 500004,
                     *       "phone": "+15005550006",
                     *       "status": "delivered",
                     *       "segments": 1,
                     *       "encoding": "GSM-7",
                     *       "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *       "dateTimeSent": "2026-03-01T17:05:00.120Z",
                     *       "dateTimeDelivered": "2026-03-01T17:05:01.480Z",
                     *       "failureCode": null,
                     *       "heldReason": null
                     *     }
                     */
                    "application/json": components["schemas"]["MessageStatus"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    requestConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phoneNumbers": [
                 *         "+15005550012"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ConsentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "successes": [
                     *         {
                     *           "phone": "+15005550012",
                     *           "memberId": 500010,
                     *           "consentState": "pending"
                     *         }
                     *       ],
                     *       "failures": [],
                     *       "failureDetails": []
                     *     }
                     */
                    "application/json": components["schemas"]["ConsentRequestResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    getConsentStatus: {
        parameters: {
            query?: {
                /**
                 * @description In E.164, with the plus encoded as `%2B`.
                 * @example +15005550006
                 */
                phone?: string;
                /** @description Instead of `phone`. If both are given, they must agree. */
                memberId?: number;
                /** @description How many seconds to hold the response while the state is `pending`. If too many requests are waiting, it is answered at once. */
                wait?: number;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "memberId": 500004,
                     *       "state": "accepted",
                     *       "lastChanged": 1772384700000
                     *     }
                     */
                    "application/json": components["schemas"]["ConsentStatus"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    searchConsents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phoneNumbers": [
                 *         "+15005550006",
                 *         "+15005550199"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ConsentSearch"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "phone": "+15005550006",
                     *           "memberId": 500004,
                     *           "state": "accepted",
                     *           "lastChanged": 1772384700000
                     *         },
                     *         {
                     *           "phone": "+15005550199",
                     *           "memberId": null,
                     *           "state": null,
                     *           "lastChanged": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConsentSearchResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    listScheduledMessages: {
        parameters: {
            query?: {
                /** @description Page number. */
                page?: number;
                /** @description Items per page. */
                pageSize?: number;
                /** @description Sort field. */
                sortBy?: "deliveryDate";
                /** @description In either direction, ties are sorted by id, ascending, and unset values come last. */
                sortDirection?: "asc" | "desc";
                /** @description Still scheduled, or what happened to it. */
                status?: "scheduled" | "skipped" | "completed" | "canceled";
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "scheduledMessageId": 1,
                     *           "memberId": 500004,
                     *           "phone": "+15005550006",
                     *           "text": "Happy New Year!",
                     *           "deliveryDate": 1798761600000,
                     *           "frequency": 4,
                     *           "status": "scheduled",
                     *           "reason": null,
                     *           "nextDeliveryDates": [
                     *             1798761600000,
                     *             1830297600000,
                     *             1861920000000,
                     *             1893456000000,
                     *             1924992000000
                     *           ],
                     *           "lastMessageId": null
                     *         }
                     *       ],
                     *       "pageInfo": {
                     *         "page": 1,
                     *         "pageSize": 25,
                     *         "totalRecord": 1,
                     *         "sortDirection": "asc",
                     *         "sortBy": "deliveryDate"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageOfScheduledMessages"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    getScheduledMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The scheduled message’s id.
                 * @example 1
                 */
                scheduledMessageId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scheduledMessageId": 1,
                     *       "memberId": 500004,
                     *       "phone": "+15005550006",
                     *       "text": "Happy New Year!",
                     *       "deliveryDate": 1798761600000,
                     *       "frequency": 4,
                     *       "status": "scheduled",
                     *       "reason": null,
                     *       "nextDeliveryDates": [
                     *         1798761600000,
                     *         1830297600000,
                     *         1861920000000,
                     *         1893456000000,
                     *         1924992000000
                     *       ],
                     *       "lastMessageId": null
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduledMessage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    updateScheduledMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The scheduled message’s id.
                 * @example 1
                 */
                scheduledMessageId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Happy New Year, and see you in January!",
                 *       "frequency": 4
                 *     }
                 */
                "application/json": components["schemas"]["ScheduledMessageChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scheduledMessageId": 1,
                     *       "memberId": 500004,
                     *       "phone": "+15005550006",
                     *       "text": "Happy New Year!",
                     *       "deliveryDate": 1798761600000,
                     *       "frequency": 4,
                     *       "status": "scheduled",
                     *       "reason": null,
                     *       "nextDeliveryDates": [
                     *         1798761600000,
                     *         1830297600000,
                     *         1861920000000,
                     *         1893456000000,
                     *         1924992000000
                     *       ],
                     *       "lastMessageId": null
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduledMessage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    cancelScheduledMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The scheduled message’s id.
                 * @example 1
                 */
                scheduledMessageId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description The `cursor` of the response before. Left out: from the start of what is kept.
                 * @example ZXZlbnRzIDEgNDIgaWpoR1JDaDI
                 */
                cursor?: string;
                /** @description Items per response, at most. */
                pageSize?: number;
                /** @description How many seconds to hold the response while there is no event. If too many requests are waiting, it is answered at once. */
                wait?: number;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_1_42",
                     *           "type": "message.status",
                     *           "dateTime": "2026-03-01T17:05:01.480Z",
                     *           "data": {
                     *             "messageId": 1,
                     *             "memberId": 500004,
                     *             "phone": "+15005550006",
                     *             "status": "delivered",
                     *             "failureCode": null,
                     *             "scheduledMessageId": null
                     *           }
                     *         }
                     *       ],
                     *       "cursor": "ZXZlbnRzIDEgNDIgaWpoR1JDaDI",
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["Events"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    searchContacts: {
        parameters: {
            query?: {
                /** @description Page number. */
                page?: number;
                /** @description Items per page. */
                pageSize?: number;
                /** @description Sort field. */
                sortBy?: "fullName" | "email" | "emailStatus" | "groupCount" | "source" | "dateTimeCreated" | "dateTimeModified";
                /** @description In either direction, ties are sorted by id, ascending, and unset values come last. */
                sortDirection?: "asc" | "desc";
                /**
                 * @description Each word matches the beginning of a word in the name or email, or digits of the phone. Any case and accents.
                 * @example pia
                 */
                search?: string;
                /**
                 * @description In E.164, with the plus sign as `%2B`.
                 * @example +15005550006
                 */
                phone?: string;
                /** @description The whole address, in any case; a plus sign in it as `%2B`. */
                email?: string;
                /** @description Members of this group. */
                groupId?: number;
                /** @description The contact’s id in the advisor’s CRM. */
                remoteContactId?: string;
                /**
                 * @description RFC 3339; inclusive.
                 * @example 2026-03-01T17:05:00.000Z
                 */
                modifiedSince?: string;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "contactId": 1,
                     *           "identifier": "5d0f3c52-6c1b-4f0e-8f5e-2a8b1c7d9e40",
                     *           "fullName": "Pia Plain",
                     *           "firstName": "Pia",
                     *           "lastName": "Plain",
                     *           "phone": "+15005550006",
                     *           "emailStatus": "None",
                     *           "emailAddressDisposition": 0,
                     *           "status": "Active",
                     *           "source": 0,
                     *           "sourceText": "Manual",
                     *           "groupCount": 1,
                     *           "groupNames": [
                     *             "Retirees"
                     *           ],
                     *           "isCrmLinkedContact": false,
                     *           "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *           "dateTimeModified": "2026-03-01T17:05:00.000Z"
                     *         }
                     *       ],
                     *       "pageInfo": {
                     *         "page": 1,
                     *         "pageSize": 25,
                     *         "totalRecord": 1,
                     *         "sortDirection": "asc",
                     *         "sortBy": "fullName"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageOfContacts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ann",
                 *       "lastName": "Smith",
                 *       "emailAddress": "ann@example.org",
                 *       "nickname": "Annie",
                 *       "birthDate": "1961-07-14",
                 *       "phone": "+12125550123",
                 *       "clientAnniversary": "2019-03-01",
                 *       "gender": 2,
                 *       "maritalStatus": 2,
                 *       "address1": "1 Main Street",
                 *       "address2": "Apt 4",
                 *       "city": "Springfield",
                 *       "state": "IL",
                 *       "postalCode": "62701"
                 *     }
                 */
                "application/json": components["schemas"]["ContactInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 52
                     *     }
                     */
                    "application/json": components["schemas"]["IdResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    getContact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The contact’s id.
                 * @example 1
                 */
                contactId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "firstName": "Ann",
                     *       "lastName": "Smith",
                     *       "emailAddress": "ann@example.org",
                     *       "nickname": "Annie",
                     *       "birthDate": "1961-07-14",
                     *       "phone": "+12125550123",
                     *       "clientAnniversary": "2019-03-01",
                     *       "gender": 2,
                     *       "maritalStatus": 2,
                     *       "address1": "1 Main Street",
                     *       "address2": "Apt 4",
                     *       "city": "Springfield",
                     *       "state": "IL",
                     *       "postalCode": "62701",
                     *       "contactId": 52,
                     *       "identifier": "0b7e4c1e-8a4f-4d0a-9a51-5f3c6f0e2d11",
                     *       "source": 2,
                     *       "sourceText": "API",
                     *       "isCrmLinkedContact": false,
                     *       "emailStatus": 0,
                     *       "disableEmailStatus": false,
                     *       "groupIds": [
                     *         1
                     *       ],
                     *       "customFields": [],
                     *       "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *       "dateTimeModified": "2026-03-01T17:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ContactDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    updateContact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The contact’s id.
                 * @example 1
                 */
                contactId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "city": "Chicago",
                 *       "address2": null
                 *     }
                 */
                "application/json": components["schemas"]["ContactChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 52
                     *     }
                     */
                    "application/json": components["schemas"]["IdResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    deleteContact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The contact’s id.
                 * @example 1
                 */
                contactId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    listContactChanges: {
        parameters: {
            query?: {
                /**
                 * @description The `cursor` of the response before. Left out: from the start of what is kept.
                 * @example ZXZlbnRzIDEgNDIgaWpoR1JDaDI
                 */
                cursor?: string;
                /** @description Items per response, at most. */
                pageSize?: number;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "contactId": 52,
                     *           "change": "created",
                     *           "dateTime": "2026-03-01T17:05:00.000Z",
                     *           "contact": {
                     *             "firstName": "Ann",
                     *             "lastName": "Smith",
                     *             "emailAddress": "ann@example.org",
                     *             "nickname": "Annie",
                     *             "birthDate": "1961-07-14",
                     *             "phone": "+12125550123",
                     *             "clientAnniversary": "2019-03-01",
                     *             "gender": 2,
                     *             "maritalStatus": 2,
                     *             "address1": "1 Main Street",
                     *             "address2": "Apt 4",
                     *             "city": "Springfield",
                     *             "state": "IL",
                     *             "postalCode": "62701",
                     *             "contactId": 52,
                     *             "identifier": "0b7e4c1e-8a4f-4d0a-9a51-5f3c6f0e2d11",
                     *             "source": 2,
                     *             "sourceText": "API",
                     *             "isCrmLinkedContact": false,
                     *             "emailStatus": 0,
                     *             "disableEmailStatus": false,
                     *             "groupIds": [
                     *               1
                     *             ],
                     *             "customFields": [],
                     *             "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *             "dateTimeModified": "2026-03-01T17:05:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "cursor": "ZXZlbnRzIDEgNDIgaWpoR1JDaDI",
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["ContactChanges"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    replaceMemberships: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The contact’s id.
                 * @example 1
                 */
                contactId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "groupIds": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GroupMemberships"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 52
                     *     }
                     */
                    "application/json": components["schemas"]["IdResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    searchGroups: {
        parameters: {
            query?: {
                /** @description Page number. */
                page?: number;
                /** @description Items per page. */
                pageSize?: number;
                /** @description Sort field. */
                sortBy?: "name" | "dateTimeCreated" | "dateTimeModified" | "contactCount";
                /** @description In either direction, ties are sorted by id, ascending, and unset values come last. */
                sortDirection?: "asc" | "desc";
                /**
                 * @description Each word matches the beginning of a word in the name. Any case and accents.
                 * @example retir
                 */
                search?: string;
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "groupId": 1,
                     *           "externalId": "crm-17",
                     *           "name": "Retirees",
                     *           "dateTimeCreated": "2026-03-01T17:05:00.000Z",
                     *           "dateTimeModified": "2026-03-01T17:05:00.000Z",
                     *           "contactCount": 12,
                     *           "source": 2
                     *         }
                     *       ],
                     *       "pageInfo": {
                     *         "page": 1,
                     *         "pageSize": 25,
                     *         "totalRecord": 1,
                     *         "sortDirection": "asc",
                     *         "sortBy": "name"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageOfGroups"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry for 24 hours: a retry gets the first response. A UUID is a good choice. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Retirees",
                 *       "externalGroupId": "crm-17"
                 *     }
                 */
                "application/json": components["schemas"]["GroupInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 52
                     *     }
                     */
                    "application/json": components["schemas"]["IdResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path: {
                /**
                 * @description The group’s id.
                 * @example 1
                 */
                groupId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    searchContent: {
        parameters: {
            query?: {
                /** @description The type of item. */
                contentType?: "All" | "WebContent" | "Emails" | "SocialPosts" | "Print" | "DownloadContent";
                /**
                 * @description Words to search for, in any case and with any accents. Beginnings of words and small misspellings match too. Finds items with all of the words, or if there are none, with any of them. Only the first four words count, without words like “the”.
                 * @example social security
                 */
                searchText?: string;
                /** @description The same as `searchText`. If both are given, they must be equal. */
                search?: string;
                /** @description Page number. */
                page?: number;
                /** @description Items per page. */
                pageSize?: number;
                /** @description Optional: `relevance` with text, `title` without. Other values are refused. */
                sortBy?: "relevance" | "title";
                /** @description Optional: `desc` with text, `asc` without. Other values are refused. */
                sortDirection?: "asc" | "desc";
            };
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "title": "When should you claim Social Security?",
                     *           "url": "https://library.sandbox.example/articles/social-security-when-to-claim"
                     *         }
                     *       ],
                     *       "pageInfo": {
                     *         "page": 1,
                     *         "pageSize": 25,
                     *         "totalRecord": 1,
                     *         "sortDirection": "desc",
                     *         "sortBy": "relevance"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageOfContent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "advisorId": 1001,
                     *       "name": "Avery Quinn",
                     *       "firmName": "Sandbox Wealth Partners",
                     *       "textingNumber": "+15005551001",
                     *       "timeZone": "America/New_York",
                     *       "consentRequired": true,
                     *       "consentCollection": true,
                     *       "quietHours": "off",
                     *       "environment": "sandbox",
                     *       "scopes": [
                     *         "core.contacts.read",
                     *         "text.messaging.read",
                     *         "text.messaging.write"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    listEnumerations: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that you expect. Any other version is 400 `version_mismatch`. */
                "X-API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Your trace context (W3C): `00-`, 32 hexadecimal digits, `-`, 16 of them, `-01`. The 32 digits become the `traceId`. If it is left out or malformed, the request gets a new one. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description For tests, in the sandbox only: the code of the problem that you want as the response. Nothing is done. */
                "x-sandbox-fault"?: components["parameters"]["SandboxFault"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-trace-id": components["headers"]["TraceId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gender": [
                     *         {
                     *           "value": 0,
                     *           "text": "unknown"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "male"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "female"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "non-binary"
                     *         }
                     *       ],
                     *       "maritalStatus": [
                     *         {
                     *           "value": 0,
                     *           "text": "unknown"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "single"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "married"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "divorced"
                     *         },
                     *         {
                     *           "value": 4,
                     *           "text": "widowed"
                     *         },
                     *         {
                     *           "value": 5,
                     *           "text": "separated"
                     *         },
                     *         {
                     *           "value": 6,
                     *           "text": "life partner"
                     *         }
                     *       ],
                     *       "source": [
                     *         {
                     *           "value": 0,
                     *           "text": "Manual"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "Import"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "API"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "Texting"
                     *         },
                     *         {
                     *           "value": 4,
                     *           "text": "Form"
                     *         },
                     *         {
                     *           "value": 10,
                     *           "text": "CardDAV"
                     *         },
                     *         {
                     *           "value": 11,
                     *           "text": "File"
                     *         },
                     *         {
                     *           "value": 12,
                     *           "text": "HTTPS lookup"
                     *         }
                     *       ],
                     *       "emailStatus": [
                     *         {
                     *           "value": 0,
                     *           "text": "None"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "Subscribed"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "Unsubscribed"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "Bounced"
                     *         },
                     *         {
                     *           "value": 4,
                     *           "text": "Complained"
                     *         },
                     *         {
                     *           "value": 5,
                     *           "text": "Disabled"
                     *         }
                     *       ],
                     *       "emailAddressDisposition": [
                     *         {
                     *           "value": 0,
                     *           "text": "Unknown"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "Deliverable"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "SoftBounce"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "HardBounce"
                     *         },
                     *         {
                     *           "value": 4,
                     *           "text": "Invalid"
                     *         }
                     *       ],
                     *       "frequency": [
                     *         {
                     *           "value": 0,
                     *           "text": "once"
                     *         },
                     *         {
                     *           "value": 1,
                     *           "text": "daily"
                     *         },
                     *         {
                     *           "value": 2,
                     *           "text": "weekly"
                     *         },
                     *         {
                     *           "value": 3,
                     *           "text": "monthly"
                     *         },
                     *         {
                     *           "value": 4,
                     *           "text": "yearly"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Enumerations"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DownstreamUnavailable"];
            504: components["responses"]["DownstreamTimeout"];
        };
    };
    onConsentChanged: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentChangedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageStatus: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageStatusWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageReceived: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageReceivedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onScheduledMessageFired: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduledMessageFiredWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onScheduledMessageSkipped: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduledMessageSkippedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onContactCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCreatedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onContactUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactUpdatedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onContactDeleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactDeletedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAuthorizationEnded: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthorizationEndedWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s `id`, the same each time it is pushed. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description When it was pushed, in epoch seconds: real time. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description As Standard Webhooks says: `v1,` and the HMAC-SHA256 in base64. Two with a space between while the secret is replaced. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestWebhook"];
            };
        };
        responses: {
            /** @description You want no more: the endpoint is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have it. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is pushed again later, for three days. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
