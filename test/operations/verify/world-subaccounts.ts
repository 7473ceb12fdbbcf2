import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../src/api/idempotency/keys.ts'
import { setSubaccountStatus } from '../../../src/payments/subaccounts/set-subaccount-status.ts'
import { call } from '../../../src/platform/db/database.ts'
import type { App } from '../../../src/program/app.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { product, write } from './world-charges.ts'
// Imported so that its statement is registered; `product` finds it by name.
import '../../../src/payments/subaccounts/create-subaccount.ts'

export const PHONE = '256700000008'

/** An active subaccount of merchant 3 with a phone, and the key that made it. */
export async function addSubaccount(app: App, id: string): Promise<void> {
  const at = app.clock.now()
  const fingerprint = fingerprintRequest('POST', '/v1/subaccounts', { id })
  const body = JSON.stringify({ id, payout_phone: PHONE })
  const answer = { status: 201, body, objectId: id }
  const key = { merchantId: 3, mode: 'live' as const, key: `key-${id}`, fingerprint, answer, objectId: id }
  const facts = ['Farm', 'active', null, PHONE, at.toISOString()]
  await write(app.db, ...addKeys([key], at), call(product('add subaccount'), 3, id, ...facts))
}

/** Switches it off: from now on it gets no share. */
export async function putToSleep(app: App, id: string): Promise<void> {
  await setSubaccountStatus(app, BY_HAND, { merchantId: 3, id, status: 'inactive' })
}
