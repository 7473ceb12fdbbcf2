import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { openAccount } from '../../merchants/account/account-state.ts'
import { directoryChanged } from '../../merchants/account/authenticate.ts'
import { findMerchantNamed, type Merchant } from '../../merchants/account/merchant.ts'
import { lockMerchant } from '../../merchants/account/set-merchant.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import type { Approval } from './approval.ts'
import { askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

/** Asks to reopen a closed account. Throws Refusal. */
export async function askReopen(
  app: App,
  caller: StaffCaller,
  { merchant, reason }: { merchant: Merchant; reason: string },
): Promise<Approval> {
  allow(caller, 'merchant.reopen')
  const { id: merchantId, tag, publicId, closedAt, parent } = merchant
  if (closedAt === null) throw notClosed()
  if (parent !== null) throw domainRefusal('conflict', 'this business was made for tests: it stays closed')
  const command = {
    kind: 'reopen-account',
    merchant: publicId,
    closed_at: closedAt.toISOString(),
    reason,
  } as const
  return askForApproval(caller, {
    db: app.db,
    clock: app.clock,
    merchantId,
    tag,
    mode: 'live',
    subject: publicId,
    command,
  })
}

/** Undoes the closing that was meant, not a later one. Keys and sessions stay ended, schedules stay paused. */
export const REOPEN_ACCOUNT: Effect<'reopen-account'> = {
  async run({ tx, actor, merchantId, approval, command, at }) {
    await lockMerchant(tx, merchantId)
    const [[merchant]] = await tx.send(findMerchantNamed(command.merchant))
    if (merchant?.closedAt == null || merchant.closedAt.toISOString() !== command.closed_at) throw notClosed()
    const act = { actor, action: 'merchant.reopen', at, merchantId, subject: command.merchant } as const
    const after = { active: true, account: 'open', approval }
    return [openAccount(merchantId), auditRow({ ...act, before: { active: false, account: 'closed' }, after })]
  },
  async afterCommit(gateway) {
    await gateway.directory.query(directoryChanged().statement)
  },
}

const notClosed = () => domainRefusal('conflict', 'this account is not closed, or it was closed again since')
