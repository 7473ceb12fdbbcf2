import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Answer } from '../../api/http/answer.ts'
import { type CreatedObject, createUnderOptionalKey, type KeyedRequest } from '../../api/idempotency/under-key.ts'
import { findTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { shortDigest } from '../../platform/text/short-digest.ts'
import type { App } from '../../program/app.ts'
import { presentSubaccount, type Subaccount, type SubaccountCreate } from './subaccount.ts'

/** One POST /v1/subaccounts with a valid body. The key is optional (G57). */
export type SubaccountRequest = KeyedRequest & { given: SubaccountCreate }

const ADD_SUBACCOUNT = statement(
  'add subaccount',
  `insert into subaccounts (merchant_id, id, name, status, external_ref, payout_phone, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

/**
 * Creates a subaccount, or repeats the stored answer of its Idempotency-Key where one was sent (spec 4.5; contract.md 3 h).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createSubaccount(app: App, request: SubaccountRequest): Promise<Answer> {
  allow(request.caller, 'subaccount.create')
  return createUnderOptionalKey(app, request, (tx, at) => makeSubaccount(tx, request, at))
}

async function makeSubaccount(tx: Tx, { caller, given }: SubaccountRequest, at: Date): Promise<CreatedObject> {
  if (given.name === undefined) throw badRequest('subaccount name is required')
  const [[terms]] = await tx.send(findTerms([caller.merchantId]))
  assert(terms, 'a merchant with a key has a row')
  if (!terms.active) throw merchantInactive(terms)
  const subaccount: Subaccount = {
    merchantId: caller.merchantId,
    id: newId('sub_', caller.tag),
    name: given.name,
    status: 'active',
    externalRef: given.external_ref ?? null,
    payoutPhone: given.payout_phone ?? null,
    createdAt: at,
  }
  const { merchantId, id, payoutPhone } = subaccount
  const act = { actor: caller, action: 'subaccount.create', at, merchantId, subject: id } as const
  const row = auditRow({ ...act, after: { payout_phone: payoutPhone, digest: digestPhone(payoutPhone) } })
  return { id, view: presentSubaccount(subaccount), writes: [addSubaccount(subaccount), row] }
}

/** Digest of the phone, which the audit masks; `verify` compares it. */
const digestPhone = (phone: string | null) => (phone === null ? null : shortDigest(phone).toString('hex'))

const addSubaccount = (subaccount: Subaccount): Call =>
  call(
    ADD_SUBACCOUNT,
    subaccount.merchantId,
    subaccount.id,
    subaccount.name,
    subaccount.status,
    subaccount.externalRef,
    subaccount.payoutPhone,
    subaccount.createdAt.toISOString(),
  )
