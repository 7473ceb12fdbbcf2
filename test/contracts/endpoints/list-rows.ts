import { addMachine } from '../../../src/vending/machines/machines.ts'
import { BY_HAND } from '../../helpers/actors.ts'
import { newPayer } from '../../helpers/live-service.ts'
import { pay } from '../../helpers/payouts.ts'
import { planned } from '../../helpers/schedules.ts'
import { badRequest, type Refused } from '../refused.ts'
import type { Kind, Side } from './world.ts'

/** A list: whose rows it shows, and how one more comes into it. */
export type List = {
  path: string
  of: Kind
  full?: true
  /** Both modes share its rows. */
  sharedByModes?: true
  /** The endpoint that reads one row by its id, where there is one. */
  one?: string
  /** It has no bounds in time: `created_after` and `created_before` are as unknown as any other parameter. */
  timeless?: true
  /** Makes one more row; answers its id where that is said. Without it rows come from the charges that have ended. */
  add?(side: Side, nth: number): Promise<string>
  /** A filter that shows some rows only, and whether a row is one of them. */
  filter?: [string, (row: any) => boolean]
  /** Filters that fit the row of every side of the world. */
  twins?: readonly string[]
  /** Values that a filter refuses, in the words of the contract. */
  wrong?: readonly [string, Refused][]
  /** Such a value is refused only after the window in time and the limit. */
  wrongAfterWindow?: true
}

const unknownStatus = (...words: string[]): [string, Refused][] =>
  ["'", 'succeeded,failed', ...words].map((word) => [
    `status=${encodeURIComponent(word)}`,
    badRequest(`invalid status: ${word.slice(0, 40)}`),
  ])
const POOR = '0700000001'
const LONG = 'x'.repeat(100)
/** Every second row has the first name. */
const nameOf = (nth: number) => `row_${nth % 2}`
const named: List['filter'] = ['reference=row_1', (row) => row.reference === 'row_1']

/** Every fourth fails, and gives an event but no settlement. */
export async function addCharge({ client }: Side, nth: number): Promise<string> {
  const customer = { phone: nth % 4 === 3 ? POOR : newPayer() }
  return (await client.charge({ reference: nameOf(nth), customer })).body.id
}

export const LISTS: readonly List[] = [
  {
    ...{ path: '/v1/charges', of: 'charge', one: '/v1/charges', filter: named },
    add: addCharge,
    wrong: unknownStatus('paid', 'SUCCEEDED', LONG),
    twins: ['reference=same', 'phone=0700123456', 'email=JANE@example.ug', 'status=succeeded'],
  },
  {
    ...{ path: '/v1/payouts', of: 'payout', one: '/v1/payouts', full: true, filter: named },
    add: async ({ client }, nth) =>
      (await pay(client, { reference: nameOf(nth), recipient: { phone: newPayer() } })).body.id,
    wrong: unknownStatus('paid', 'SUCCEEDED', 'refunded', LONG),
    twins: ['reference=same', 'phone=0700123456', 'status=authorized'],
  },
  {
    ...{ path: '/v1/scheduled-payouts', of: 'schedule', one: '/v1/scheduled-payouts', full: true },
    add: async ({ client }, nth) => {
      const { id } = await planned(client)
      if (nth % 2 === 1) await client.post(`/v1/scheduled-payouts/${id}/pause`)
      return id
    },
    filter: ['status=paused', ({ status }) => status === 'paused'],
    wrong: unknownStatus('succeeded', 'Active', LONG),
    twins: ['status=active'],
  },
  {
    ...{ path: '/v1/subaccounts', of: 'subaccount', timeless: true, sharedByModes: true },
    add: async ({ client }) => (await client.post('/v1/subaccounts', { name: 'Farm' })).body.id,
  },
  {
    ...{ path: '/v1/payment-links', of: 'link', one: '/v1/payment-links', filter: named },
    add: async ({ client }, nth) =>
      (await client.post('/v1/payment-links', { amount: 5000, reference: nameOf(nth) })).body.id,
    twins: ['reference=same'],
  },
  {
    ...{ path: '/v1/vending/machines', of: 'machine', timeless: true, sharedByModes: true },
    add: async ({ service, merchantId }) => {
      const machine = `N-${newPayer()}`
      await addMachine(service.app, BY_HAND, { merchantId, machine, name: machine })
      return machine
    },
  },
  { path: '/v1/settlements', of: 'settlement' },
  {
    ...{ path: '/v1/webhooks', of: 'event', wrongAfterWindow: true },
    twins: ['event=charge.succeeded', 'status=pending'],
    filter: ['event=charge.succeeded', ({ event }) => event === 'charge.succeeded'],
    wrong: ['succeeded', 'SENT', 'queued'].map((word) => [
      `status=${word}`,
      badRequest('status must be pending, sent or failed'),
    ]),
  },
]
