import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import type { App } from '../../../../program/app.ts'
import { lookUpWallet } from '../../resolve-account.ts'
import { getDraft } from './draft.ts'
import { parseDraftLines } from './draft-lines.ts'

/** The holder of the wallet of a line according to the operator. `name` is null where it gives none; `unknown` says why the holder is not known. */
export type DraftLineHolder = {
  line: number
  active: boolean | null
  name: string | null
  unknown: string | null
}

const MAX_LOOKUPS = 20
const LOOKUPS_AT_ONCE = 4

/** Asks the operator who holds the wallets of at most twenty lines, from line `from` on. Must not run while a page is rendered. Throws 404. */
export async function lookUpDraftHolders(
  app: App,
  caller: PersonCaller,
  { id, from }: { id: string; from: number },
): Promise<DraftLineHolder[]> {
  allow(caller, 'bulk.draft')
  const lines = await parseDraftLines(await getDraft(app, caller, id))
  const toAsk = lines.filter(({ line, item }) => item.ok && line >= from).slice(0, MAX_LOOKUPS)
  const holders: DraftLineHolder[] = []
  for (let at = 0; at < toAsk.length; at += LOOKUPS_AT_ONCE) {
    const group = toAsk.slice(at, at + LOOKUPS_AT_ONCE)
    holders.push(...(await Promise.all(group.map(({ line, item }) => lookUpLineHolder(app, caller, { line, item })))))
  }
  return holders
}

type HolderQuestion = { line: number; item: { ok: true; phone: string } | { ok: false } }

async function lookUpLineHolder(
  app: App,
  caller: PersonCaller,
  { line, item }: HolderQuestion,
): Promise<DraftLineHolder> {
  const phone = item.ok ? item.phone : undefined
  try {
    await app.exactWindows.resolve_account.takeNow(caller, app.clock.nowMs())
    const { active, registered_name: name } = await lookUpWallet(app, caller, phone)
    return { line, active, name, unknown: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { line, active: null, name: null, unknown: error.message }
  }
}
