import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { noteWatched } from '../../rails/callbacks.ts'
import type { ChargeStatus } from './charge.ts'
import { bringChargeForward } from './charge-mover.ts'

/** A charge whose page its customer has open. */
type WatchedCharge = { merchantId: number; id: string; mode: Mode; status: ChargeStatus }

/**
 * Has the operator asked at once about a charge whose customer has its page open, though not within two seconds of the last answer and
 * not while such a question is under way (rails.md 4.2). Never throws, because the page is shown in any case.
 */
export async function watchCharge(
  app: App,
  actor: Actor,
  { merchantId, id, mode, status }: WatchedCharge,
): Promise<void> {
  allow(actor, 'charge.watch', merchantId)
  if (mode === 'test' || (status !== 'pending' && status !== 'authorized')) return
  try {
    await noteWatched(app, { merchantId, id, sooner: bringChargeForward })
  } catch (error) {
    app.log.warn({ err: error, object_id: id }, 'a charge that is looked at is asked about by its ladder')
  }
}
