import type { Call } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import {
  accountCounter,
  browserCounter,
  type CounterTry,
  clearCounter,
  findKnownPeople,
  signInLocked,
  takeBackTry,
  takeTry,
} from './sign-in-counters.ts'
import { signInLimits } from './sign-in-limits.ts'
import type { Visitor } from './visitor.ts'

// Tries are counted under the address, except in a browser that has signed in before as the account whose password or code is tested
// (reliability.md A70). Several accounts may claim one address, so the success of one clears no misses of another.

/** An account whose password or code may be tested. */
type TestedAccount = { id: number; confirmed: boolean }

/** A counted try: the accounts that may be tested now, and the counters that took it. */
export type SignInTry<Who extends TestedAccount = TestedAccount> = {
  tested: readonly Who[]
  taken: readonly CounterTry[]
}

type TryInput<Who> = {
  emailKey: string
  visitor: Visitor
  accounts: readonly Who[]
  /** The caller named only an address: the counting must not reveal which accounts it has, or whether it has any. */
  byAddress?: boolean
}

/**
 * Counts a try under each counter that applies. Accounts known in this browser are tested even while strangers have locked the address,
 * and the other accounts even while the browser's own counter is locked. Throws 403 where no account may be tested, 429.
 */
export async function beginTry<Who extends TestedAccount>(
  gateway: Gateway,
  { emailKey, visitor, accounts, byAddress = false }: TryInput<Who>,
): Promise<SignInTry<Who>> {
  const { browser, realm } = visitor
  const ids = accounts.map(({ id }) => id)
  const known = await findKnownPeople(gateway, browser, ids)
  const own = ids.filter((id) => known.has(id)).map((id) => browserCounter(realm, browser ?? '', id))
  const taken = (await Promise.all(own.map((counter) => takeTry(gateway, counter)))).filter(
    (counterTry) => counterTry !== null,
  )
  const open = new Set(taken.map(({ counter }) => (counter.kind === 'browser' ? counter.personId : 0)))
  // The account that has proven the address may learn who else claims it; a claim may not.
  const proven = accounts.some(({ id, confirmed }) => confirmed && known.has(id))
  const strangers = known.size < ids.length || (byAddress && !proven)
  const address = strangers ? await takeTryAtAddress(gateway, visitor, emailKey) : null
  if (taken.length === 0 && (address === null || address instanceof Refusal)) throw address ?? signInLocked(realm)
  if (address === null || address instanceof Refusal)
    return { tested: accounts.filter(({ id }) => open.has(id)), taken }
  return { tested: accounts.filter(({ id }) => open.has(id) || !known.has(id)), taken: [...taken, address] }
}

/** Counts a try under the address; returns a refusal where its counter takes none now. */
async function takeTryAtAddress(gateway: Gateway, { realm }: Visitor, emailKey: string): Promise<CounterTry | Refusal> {
  try {
    await signInLimits(gateway).ofAccount.take(`${realm} ${emailKey}`, gateway.clock.nowMs())
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return error
    throw error
  }
  return (await takeTry(gateway, accountCounter(realm, emailKey))) ?? signInLocked(realm)
}

/**
 * Settles a right password or code of this account, when nothing more is asked. The account's own counter is cleared: that of the
 * browser, or that of the address where the account has proven it. Every other counter gives back this one try.
 */
export function settleRightTry({ taken }: SignInTry, { id, confirmed }: TestedAccount, at: Date): Call[] {
  const isOwn = ({ counter }: CounterTry) => counter.kind === 'browser' && counter.personId === id
  const known = taken.some(isOwn)
  return taken.map((counterTry) => {
    const { counter } = counterTry
    const isCleared = known ? isOwn(counterTry) : counter.kind === 'account' && confirmed
    return isCleared ? clearCounter(counter, at) : takeBackTry(counter)
  })
}

/** Gives back a right try without clearing the misses, because something more is asked. */
export const giveBackTry = ({ taken }: SignInTry): Call[] => taken.map(({ counter }) => takeBackTry(counter))
