import { Type } from 'typebox'
import type { App } from '../app.ts'
import { answer, endpoint } from '../http/endpoint.ts'
import { LIST_QUERY, listOf, presentPage, readListWindow } from '../http/lists.ts'
import { createSubaccount } from './create-subaccount.ts'
import { getSubaccount, listSubaccounts, readBalances } from './find-subaccounts.ts'
import {
  presentSubaccount,
  presentWithBalances,
  SubaccountCreateShape,
  SubaccountShape,
  SubaccountWithBalancesShape,
} from './subaccount.ts'

const tag = 'Subaccounts'

export const subaccountEndpoints = [
  endpoint<App, typeof SubaccountCreateShape>({
    method: 'POST',
    path: '/v1/subaccounts',
    name: 'createSubaccount',
    summary: 'Add a party that shares of charges can be paid to',
    description: 'One subaccount serves both modes; its balances are kept apart.',
    tag,
    scope: 'any',
    rate: 'subaccounts',
    rateKind: 'shared',
    idempotency: 'optional',
    body: SubaccountCreateShape,
    answers: { 201: { description: 'created, active', schema: SubaccountShape } },
    handle(app, { caller, requestId, body, idempotency }) {
      return createSubaccount(app, { caller, requestId, input: body, idempotency })
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/subaccounts',
    name: 'listSubaccounts',
    summary: 'List subaccounts, newest first',
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    query: Type.Object({ limit: LIST_QUERY.limit, starting_after: LIST_QUERY.starting_after }),
    answers: { 200: { description: 'one page', schema: listOf(SubaccountShape) } },
    async handle(app, { caller, query }) {
      // This list has no bounds in time; `created_after` and `created_before` are ignored like unknown parameters.
      const window = readListWindow({ limit: query.limit, starting_after: query.starting_after })
      return answer(200, presentPage(await listSubaccounts(app, caller, window), presentSubaccount))
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/subaccounts/:id',
    name: 'getSubaccount',
    summary: "Read one subaccount with its balances in the key's mode",
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    params: Type.Object({ id: Type.String({ description: 'starts with `sub_`' }) }),
    answers: { 200: { description: 'the subaccount', schema: SubaccountWithBalancesShape } },
    async handle(app, { caller, params }) {
      const subaccount = await getSubaccount(app, caller, params.id ?? '')
      const balances = await readBalances(app, caller, subaccount.id)
      return answer(200, presentWithBalances(subaccount, balances), subaccount.id)
    },
  }),
]
