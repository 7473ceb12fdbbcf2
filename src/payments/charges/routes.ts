import { Type } from 'typebox'
import { tagEndpoints } from '../../api/http/endpoint.ts'
import { SEARCHED_IN_STEPS } from '../../api/http/lists/list-search.ts'
import { listEndpoint, objectEndpoint, readEndpoint } from '../../api/http/read-endpoints.ts'
import { keyedEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { TIMELINE_QUERY, TimelineShape } from '../exceptions/timeline.ts'
import { type Charge, ChargeShape, presentCharge } from './charge.ts'
import { CHARGE_QUERY, parseChargeQuery } from './charge-filters.ts'
import { ChargeCreateShape } from './charge-request.ts'
import { readChargeTimeline } from './charge-timeline.ts'
import { createCharge } from './create-charge.ts'
import { getCharge, listChargesInSteps } from './find-charges.ts'

export const chargeEndpoints = tagEndpoints('Charges', [
  keyedEndpoint<App, typeof ChargeCreateShape>({
    path: '/v1/charges',
    name: 'createCharge',
    summary: 'Collect money from a phone',
    description: 'The customer gets a PIN prompt (live); a test charge ends a few seconds later. A 201 is never final.',
    action: 'charge.create',
    rate: 'charges',
    rateKind: 'batch',
    body: ChargeCreateShape,
    answers: { 201: { description: 'accepted', schema: ChargeShape } },
    refusals: { 502: 'rail_unavailable: nothing was recorded; retry with the same Idempotency-Key' },
    make: createCharge,
  }),
  listEndpoint<App, Charge>({
    path: '/v1/charges',
    name: 'listCharges',
    summary: 'List charges, newest first',
    description: SEARCHED_IN_STEPS,
    query: CHARGE_QUERY,
    row: ChargeShape,
    list: (app, caller, query) => listChargesInSteps(app, caller, parseChargeQuery(query)),
    present: presentCharge,
  }),
  objectEndpoint<App, Charge>({
    path: '/v1/charges/:id',
    name: 'getCharge',
    summary: 'Read one charge',
    description:
      'As it stands now. Its `status` is final once it is `succeeded`, `failed` or `refunded`; `/timeline` tells how it came there.',
    id: 'starts with `txn_`',
    shape: { description: 'the charge', schema: ChargeShape },
    find: getCharge,
    present: presentCharge,
  }),
  readEndpoint<App>({
    path: '/v1/charges/:id/timeline',
    name: 'getChargeTimeline',
    summary: 'Read what happened to a charge, newest first',
    description:
      'Every question to the operator and its answer, and when it is asked next: why a live charge takes long. Test charges go to no operator.',
    params: Type.Object({ id: Type.String({ description: 'starts with `txn_`' }) }),
    query: TIMELINE_QUERY,
    shape: { description: 'one page, with the time of the next question', schema: TimelineShape },
    read: (app, { caller, params, query }) => readChargeTimeline(app, caller, { id: params.id ?? '', query }),
  }),
])
