import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow, mayDo } from '../../../api/access/allow.ts'
import { NOT_COUNTED } from '../../../api/rate-limits/exact-window.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { acceptRequest } from '../create-payout.ts'
import { openDesk } from '../desk/desk.ts'
import { lockDesk } from '../desk/lock-desk.ts'
import type { NewPayout } from '../new-payout.ts'
import { checkPayoutReadiness, type PayoutReadiness } from '../payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL, type PayoutCreate } from '../payout-request.ts'

type PayoutCheckInput = { caller: PersonCaller; input: PayoutCreate }

/**
 * Judges a payout that a person is about to request, by the rules that will judge it when it is sent, and reserves nothing. A rail that
 * is only away for some time is no reason to refuse it yet. Throws Refusal.
 */
export async function checkPayout(app: App, request: PayoutCheckInput): Promise<void> {
  const { caller } = request
  allow(caller, 'payout.prepare')
  // The second factor is asked for when the payout is sent; the other refusals of this permission, as for held money, come now.
  if (mayDo(caller, 'payout.create')) allow({ ...caller, factorAgeMs: 0 }, 'payout.create')
  const readiness = await checkRequestReadiness(app, request)
  const at = app.clock.now()
  try {
    await app.db.transaction(async (tx) => ({
      value: await judgeWithoutWriting(app, tx, { ...request, readiness, at }),
    }))
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 503)) throw error
  }
}

/** Checks whether the rail can take this payout now. */
export const checkRequestReadiness = (app: App, { caller, input }: PayoutCheckInput): Promise<PayoutReadiness> =>
  checkPayoutReadiness(app, { mode: caller.mode, channel: input.channel ?? DEFAULT_PAYOUT_CHANNEL })

/** Judges and reserves the payout in memory alone: the writes of the desk are never sent. Throws Refusal. */
export async function judgeWithoutWriting(
  app: App,
  tx: Tx,
  { caller, input, readiness, at }: PayoutCheckInput & { readiness: PayoutReadiness; at: Date },
): Promise<NewPayout> {
  const locked = await lockDesk(tx, { merchantModes: [caller], at, own: [], window: NOT_COUNTED })
  const desk = await openDesk(app, tx, { ...locked, at })
  return acceptRequest(app, { caller, input, readiness }, { desk, at })
}
