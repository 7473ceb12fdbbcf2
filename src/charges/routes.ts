import { Type } from 'typebox'
import type { App } from '../app.ts'
import { answer, endpoint } from '../http/endpoint.ts'
import { LIST_QUERY, listOf, presentPage, readListWindow } from '../http/lists.ts'
import { assert } from '../platform/assert.ts'
import { CHARGE_STATUSES, ChargeShape, presentCharge } from './charge.ts'
import { ChargeCreateShape } from './charge-request.ts'
import { createCharge } from './create-charge.ts'
import { getCharge, listCharges, readChargeStatus } from './find-charges.ts'

const tag = 'Charges'

export const chargeEndpoints = [
  endpoint<App, typeof ChargeCreateShape>({
    method: 'POST',
    path: '/v1/charges',
    name: 'createCharge',
    summary: 'Collect money from a phone',
    description:
      'The customer gets a PIN prompt (live); a test charge ends a few seconds later. A 201 is never final.',
    tag,
    scope: 'any',
    rate: 'charges',
    rateKind: 'batch',
    idempotency: 'required',
    body: ChargeCreateShape,
    answers: { 201: { description: 'accepted', schema: ChargeShape } },
    refusals: { 502: 'rail_unavailable: nothing was recorded; retry with the same Idempotency-Key' },
    handle(app, { caller, requestId, body, idempotency }) {
      assert(idempotency !== null, 'the frame asks for the key')
      return createCharge(app, { caller, requestId, input: body, ...idempotency })
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/charges',
    name: 'listCharges',
    summary: 'List charges, newest first',
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    query: Type.Object({
      status: Type.Optional(Type.Enum(CHARGE_STATUSES)),
      reference: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String({ description: 'matched on the last 9 digits' })),
      email: Type.Optional(Type.String({ description: 'case does not matter' })),
      ...LIST_QUERY,
    }),
    answers: { 200: { description: 'one page', schema: listOf(ChargeShape) } },
    async handle(app, { caller, query }) {
      const page = await listCharges(app, caller, {
        status: readChargeStatus(query.status),
        ...readListWindow(query),
        reference: query.reference ?? null,
        phone: query.phone ?? null,
        email: query.email ?? null,
      })
      return answer(200, presentPage(page, presentCharge))
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/charges/:id',
    name: 'getCharge',
    summary: 'Read one charge',
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    params: Type.Object({ id: Type.String({ description: 'starts with `txn_`' }) }),
    answers: { 200: { description: 'the charge', schema: ChargeShape } },
    async handle(app, { caller, params }) {
      const charge = await getCharge(app, caller, params.id ?? '')
      return answer(200, presentCharge(charge), charge.id)
    },
  }),
]
