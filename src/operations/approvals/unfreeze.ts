import type { StaffCaller } from '../../api/access/actor.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { freezeHead } from '../../ledger/book.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import {
  copyFreezeToCells,
  type Freeze,
  lockAccountFreeze,
  lockPlatformFreeze,
  readAccountFreeze,
  readPlatformFreeze,
  thawPlatform,
} from '../../merchants/account/payout-freeze.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App, Gateway } from '../../program/app.ts'
import { type Approval, PLATFORM_TAG } from './approval.ts'
import { askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

/** The subject of approvals and audit rows that concern the platform. */
export const PLATFORM_SUBJECT = 'platform'
const notFrozen = () => domainRefusal('conflict', 'these payouts are not frozen')
const otherFreeze = () =>
  domainRefusal(
    'conflict',
    'these payouts were frozen again, or for another reason: reject this, and ask for the end of that freeze',
  )

const formatTime = (since: Date | null) => since?.toISOString() ?? null

/** Refuses any freeze but the one that was asked about: that one may have ended, or a later one begun, even with the same reason. */
function requireSameFreeze(
  freeze: Freeze | undefined,
  command: { frozen_for: string; frozen_at: string | null },
): { reason: string } {
  if (!freeze || freeze.reason === null) throw notFrozen()
  if (freeze.reason !== command.frozen_for || formatTime(freeze.since) !== command.frozen_at) throw otherFreeze()
  return { reason: freeze.reason }
}

/** Asks to end the platform's freeze. Throws Refusal. */
export async function askUnfreezePlatform(gateway: Gateway, caller: StaffCaller, reason: string): Promise<Approval> {
  const freeze = await readPlatformFreeze(gateway.directory)
  if (freeze.reason === null) throw notFrozen()
  const command = {
    kind: 'unfreeze-platform',
    frozen_for: freeze.reason,
    frozen_at: formatTime(freeze.changedAt),
    reason,
  } as const
  const owner = { db: gateway.directory, clock: gateway.clock, merchantId: 0, tag: PLATFORM_TAG } as const
  return askForApproval(caller, { ...owner, mode: 'live', subject: PLATFORM_SUBJECT, command })
}

/** Asks to end the freeze of one account. Throws Refusal. */
export async function askUnfreezeMerchant(
  app: App,
  caller: StaffCaller,
  { merchant, reason }: { merchant: Merchant; reason: string },
): Promise<Approval> {
  const { id: merchantId, tag, publicId } = merchant
  const freeze = await readAccountFreeze(app, merchantId)
  if (freeze.reason === null) throw notFrozen()
  const command = {
    kind: 'unfreeze-merchant',
    merchant: publicId,
    frozen_for: freeze.reason,
    frozen_at: formatTime(freeze.since),
    reason,
  } as const
  const owner = { db: app.db, clock: app.clock, merchantId, tag } as const
  return askForApproval(caller, { ...owner, mode: 'live', subject: publicId, command })
}

/** Ends the freeze that was meant, and no later one. */
export const UNFREEZE_MERCHANT: Effect<'unfreeze-merchant'> = {
  async run({ tx, actor, merchantId, approval, command, at }) {
    const [[freeze]] = await tx.send(lockAccountFreeze(merchantId))
    const act = { actor, action: 'payouts.unfreeze', at, merchantId, mode: 'live' } as const
    const [before, after] = [requireSameFreeze(freeze, command), { reason: null, approval }]
    return [freezeHead(merchantId, 'live', null), auditRow({ ...act, before, after })]
  },
}

/** Ends the freeze in the directory in this commit, in the cells after it; the task `follow-freeze` repairs a cell that was not reached. */
export const UNFREEZE_PLATFORM: Effect<'unfreeze-platform'> = {
  async run({ tx, actor, approval, command, at }) {
    const [[freeze]] = await tx.send(lockPlatformFreeze())
    const act = {
      actor,
      action: 'payouts.unfreeze',
      at,
      merchantId: null,
      subject: PLATFORM_SUBJECT,
    } as const
    const [before, after] = [requireSameFreeze(freeze, command), { reason: null, approval }]
    return [thawPlatform(actor, at), auditRow({ ...act, before, after })]
  },
  async afterCommit(gateway) {
    await copyFreezeToCells(gateway).catch((error) => {
      gateway.log.warn({ err: error }, 'a cell was not told yet that payouts run again')
    })
  },
}
