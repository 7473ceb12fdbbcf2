import { Type } from 'typebox'
import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { ModeShape } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { readPhone, whyNoPhone } from '../platform/phone.ts'
import { badRequest, Refusal } from '../platform/refusal.ts'
import type { Holder } from '../rails/rail.ts'

export const ResolvedAccountShape = Type.Object(
  {
    msisdn: Type.String({ description: 'digits, country code first' }),
    active: Type.Boolean({ description: 'false is a hard stop: the wallet cannot be paid' }),
    registered_name: Type.Union([Type.String(), Type.Null()]),
    mode: ModeShape,
  },
  { $id: 'ResolvedAccount' },
)

const LOOKUP_DEADLINE_MS = 8000

const away = () =>
  new Refusal(502, 'rail_unavailable', 'account resolution temporarily unavailable - retry shortly', {
    retryAfterSeconds: 5,
  })

/** The holder of the wallet according to its operator (spec 4.2; G16). Without an answer 502, never a guess. */
export async function resolveAccount(app: App, { mode }: Caller, phone: string | undefined) {
  if (phone === undefined || phone.trim() === '') throw badRequest('phone query parameter required')
  const msisdn = readPhone(phone)
  if (msisdn === null) throw badRequest(`phone does not look like a valid MSISDN${whyNoPhone(phone)}`)
  const rail = app.rails[mode].op1_momo
  assert(mode === 'test' || !rail?.simulated, 'a live question never meets a simulated rail')
  if (!rail?.lookupAccountHolder) throw away()
  const holder = await rail
    .lookupAccountHolder(msisdn, app.deadlineIn(LOOKUP_DEADLINE_MS))
    .catch((error): Holder | null => {
      app.log.error({ err: error }, 'a rail threw on a look-up')
      return null
    })
  if (holder === null || holder.active === 'unknown') throw away()
  return { msisdn, active: holder.active, registered_name: holder.name, mode }
}
