import { type Actor, someone } from '../actors/actor.ts'
import type { Realm } from './accounts.ts'

/** Somebody in front of a page that needs no session: to sign up, to sign in, to open a link. */
export type Visitor = {
  /** Whose pages they are: what stands there is about people of this realm alone. */
  realm: Realm
  /** The client's address. */
  origin: string
  agent: string
  requestId: string | null
  /** The cookies of the browser: its session, and the mark of one that has signed in before. */
  token: string | null
  browser: string | null
}

/** Who acts, as the table of actions and the audit know it; the name of the account where it is known by now. */
export const visitorActor = ({ origin, requestId }: Visitor, email?: string): Actor => ({
  ...someone('visitor', { origin, requestId }),
  ...(email === undefined ? {} : { name: email }),
})

// As many characters as the table keeps; the rest of a long name of a browser says nothing.
const AGENT_CHARACTERS = 200
const ADDRESS_CHARACTERS = 64

export const agentOf = ({ agent }: Visitor): string =>
  // A lone surrogate or NUL cannot be stored.
  agent.replace(/[^\x20-\x7e]/g, '').slice(0, AGENT_CHARACTERS)
export const addressOf = ({ origin }: Visitor): string => origin.slice(0, ADDRESS_CHARACTERS)
