import { Type } from 'typebox'
import type { Caller, KeyCaller, PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { ModeShape } from '../../platform/mode.ts'
import { badRequest, Refusal } from '../../platform/refusal.ts'
import { explainInvalidPhone, parsePhone } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { findRail } from '../../rails/find-rail.ts'
import type { WalletHolder } from '../../rails/rail.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'

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

const lookupUnavailable = () =>
  new Refusal(502, 'rail_unavailable', 'account resolution temporarily unavailable - retry shortly', {
    retryAfterSeconds: 5,
  })

/**
 * Looks up a wallet for a merchant like resolveAccount, but writes an audit row before the operator is asked, because it reveals the names of
 * strangers. Throws like it, and 403.
 */
export async function lookUpWallet(app: App, caller: KeyCaller | PersonCaller, phone: string | undefined) {
  allow(caller, 'wallet.look-up')
  const msisdn = parseWallet(phone)
  const { merchantId, mode } = caller
  const act = { actor: caller, action: 'wallet.look-up', at: app.clock.now(), merchantId, mode } as const
  const row = auditRow({ ...act, after: { phone: msisdn } })
  await app.db.query(row.statement, row.values)
  return resolveAccount(app, caller, msisdn)
}

function parseWallet(phone: string | undefined): string {
  if (phone === undefined || phone.trim() === '') throw badRequest('phone query parameter required')
  const msisdn = parsePhone(phone)
  if (msisdn === null) throw badRequest(`phone does not look like a valid MSISDN${explainInvalidPhone(phone)}`)
  return msisdn
}

/** Asks the operator for the holder of a wallet (spec 4.2; G16). Throws 502 without an answer, and never guesses. */
export async function resolveAccount(app: App, { mode }: Caller, phone: string | undefined) {
  const msisdn = parseWallet(phone)
  // The wallet is looked up where a payout to it would go.
  const rail = findRail(app, { mode, channel: DEFAULT_PAYOUT_CHANNEL })
  if (!rail?.lookupAccountHolder) throw lookupUnavailable()
  const holder = await rail
    .lookupAccountHolder(msisdn, app.deadlineIn(LOOKUP_DEADLINE_MS))
    .catch((error): WalletHolder | null => {
      app.log.error({ err: error }, 'a rail threw on a look-up')
      return null
    })
  if (holder === null || holder.active === 'unknown') throw lookupUnavailable()
  return { msisdn, active: holder.active, registered_name: holder.name, mode }
}
