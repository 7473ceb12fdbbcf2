import type { Gateway } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { Refusal } from '../platform/refusal.ts'
import { signInLimits } from './sign-in-limits.ts'
import {
  accountCounter,
  browserCounter,
  clearCounter,
  knownAmong,
  signInLocked,
  type Taken,
  takeBackTry,
  takeTry,
} from './tries.ts'
import type { Visitor } from './visitor.ts'

// What is tried is counted under the address, except where the browser has signed in before as the very account whose password or code
// is tested (reliability.md A70). Several accounts may claim one address, so the success of one forgives nothing of another.

/** Somebody whose password or code may be tested. */
type Tested = { id: number; confirmed: boolean }

/** A try that was counted: who may be tested now, and the counters that took it. */
export type Try<Who extends Tested = Tested> = { tested: readonly Who[]; taken: readonly Taken[] }

type Trying<Who> = {
  emailKey: string
  visitor: Visitor
  accounts: readonly Who[]
  /** Whoever has the address is meant: nobody may learn from what is counted whether that is one account, another one or none. */
  anybody?: boolean
}

/**
 * Counts a try under each counter under which something is tested. Who is known in this browser is tested even while the address is
 * locked by strangers, and the others while the browser's own counter is. Throws 403 where nobody is left, 429.
 */
export async function beginTry<Who extends Tested>(
  gateway: Gateway,
  { emailKey, visitor, accounts, anybody = false }: Trying<Who>,
): Promise<Try<Who>> {
  const { browser, realm } = visitor
  const ids = accounts.map(({ id }) => id)
  const known = await knownAmong(gateway, browser, ids)
  const own = ids.filter((id) => known.has(id)).map((id) => browserCounter(realm, browser ?? '', id))
  const taken = (await Promise.all(own.map((counter) => takeTry(gateway, counter)))).filter(
    (one) => one !== null,
  )
  const open = new Set(taken.map(({ counter }) => (counter.kind === 'browser' ? counter.personId : 0)))
  // Somebody who has proven the address may learn who else claims it; a claim may not.
  const proven = accounts.some(({ id, confirmed }) => confirmed && known.has(id))
  const strangers = known.size < ids.length || (anybody && !proven)
  const address = strangers ? await takeAtAddress(gateway, visitor, emailKey) : null
  if (taken.length === 0 && (address === null || address instanceof Refusal))
    throw address ?? signInLocked(realm)
  if (address === null || address instanceof Refusal)
    return { tested: accounts.filter(({ id }) => open.has(id)), taken }
  return { tested: accounts.filter(({ id }) => open.has(id) || !known.has(id)), taken: [...taken, address] }
}

/** The counter of the address, or why it takes no try now. */
async function takeAtAddress(
  gateway: Gateway,
  { realm }: Visitor,
  emailKey: string,
): Promise<Taken | Refusal> {
  try {
    await signInLimits(gateway).ofAccount.take(`${realm} ${emailKey}`, gateway.clock.nowMs())
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return error
    throw error
  }
  return (await takeTry(gateway, accountCounter(realm, emailKey))) ?? signInLocked(realm)
}

/**
 * After the right password or code of this account, when nothing more is asked: the misses under its own counter are forgotten, which
 * is that of the address only where the account has proven it. Every other counter gives back this one try.
 */
export function afterRight({ taken }: Try, { id, confirmed }: Tested, at: Date): Call[] {
  const isOwn = ({ counter }: Taken) => counter.kind === 'browser' && counter.personId === id
  const known = taken.some(isOwn)
  return taken.map((taken) => {
    const forgotten = known ? isOwn(taken) : taken.counter.kind === 'account' && confirmed
    return forgotten ? clearCounter(taken.counter, at) : takeBackTry(taken.counter)
  })
}

/** The try was right, and more is asked before misses are forgotten. */
export const tryGivenBack = ({ taken }: Try): Call[] => taken.map(({ counter }) => takeBackTry(counter))
