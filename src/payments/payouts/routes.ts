import { Type } from 'typebox'
import { rawEndpoint, tagEndpoints } from '../../api/http/endpoint.ts'
import { SEARCHED_IN_STEPS } from '../../api/http/lists/list-search.ts'
import { listEndpoint, objectEndpoint, readEndpoint } from '../../api/http/read-endpoints.ts'
import { keyedEndpoint } from '../../api/http/write-endpoints.ts'
import { assert } from '../../platform/assert.ts'
import type { App } from '../../program/app.ts'
import { TIMELINE_QUERY, TimelineShape } from '../exceptions/timeline.ts'
import { type BulkBody, BulkPayoutCreateShape, MAX_BULK_BODY_BYTES, parseBulkContent } from './bulk/bulk-body.ts'
import { CSV_EXAMPLE } from './bulk/bulk-csv.ts'
import { createBulk } from './bulk/bulk-payouts.ts'
import { BulkResultShape } from './bulk/present-bulk.ts'
import { createPayout } from './create-payout.ts'
import { getPayout, listPayoutsInSteps } from './find-payouts.ts'
import { type Payout, PayoutShape, presentPayout } from './payout.ts'
import { PAYOUT_QUERY, parsePayoutQuery } from './payout-filters.ts'
import { PayoutCreateShape } from './payout-request.ts'
import { readPayoutTimeline } from './payout-timeline.ts'
import { lookUpWallet, ResolvedAccountShape } from './resolve-account.ts'

export const payoutEndpoints = tagEndpoints('Payouts', [
  keyedEndpoint<App, typeof PayoutCreateShape>({
    path: '/v1/payouts',
    name: 'createPayout',
    summary: 'Send money to a phone',
    description:
      'Amount and fee leave the available balance at once and come back if the payout fails. A 201 is never final.',
    action: 'payout.create',
    rate: 'payouts',
    rateKind: 'batch',
    body: PayoutCreateShape,
    answers: { 201: { description: 'accepted', schema: PayoutShape } },
    refusals: { 503: 'rail_unavailable: nothing remains; retry with the same Idempotency-Key' },
    make: createPayout,
  }),
  rawEndpoint<App, BulkBody>({
    method: 'POST',
    path: '/v1/payouts/bulk',
    name: 'createBulkPayout',
    summary: 'Pay up to 1,000 people in one call',
    description:
      'JSON or CSV; the column `metadata` of a CSV has one JSON object a line, as the CSV files of the dashboard have. Each item stands for itself: some may be accepted while others fail. A `reference` is paid once, for ever; the same Idempotency-Key answers with the same batch.',
    action: 'payout.bulk',
    rate: 'bulk_payouts',
    rateKind: 'batch',
    idempotency: 'required',
    body: BulkPayoutCreateShape,
    rawBody: {
      limit: MAX_BULK_BODY_BYTES,
      csvExample: CSV_EXAMPLE,
      read: parseBulkContent,
    },
    answers: { 200: { description: 'what became of each item', schema: BulkResultShape } },
    refusals: { 413: 'The body is over 4 MiB.' },
    handle(app, { caller, requestId, body, idempotency }) {
      assert(idempotency !== null, 'the frame asks for the key')
      return createBulk(app, { caller, requestId, items: body.items, ...idempotency })
    },
  }),
  listEndpoint<App, Payout>({
    path: '/v1/payouts',
    name: 'listPayouts',
    summary: 'List payouts of every kind, newest first',
    action: 'payouts.read',
    description: SEARCHED_IN_STEPS,
    query: PAYOUT_QUERY,
    row: PayoutShape,
    list: (app, caller, query) => listPayoutsInSteps(app, caller, parsePayoutQuery(query)),
    present: presentPayout,
  }),
  objectEndpoint<App, Payout>({
    path: '/v1/payouts/:id',
    name: 'getPayout',
    summary: 'Read one payout',
    description:
      'As it stands now. Its `status` is final once it is `succeeded` or `failed`; `/timeline` tells how it came there.',
    action: 'payouts.read',
    id: 'starts with `pout_`',
    shape: { description: 'the payout', schema: PayoutShape },
    find: getPayout,
    present: presentPayout,
  }),
  readEndpoint<App>({
    path: '/v1/payouts/:id/timeline',
    name: 'getPayoutTimeline',
    summary: 'Read what happened to a payout, newest first',
    description:
      'Every question to the operator and its answer, and when it is asked next: why a live payout takes long. Test payouts go to no operator.',
    action: 'payouts.read',
    params: Type.Object({ id: Type.String({ description: 'starts with `pout_`' }) }),
    query: TIMELINE_QUERY,
    shape: { description: 'one page, with the time of the next question', schema: TimelineShape },
    read: (app, { caller, params, query }) => readPayoutTimeline(app, caller, { id: params.id ?? '', query }),
  }),
  readEndpoint<App>({
    path: '/v1/resolve-account',
    action: 'payouts.read',
    name: 'resolveAccount',
    summary: 'Ask who holds a wallet before paying it',
    description: '`active: false` is the hard stop. The name may be null.',
    rate: 'resolve_account',
    query: Type.Object({ phone: Type.String({ description: 'in any written form' }) }),
    shape: { description: 'the wallet', schema: ResolvedAccountShape },
    refusals: { 502: 'rail_unavailable: the operator did not answer; never a guess' },
    read: (app, { caller, query }) => lookUpWallet(app, caller, query.phone),
  }),
])
