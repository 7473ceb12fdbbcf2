import type { Actor, CallerMerchant, KeyCaller, PersonCaller, StaffCaller } from '../../../src/api/access/actor.ts'

/** A person on the command line. */
export const BY_HAND = { kind: 'command', name: 'tester', origin: 'test', requestId: null } satisfies Actor

/** The owner of this merchant, who has just used the second factor. */
export const owner = (place: CallerMerchant): PersonCaller => ({
  ...{ merchantId: place.merchantId, tag: place.tag, cell: place.cell, mode: place.mode },
  ...{ kind: 'person', role: 'owner', name: 'owner', factorAgeMs: 0, origin: 'test', requestId: null },
  ...{ personId: 1, sessionId: 'ses_test', confirmed: true, heldUntil: null, refundLimit: null },
})

/** A customer on a hosted page. */
export const CUSTOMER = { kind: 'public', name: 'customer', origin: '::1', requestId: null } satisfies Actor

/** A full key of this merchant. */
export const fullKey = (place: CallerMerchant): KeyCaller => ({
  ...{ merchantId: place.merchantId, tag: place.tag, cell: place.cell, mode: place.mode },
  ...{ kind: 'key', scope: 'full', keyId: 'key_test', keyLast4: 'test', origin: '::1', requestId: null },
})

/** Somebody with this role at the merchant; who has the same number is the same person. */
export const worker = (place: CallerMerchant, role: PersonCaller['role'], personId: number): PersonCaller => ({
  ...owner(place),
  ...{ role, personId, name: `${role}${personId}@shops.invalid` },
})

/** An operator who has just given the factor; who has the same number is the same person. */
export const operator = (role: StaffCaller['role'], personId: number): StaffCaller => ({
  ...{ kind: 'operator', name: `${role}${personId}@gateway.invalid`, role, origin: 'test', requestId: null },
  ...{ personId, sessionId: 'ses_test', factorAgeMs: 0 },
})
