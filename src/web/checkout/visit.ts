import { publicActor } from '../../api/access/actor.ts'
import type { Shop, ShopFinder } from '../../merchants/account/shops.ts'
import type { Mode } from '../../platform/mode.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import type { ParsedFields, PostedFields } from '../parts/forms/fields.ts'
import type { PublicLimits } from './public-limits.ts'
import type { Language, View } from './view.ts'

/** The dependencies of every handler of the hosted pages. */
export type Checkout = {
  /** Throws 503 until the database has been reached. */
  gateway(): Gateway
  shops: ShopFinder
  limits: PublicLimits
  clock: Clock
  /** Whether the service uses https; then its cookies are secure. */
  https: boolean
}

/** One request of a customer's browser, parsed. */
export type CheckoutVisit = {
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  /** The fields of a form; null if there are more than any form has. */
  posted: ParsedFields | null
  fields: PostedFields
  cookies: Map<string, string>
  address: string
  language: Language
  /** Path and query without `lang`. */
  here: string
  /** Whether somebody outside the dashboard opened the page: not its merchant, and no program that looks at links. */
  byCustomer: boolean
  /** Whether a form was sent by one of our own pages. */
  fromOwnPage: boolean
}

/** The reply of a handler; send-reply.ts sends it. */
export type Reply =
  | {
      kind: 'page'
      status: number
      view: View
      shop: Shop | null
      mode: Mode
      /** The address of the page if it differs from the requested one, as for a form that is shown again. */
      here?: string
      cookies?: readonly string[]
      retryAfterSeconds?: number
    }
  | { kind: 'redirect'; to: string; cookies?: readonly string[] }
  | { kind: 'json'; status: number; value: unknown; retryAfterSeconds?: number }
  | { kind: 'file'; type: string; body: Buffer; maxAgeSeconds: number }

/** Makes the caller that operations take for this customer. */
export const newCustomerCaller = ({ address }: CheckoutVisit) => publicActor('customer', { origin: address })

export type Handler = (checkout: Checkout, visit: CheckoutVisit) => Promise<Reply>
