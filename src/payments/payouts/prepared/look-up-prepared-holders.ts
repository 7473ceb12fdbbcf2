import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { mayBeSameName } from '../../../platform/text/same-name.ts'
import type { App } from '../../../program/app.ts'
import { lookUpWallet } from '../resolve-account.ts'
import { getPrepared } from './find-prepared.ts'
import { type PreparedLine, parsePreparedLines } from './prepared-lines.ts'

/** The present holder of the wallet of a prepared line, according to the operator. `says`: how the holder compares with the typed name. */
export type LineHolder = {
  line: number
  /** Null where the operator gives none, or did not answer. */
  name: string | null
  says: 'same' | 'differs' | 'unnamed' | 'no wallet' | 'not heard'
}

// As many names as on a page of a draft.
const MAX_LOOKUPS = 20
const LOOKUPS_AT_ONCE = 4

/** Asks the operator who holds the wallets of the first twenty lines, for the person who decides about them. Must not run while a page is rendered. Throws 404. */
export async function lookUpPreparedHolders(app: App, caller: PersonCaller, id: string): Promise<LineHolder[]> {
  allow(caller, 'wallet.look-up')
  const lines = parsePreparedLines(await getPrepared(app, caller, id)).slice(0, MAX_LOOKUPS)
  const holders: LineHolder[] = []
  for (let at = 0; at < lines.length; at += LOOKUPS_AT_ONCE)
    holders.push(
      ...(await Promise.all(lines.slice(at, at + LOOKUPS_AT_ONCE).map((line) => lookUpLineHolder(app, caller, line)))),
    )
  return holders
}

async function lookUpLineHolder(
  app: App,
  caller: PersonCaller,
  { line, phone, name: typed }: PreparedLine,
): Promise<LineHolder> {
  if (phone === null) return { line, name: null, says: 'not heard' }
  try {
    await app.exactWindows.resolve_account.takeNow(caller, app.clock.nowMs())
    const { active, registered_name: name } = await lookUpWallet(app, caller, phone)
    if (!active) return { line, name, says: 'no wallet' }
    if (name === null) return { line, name, says: 'unnamed' }
    return { line, name, says: typed === null || mayBeSameName(typed, name) ? 'same' : 'differs' }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { line, name: null, says: 'not heard' }
  }
}
