import { tagEndpoints } from '../../api/http/endpoint.ts'
import {
  LIST_QUERY_WITHOUT_TIMES,
  listEndpoint,
  objectEndpoint,
  parseWindowWithoutTimes,
} from '../../api/http/read-endpoints.ts'
import { createEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { createSubaccount } from './create-subaccount.ts'
import { getSubaccount, listSubaccounts, readBalances } from './find-subaccounts.ts'
import {
  presentSubaccount,
  presentWithBalances,
  type Subaccount,
  SubaccountCreateShape,
  SubaccountShape,
  SubaccountWithBalancesShape,
} from './subaccount.ts'

type Balances = Awaited<ReturnType<typeof readBalances>>

export const subaccountEndpoints = tagEndpoints('Subaccounts', [
  createEndpoint<App, typeof SubaccountCreateShape>({
    path: '/v1/subaccounts',
    name: 'createSubaccount',
    summary: 'Add a party that shares of charges can be paid to',
    description: 'One subaccount serves both modes; its balances are kept apart.',
    action: 'subaccount.create',
    rate: 'subaccounts',
    body: SubaccountCreateShape,
    answers: { 201: { description: 'created, active', schema: SubaccountShape } },
    make: createSubaccount,
  }),
  listEndpoint<App, Subaccount>({
    path: '/v1/subaccounts',
    name: 'listSubaccounts',
    summary: 'List subaccounts, newest first',
    description: 'Without balances: those of one are read by its id.',
    query: LIST_QUERY_WITHOUT_TIMES,
    row: SubaccountShape,
    list: (app, caller, query) => listSubaccounts(app, caller, parseWindowWithoutTimes(query)),
    present: presentSubaccount,
  }),
  objectEndpoint<App, { id: string; subaccount: Subaccount; balances: Balances }>({
    path: '/v1/subaccounts/:id',
    name: 'getSubaccount',
    summary: "Read one subaccount with its balances in the key's mode",
    description: 'A share of a charge is `pending` until the hold of its charge ends, then `available`.',
    id: 'starts with `sub_`',
    shape: { description: 'the subaccount', schema: SubaccountWithBalancesShape },
    async find(app, caller, id) {
      const subaccount = await getSubaccount(app, caller, id)
      return { id, subaccount, balances: await readBalances(app, caller, id) }
    },
    present: ({ subaccount, balances }) => presentWithBalances(subaccount, balances),
  }),
])
