import type { Mode } from '../platform/mode.ts'
import type { Spent } from '../platform/spent.ts'

/** A merchant in one mode: the place where a caller acts. `tag` stands in every id of the merchant. */
export type Place = { merchantId: number; tag: string; cell: string; mode: Mode }

/**
 * From where an act comes: the client's address or the account on the machine; and its request, when it has one. `spent`: where the time
 * of that request goes, for its line in the log.
 */
type Trace = { origin: string; requestId: string | null; spent?: Spent }

/** What an API key may do: a collections key cannot move money out (spec 5.2). */
type KeyActor = Trace & { kind: 'key'; scope: 'full' | 'collections'; keyId: string; keyLast4: string }

export type MerchantRole = 'owner' | 'developer' | 'cashier' | 'accountant' | 'viewer'
export type OperatorRole = 'support' | 'risk' | 'finance' | 'admin'

/** Somebody who has signed in. `factorAgeMs`: how long ago the second factor was given; null when never. */
type SignedIn<Role> = Trace & { name: string; role: Role; factorAgeMs: number | null }

/** Who acts without signing in: an account on the machine, a task of ours, a customer or a machine on a public page. */
type Unsigned = Trace & { kind: 'command' | 'service' | 'public'; name: string }

/** Who calls under an API key, with the request: established from the bearer key alone. */
export type KeyCaller = KeyActor & Place

/** Somebody on the dashboard. */
export type PersonCaller = SignedIn<MerchantRole> &
  Place & {
    kind: 'person'
    personId: number
    /** A device at the counter, which has no login of its own. */
    till?: true
    /** The public id of the session. */
    sessionId: string
    /** Whether the e-mail address was proven. Until then live mode is closed. */
    confirmed: boolean
    /** Until then money out waits (reliability.md A74); null when nothing is held now. */
    heldUntil: Date | null
    /** The largest charge that this person may refund, in whole UGX; null: any. */
    refundLimit: number | null
  }
/** Somebody on the console, or an operator at one merchant. */
export type OperatorCaller = SignedIn<OperatorRole> & {
  kind: 'operator'
  personId: number
  /** The public id of the session. */
  sessionId: string
}

/** Somebody with a session, on whatever surface. */
export type SignedInActor = PersonCaller | OperatorCaller

/** Who does something. Keys and persons act for their own merchant alone. */
export type Actor = KeyCaller | PersonCaller | OperatorCaller | Unsigned

/** An actor at one merchant in one mode. */
export type Caller = KeyCaller | PersonCaller | ((OperatorCaller | Unsigned) & Place)

/** How the audit names an actor: never a whole key. */
export const nameOf = (actor: Actor): string =>
  actor.kind === 'key' ? `${actor.mode} ${actor.scope} key ...${actor.keyLast4}` : actor.name

/** A background task of the service. */
export const service = (name: string): Unsigned => ({ kind: 'service', name, origin: '', requestId: null })

/** Somebody on a public page, a machine or the operator of a rail: known by address alone. */
export const someone = (
  name: 'customer' | 'machine' | 'rail' | 'visitor',
  { origin, requestId = null }: { origin: string; requestId?: string | null },
): Unsigned => ({ kind: 'public', name, origin, requestId })

/** The same actor, at this merchant. */
export const at = <Who extends OperatorCaller | Unsigned>(who: Who, place: Place): Who & Place => ({
  ...who,
  merchantId: place.merchantId,
  tag: place.tag,
  cell: place.cell,
  mode: place.mode,
})
