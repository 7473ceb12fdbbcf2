import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { findStoredAnswer } from '../../../api/idempotency/keys.ts'
import type { App } from '../../../program/app.ts'
import { judgeAndReserve } from '../accept-payout.ts'
import { onceForKey } from '../once-for-key.ts'
import { buildSubaccountPayout, payOutSubaccount, type SubaccountPayout } from '../pay-out-subaccount.ts'
import { presentPayout } from '../payout.ts'
import type { PreparedApproval } from './approve-prepared.ts'
import { prepare } from './prepare-payout.ts'
import { sendOrPrepare } from './request-payout.ts'

/** The stored request of a prepared pay-out of a subaccount: what its approval runs and its approver sees. */
export type SubaccountPayoutRequest = { subaccount: string; amount: number; phone: string; name: string }

type PersonSubaccountRequest = {
  caller: PersonCaller
  subaccountId: string
  amount: number
  key: string
  fingerprint: Buffer
  requestId: string
}

/**
 * Requests a pay-out of a subaccount from the dashboard: creates it where the person may send it alone, else a prepared one for a second
 * person (the prefix of `objectId` tells which). Once for each key, whichever it became. Throws Refusal.
 */
export async function requestSubaccountPayout(app: App, request: PersonSubaccountRequest): Promise<Answer> {
  const { caller, key } = request
  allow(caller, 'subaccount.payout')
  const replay = await findStoredAnswer(app.db, { merchantId: caller.merchantId, mode: caller.mode, key })
  if (replay !== null) return replay
  return sendOrPrepare(
    { caller, note: null },
    () => payOut(app, caller, buildPayout(request)),
    () => preparePayOut(app, request),
  )
}

/** Runs an approved pay-out of a subaccount. */
export const approveSubaccountPayout = (
  app: App,
  { caller, key, fingerprint, prepared }: PreparedApproval,
  { subaccount: subaccountId, amount }: SubaccountPayoutRequest,
): Promise<Answer> =>
  payOut(app, caller, {
    ...buildPayout({ caller, subaccountId, amount, key }),
    approval: { fingerprint, prepared },
  })

const buildPayout = ({
  caller: { merchantId, tag, mode },
  subaccountId,
  amount,
  key,
}: Pick<PersonSubaccountRequest, 'caller' | 'subaccountId' | 'amount' | 'key'>) => ({
  ...{ holder: { merchantId, tag, mode }, subaccountId, amount, key },
})

async function payOut(app: App, caller: PersonCaller, input: SubaccountPayout & { key: string }): Promise<Answer> {
  const payout = await onceForKey(app, { ...input.holder, key: input.key }, (key) =>
    payOutSubaccount(app, caller, { ...input, key }),
  )
  return { status: 201, body: JSON.stringify(presentPayout(payout)), objectId: payout.id }
}

async function preparePayOut(app: App, request: PersonSubaccountRequest): Promise<Answer> {
  const { caller, subaccountId: subaccount, amount, key, fingerprint, requestId } = request
  const wanted = await buildSubaccountPayout(app, buildPayout(request))
  const stored: SubaccountPayoutRequest = { subaccount, amount, ...(await wanted.payee()) }
  const preparing = { caller, key, fingerprint, requestId, note: null, request: stored }
  return prepare(app, { ...preparing, kind: 'subaccount' }, async (tx, at) => {
    const { payout } = await judgeAndReserve(app, tx, { wanted, at })
    return { amount: payout.amount, fees: payout.fee, recipients: 1 }
  })
}
