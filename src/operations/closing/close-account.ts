import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow, auditRows } from '../../api/access/audit-row.ts'
import { beginClosing, openAccount } from '../../merchants/account/account-state.ts'
import { directoryChanged } from '../../merchants/account/authenticate.ts'
import { findMerchantNamed, type Merchant } from '../../merchants/account/merchant.ts'
import { closedMerchant, lockMerchant } from '../../merchants/account/set-merchant.ts'
import { pauseAllSchedules } from '../../payments/scheduled-payouts/pause-all.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { notifyAccountOwners } from './notify-account-owners.ts'

/**
 * Begins to close an account. From this commit on it takes no money in either mode and its schedules are paused; open payments still
 * finish, and its money is paid out (`close-accounts`). `says`: the text that staff give to the merchant's people. Throws Refusal.
 */
export async function closeAccount(
  app: App,
  actor: Actor,
  { merchant, says = null }: { merchant: Merchant; says?: string | null },
): Promise<Merchant> {
  allow(asLiveActor(actor), 'merchant.close', merchant.id)
  const by = actor.kind === 'person' ? ('owner' as const) : ('operator' as const)
  const changed = await changeClosing(app, merchant, async (tx, before, at) => {
    if (before.account === 'closing') throw new Refusal(409, 'conflict', 'this account is being closed already')
    if (!before.active && by === 'owner') throw accountSwitchedOff()
    const { id: merchantId, publicId } = before
    const paused = await pauseAllSchedules(tx, merchantId)
    const act = { actor, action: 'merchant.close', at, merchantId, subject: publicId } as const
    const after = { active: false, account: 'closing', by, says }
    const ofSchedules = paused.map(({ id: subject, mode }) => ({
      ...{ actor, action: 'schedule.change' as const, at, merchantId, mode, subject },
      ...{ before: { status: 'active' }, after: { status: 'paused' } },
    }))
    return [
      beginClosing(merchantId, { by, message: says, at }),
      auditRow({ ...act, before: { active: before.active, account: 'open' }, after }),
      ...auditRows(ofSchedules),
    ]
  })
  await notifyAccountOwners(app, changed, 'account-closes')
  app.nudge('close-accounts')
  return changed
}

/** Cancels the closing of an account that is not closed yet: it takes money again, its schedules stay paused. Throws Refusal. */
export async function keepAccountOpen(app: App, actor: Actor, merchant: Merchant): Promise<Merchant> {
  allow(asLiveActor(actor), 'merchant.close', merchant.id)
  return changeClosing(app, merchant, async (_, before, at) => {
    if (before.account !== 'closing') throw new Refusal(409, 'conflict', 'this account is not being closed')
    if (actor.kind === 'person' && before.closingBy !== 'owner') throw closedByStaff()
    const { id: merchantId, publicId: subject } = before
    const act = { actor, action: 'merchant.close', at, merchantId, subject } as const
    const closing = { active: false, account: 'closing' }
    const open = { active: true, account: 'open' }
    return [openAccount(merchantId), auditRow({ ...act, before: closing, after: open })]
  })
}

/** Closing is about real money even from a page in test mode, so the rules of live mode apply: a person whose money out is held is refused. */
const asLiveActor = (actor: Actor): Actor => (actor.kind === 'person' ? { ...actor, mode: 'live' } : actor)

type ClosingWrites = (tx: Tx, before: Merchant, at: Date) => Promise<readonly Call[]>

async function changeClosing(app: App, { id, publicId }: Merchant, write: ClosingWrites): Promise<Merchant> {
  const merchantCall = findMerchantNamed(publicId)
  await app.db.transaction(async (tx) => {
    await lockMerchant(tx, id)
    const [[before]] = await tx.send(merchantCall)
    if (!before) throw notFound('merchant')
    if (before.account === 'closed') throw closedMerchant()
    return { value: null, last: await write(tx, before, app.clock.now()) }
  })
  await app.directory.query(directoryChanged().statement)
  app.keyRing.forget()
  const [after] = await app.db.query(merchantCall.statement, merchantCall.values)
  if (!after) throw notFound('merchant')
  return after
}

const accountSwitchedOff = () =>
  domainRefusal('merchant_inactive', 'we have switched this account off: write to us, and we close it')
const closedByStaff = () =>
  new Refusal(403, 'forbidden', 'we are closing this account: write to us if it should stay open')
