import type { TimeSpent } from '../../platform/log/spent.ts'
import type { Mode } from '../../platform/mode.ts'

/** The merchant for which a caller acts, in one mode. `tag` stands in every id of the merchant. */
export type CallerMerchant = { merchantId: number; tag: string; cell: string; mode: Mode }

/**
 * Where an act comes from: the client's address or the account on the machine, and its request if it has one. `spent` collects where the
 * time of that request goes, for its line in the log.
 */
type Trace = { origin: string; requestId: string | null; spent?: TimeSpent }

/** What an API key may do: a collections key cannot move money out (spec 5.2). */
type KeyActor = Trace & {
  kind: 'key'
  scope: 'full' | 'collections'
  keyId: string
  keyLast4: string
  /** Whether it may send only so much in a day. */
  limited?: boolean
}

export type MerchantRole = 'owner' | 'developer' | 'cashier' | 'accountant' | 'viewer'
export type StaffRole = 'support' | 'risk' | 'finance' | 'admin'

/** A person who has signed in. `factorAgeMs`: ms since the second factor was given; null if it never was. */
type SignedInPerson<Role> = Trace & { name: string; role: Role; factorAgeMs: number | null }

/** An actor that has not signed in: a command on the machine, a background task, a customer or a vending machine on a public page. */
type UnsignedActor = Trace & { kind: 'command' | 'service' | 'public'; name: string }

/** The caller of an API request, established from the bearer key alone. */
export type KeyCaller = KeyActor & CallerMerchant

/** A person on the dashboard. */
export type PersonCaller = SignedInPerson<MerchantRole> &
  CallerMerchant & {
    kind: 'person'
    personId: number
    /** A device at the counter, which has no login of its own. */
    till?: true
    /** The public id of the session. */
    sessionId: string
    /** Whether the e-mail address is proven. Until then live mode is closed. */
    confirmed: boolean
    /** Money out waits until this time (reliability.md A74); null when it is not held. */
    heldUntil: Date | null
    /** The largest charge that this person may refund, in whole UGX; null: any. */
    refundLimit: number | null
  }
/** A person of our staff: on the console, or acting for one merchant. */
export type StaffCaller = SignedInPerson<StaffRole> & {
  kind: 'operator'
  personId: number
  /** The public id of the session. */
  sessionId: string
}

/** A person with a session, on the dashboard or the console. */
export type SignedInActor = PersonCaller | StaffCaller

/** Whoever acts: an API key, a person, staff, a command, a task or the public. Keys and persons act for their own merchant alone. */
export type Actor = KeyCaller | PersonCaller | StaffCaller | UnsignedActor

/** An actor acting for one merchant in one mode. */
export type Caller = KeyCaller | PersonCaller | ((StaffCaller | UnsignedActor) & CallerMerchant)

/** The name of an actor in the audit; of a key only its last four characters. */
export const actorName = (actor: Actor): string =>
  actor.kind === 'key' ? `${actor.mode} ${actor.scope} key ...${actor.keyLast4}` : actor.name

/** The actor of a background task of the service. */
export const serviceActor = (name: string): UnsignedActor => ({
  kind: 'service',
  name,
  origin: '',
  requestId: null,
})

/** A visitor of a public page, a vending machine, or the operator of a rail: known by address alone. */
export const publicActor = (
  name: 'customer' | 'machine' | 'rail' | 'visitor',
  { origin, requestId = null }: { origin: string; requestId?: string | null },
): UnsignedActor => ({ kind: 'public', name, origin, requestId })

/** This actor, acting for this merchant. */
export const actingFor = <Acting extends StaffCaller | UnsignedActor>(
  actor: Acting,
  merchant: CallerMerchant,
): Acting & CallerMerchant => ({
  ...actor,
  merchantId: merchant.merchantId,
  tag: merchant.tag,
  cell: merchant.cell,
  mode: merchant.mode,
})
