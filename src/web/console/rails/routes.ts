import { checkRails } from '../../../operations/investigation/rail-checks.ts'
import { FLOAT_KINDS, recordFloat } from '../../../operations/reconciliation/float-records.ts'
import { RAIL_SIDES } from '../../../rails/rail.ts'
import { type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { RAILS } from '../texts/rails.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { waitBriefly } from '../wait-briefly.ts'
import { CHECK_RAILS_FORM, RAILS_PATH, RECORD_FLOAT_FORM, showRails } from './rails-page.tsx'

const { checks, floats } = RAILS

// The page waits this long for the checks of the rails; slower checks go on without it.
const CHECK_WAIT_MS = 4000

/** The page of our accounts at operators: their checks, and what was recorded about their wallets. */
export const RAILS_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(RAILS_PATH, showRails, 'console.read'),
  formRoute(CHECK_RAILS_FORM, { submit: submitCheck, showRefused: showRails }),
  formRoute(RECORD_FLOAT_FORM, { submit: submitFloatRecord, showRefused: showRails }),
]

async function submitCheck(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { log } = visit.gateway
  const waiting = { waitMs: CHECK_WAIT_MS, log, failed: 'a check of the rails did not come to its end' }
  const isDone = await waitBriefly(checkRails(visit.gateway, visit.caller), waiting)
  return redirectDone(visit.to(RAILS_PATH), isDone ? checks.done : checks.begun)
}

async function submitFloatRecord(visit: ConsoleVisit, values: FormValues): Promise<SurfaceReply> {
  const { installation = '', note = '' } = values
  const side = RAIL_SIDES.find((choice) => choice === values.side) ?? 'collect'
  const kind = FLOAT_KINDS.find((choice) => choice === values.kind) ?? 'charge'
  const amount = getAmount(values, 'amount')
  await recordFloat(visit.gateway, visit.caller, { installation, side, kind, amount, note })
  return redirectDone(visit.to(RAILS_PATH), floats.done)
}
