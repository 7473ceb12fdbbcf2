import { type Actor, publicActor } from '../../../api/access/actor.ts'
import type { Realm } from '../accounts.ts'

/** The person at a page that needs no session: to sign up, to sign in, to open a link. */
export type Visitor = {
  /** The realm of the page: it concerns only people of this realm. */
  realm: Realm
  /** The client's address. */
  origin: string
  agent: string
  requestId: string | null
  /** The cookies of the browser: of its session, and the mark of a browser that has signed in before. */
  token: string | null
  browser: string | null
}

/** Makes the actor for the table of actions and the audit, named by the account where it is known by now. */
export const visitorActor = ({ origin, requestId }: Visitor, email?: string): Actor => ({
  ...publicActor('visitor', { origin, requestId }),
  ...(email === undefined ? {} : { name: email }),
})

// The lengths that the table allows; the rest of a long browser name tells nothing.
const AGENT_CHARACTERS = 200
const ADDRESS_CHARACTERS = 64

export const cleanAgent = ({ agent }: Visitor): string =>
  // A lone surrogate or NUL cannot be stored.
  agent.replace(/[^\x20-\x7e]/g, '').slice(0, AGENT_CHARACTERS)
export const clientAddressOf = ({ origin }: Visitor): string => origin.slice(0, ADDRESS_CHARACTERS)
