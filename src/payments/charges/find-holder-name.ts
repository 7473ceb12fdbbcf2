import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { newSharedAddressWindow, type SharedAddressWindow } from '../../api/rate-limits/shared-address-window.ts'
import { findTerms } from '../../merchants/account/merchant.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App, Gateway } from '../../program/app.ts'
import { findRail } from '../../rails/find-rail.ts'
import { DEFAULT_CHANNEL, type WalletHolder } from '../../rails/rail.ts'

type NameGateway = Pick<Gateway, 'directory' | 'log' | 'addressCounts'>
type NameDesk = { windows: readonly SharedAddressWindow[]; underWay: number }

// As long as somebody at a till waits without wondering.
const LOOKUP_DEADLINE_MS = 2000
// A shop that asks people who stand before it needs no more; whoever collects the names of numbers does.
const MAX_NAMES_AN_HOUR = 60
const HOUR_MS = 3_600_000
/** How many a process asks for at the same time: an operator that is slow to tell names must hold nothing else up. */
const MAX_UNDER_WAY = 4

const desks = new WeakMap<NameGateway['directory'], NameDesk>()

/**
 * Asks the operator for the first name of the person whose phone will be asked for money, so that somebody at the till sees a wrong digit
 * before the prompt. Null wherever it is not told: in test mode, without an answer in two seconds, after 60 in an hour of the business or the
 * person, and to a business that may take no live payments: of those anybody can sign up as many as it takes to collect names. Nothing
 * about it is stored. Throws 403.
 */
export async function findHolderName(
  gateway: NameGateway,
  app: App,
  { caller, phone }: { caller: PersonCaller; phone: string },
): Promise<string | null> {
  allow(caller, 'charge.create')
  const rail = caller.mode === 'live' ? findRail(app, { mode: caller.mode, channel: DEFAULT_CHANNEL }) : undefined
  const desk = openDesk(gateway)
  if (!rail?.lookupAccountHolder || desk.underWay >= MAX_UNDER_WAY) return null
  desk.underWay += 1
  try {
    if (!(await mayCollect(app, caller)) || !(await takeTurn(desk, caller, app.clock.nowMs()))) return null
    const holder = await rail
      .lookupAccountHolder(phone, app.deadlineIn(LOOKUP_DEADLINE_MS))
      .catch((): WalletHolder => ({ active: false, name: null }))
    return holder.active === true ? formatFirstName(holder.name ?? '') : null
  } finally {
    desk.underWay -= 1
  }
}

function openDesk(gateway: NameGateway): NameDesk {
  const { directory, log } = gateway
  const cached = desks.get(directory)
  if (cached) return cached
  const windows = ['names at tills of a business', 'names at tills by a person'].map((what) =>
    newSharedAddressWindow({
      ...{ what, limit: MAX_NAMES_AN_HOUR, windowMs: HOUR_MS, log },
      counts: () => gateway.addressCounts,
    }),
  )
  const desk = { windows, underWay: 0 }
  desks.set(directory, desk)
  return desk
}

async function mayCollect({ db }: App, { merchantId }: PersonCaller): Promise<boolean> {
  const find = findTerms([merchantId])
  const [terms] = await db.query(find.statement, find.values)
  return terms?.active === true && terms.kycStatus === 'verified'
}

/** Counts a look-up of the business and of the person; false where either has had all of this hour. */
async function takeTurn({ windows }: NameDesk, caller: PersonCaller, nowMs: number): Promise<boolean> {
  const keys = [`merchant ${caller.merchantId}`, `person ${caller.personId}`]
  for (const [nth, window] of windows.entries())
    try {
      await window.take(keys[nth] ?? '', nowMs)
    } catch (error) {
      if (error instanceof Refusal && error.status === 429) return false
      throw error
    }
  return true
}

/** The first word of a name. Operators write names in capitals. */
function formatFirstName(name: string): string | null {
  const [first = ''] = name.trim().split(/\s+/)
  const shown = first === first.toUpperCase() ? first.slice(0, 1) + first.slice(1).toLowerCase() : first
  return shown === '' ? null : shown
}
