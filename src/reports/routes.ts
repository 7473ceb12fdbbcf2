import { Type } from 'typebox'
import { endpoint, tagEndpoints } from '../api/http/endpoint.ts'
import { LIST_QUERY, parseListWindow } from '../api/http/lists/lists.ts'
import { listEndpoint, PLAIN_READ, readEndpoint } from '../api/http/read-endpoints.ts'
import { readBalance } from '../ledger/balances.ts'
import { ModeShape } from '../platform/mode.ts'
import { addSums } from '../platform/sums.ts'
import type { App } from '../program/app.ts'
import { listSettlements, presentSettlement, type SettlementRow, SettlementShape } from './settlements.ts'
import { StatementPdfShape, StatementShape } from './statement/shape.ts'
import { streamStatement } from './statement/stream-statement.ts'

const BalanceShape = Type.Object(
  {
    mode: ModeShape,
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.Literal('UGX'),
          available: Type.Integer(),
          pending: Type.Integer(),
          total: Type.Integer({ description: 'available + pending' }),
          cached: Type.Integer({ description: 'the cached total' }),
        },
        { $id: 'CurrencyBalance' },
      ),
    ),
    consistent: Type.Boolean({
      description: 'false: the cached figure disagrees; the totals shown are the ledger',
    }),
    as_of: Type.Integer({ minimum: 0, description: 'Unix seconds' }),
  },
  { $id: 'Balance' },
)

const MONTH = '^[0-9]{4}-(0[1-9]|1[0-2])$'

export const reportEndpoints = tagEndpoints('Balance', [
  readEndpoint<App>({
    path: '/v1/balance',
    name: 'getBalance',
    summary: 'Read the balance of the key’s mode',
    description:
      '`available` is what payouts can use, `pending` what is still held. Both are sums of the ledger, never a stored figure.',
    shape: { description: 'what the ledger says', schema: BalanceShape },
    async read(app, { caller }) {
      const balance = await readBalance(app.db, caller.merchantId, caller.mode)
      const { available, pending, cachedAvailable, cachedPending } = balance
      return {
        mode: caller.mode,
        balances: [
          {
            currency: 'UGX',
            available,
            pending,
            total: addSums(available, pending),
            cached: addSums(cachedAvailable, cachedPending),
          },
        ],
        consistent: available === cachedAvailable && pending === cachedPending,
        as_of: Math.floor(app.clock.nowMs() / 1000),
      }
    },
  }),
  listEndpoint<App, SettlementRow>({
    path: '/v1/settlements',
    name: 'listSettlements',
    summary: 'List releases from pending to available, newest first',
    description: 'Each is one release: the nets of so many charges became available together.',
    query: LIST_QUERY,
    row: SettlementShape,
    list: (app, caller, query) => listSettlements(app, caller, parseListWindow(query)),
    present: presentSettlement,
  }),
  endpoint<App, never>({
    ...PLAIN_READ,
    action: 'read',
    path: '/v1/statements/:period',
    name: 'getStatement',
    summary: 'Read the statement of a month',
    description:
      'Every movement of a calendar month in Kampala. A month that is over never changes by a byte. With `.pdf` behind the month the same as a document, for people; it is limited to fewer requests a minute.',
    params: Type.Object({
      period: Type.String({
        description: '`YYYY-MM`',
        pattern: MONTH,
        examples: ['2026-07'],
      }),
    }),
    answers: { 200: { description: 'the month', schema: StatementShape } },
    documents: [
      {
        path: '/v1/statements/{period}.pdf',
        name: 'getStatementPdf',
        summary: 'Read the statement of a month as a document for people',
        description: 'The same month and figures as `/v1/statements/{period}`, to be printed or kept.',
        params: Type.Object({
          period: Type.String({ description: '`YYYY-MM`', pattern: MONTH, examples: ['2026-07'] }),
        }),
        answers: { 200: { description: 'the month', schema: StatementPdfShape } },
      },
    ],
    async handle(app, { caller, params }) {
      const { stream } = await streamStatement(app, caller, params.period ?? '')
      return { status: 200, body: '', stream }
    },
  }),
])
