import { Type } from 'typebox'
import type { App } from '../app.ts'
import { readBalance } from '../ledger/balances.ts'
import { answer, endpoint } from '../platform/http/endpoint.ts'
import { LIST_QUERY, listOf, presentPage, readListWindow } from '../platform/http/lists.ts'
import { listSettlements, presentSettlement, SettlementShape } from './settlements.ts'

const BalanceShape = Type.Object(
  {
    mode: Type.Enum(['test', 'live']),
    balances: Type.Array(
      Type.Object({
        currency: Type.Literal('UGX'),
        available: Type.Integer(),
        pending: Type.Integer(),
        total: Type.Integer({ description: 'available + pending' }),
        cached: Type.Integer({ description: 'the cached total' }),
      }),
    ),
    consistent: Type.Boolean({
      description: 'false: the cached figure disagrees; the totals shown are the ledger',
    }),
    as_of: Type.Integer({ description: 'Unix seconds' }),
  },
  { $id: 'Balance' },
)

const read = {
  scope: 'any',
  rate: 'reads',
  rateKind: 'shared',
  idempotency: 'ignored',
  method: 'GET',
} as const

export const reportEndpoints = [
  endpoint<App, never>({
    ...read,
    path: '/v1/balance',
    name: 'getBalance',
    summary: 'Read the balance of the key’s mode',
    tag: 'Balance',
    answers: { 200: { description: 'what the ledger says', schema: BalanceShape } },
    async handle(app, { caller }) {
      const balance = await readBalance(app.db, caller.merchantId, caller.mode)
      const { available, pending, cachedAvailable, cachedPending } = balance
      return answer(200, {
        mode: caller.mode,
        balances: [
          {
            currency: 'UGX',
            available,
            pending,
            total: available + pending,
            cached: cachedAvailable + cachedPending,
          },
        ],
        consistent: available === cachedAvailable && pending === cachedPending,
        as_of: Math.floor(app.clock.nowMs() / 1000),
      })
    },
  }),
  endpoint<App, never>({
    ...read,
    path: '/v1/settlements',
    name: 'listSettlements',
    summary: 'List releases from pending to available, newest first',
    tag: 'Balance',
    query: Type.Object(LIST_QUERY),
    answers: { 200: { description: 'one page', schema: listOf(SettlementShape) } },
    async handle(app, { caller, query }) {
      return answer(
        200,
        presentPage(await listSettlements(app, caller, readListWindow(query)), presentSettlement),
      )
    },
  }),
]
