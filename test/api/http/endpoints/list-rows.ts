import { addMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { pay } from '../../../helpers/payments/payouts.ts'
import { change, planned } from '../../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { badRequest, type Refused } from '../refused.ts'
import type { Kind, Side } from './world.ts'

type Filter = readonly [string, (row: any) => boolean]
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
  /** Filters that show some rows only, and whether a row is one of them. */
  filters?: readonly Filter[]
  /** Filters that fit the row of every side of the world. */
  twins?: readonly string[]
  /** Values that a filter refuses, in the words of the contract. */
  wrong?: readonly [string, Refused][]
  /** Such a value is refused only after the window in time and the limit. */
  wrongAfterWindow?: true
}

const having = (name: string, ...words: string[]): Filter[] =>
  words.map((word) => [`${name}=${word}`, (row) => row[name] === word])
const unknownStatus = (...words: string[]): [string, Refused][] =>
  ["'", 'succeeded,none', 'active,', ',', ...words].map((word) => [
    `status=${encodeURIComponent(word)}`,
    badRequest(`invalid status: ${word.slice(0, 40)}`),
  ])
/** One of several statuses with commas between, in any order, with a blank and twice the same. */
const several = (typed: string): Filter => [
  `status=${encodeURIComponent(typed)}`,
  (row) => typed.split(',').some((word) => word.trim() === row.status),
]
const POOR = '0700000001'
const LONG = 'x'.repeat(100)
/** Every second row has the first name. */
const nameOf = (nth: number) => `row_${nth % 2}`
const NAMED: readonly Filter[] = [['reference=row_1', (row) => row.reference === 'row_1']]

/** Every fourth fails, and gives an event but no settlement. */
export async function addCharge({ client }: Side, nth: number): Promise<string> {
  const customer = { phone: nth % 4 === 3 ? POOR : newPayer() }
  return (await client.charge({ reference: nameOf(nth), customer })).body.id
}

export const LISTS: readonly List[] = [
  {
    ...{ path: '/v1/charges', of: 'charge', one: '/v1/charges' },
    filters: [...NAMED, several('failed,authorized'), several('succeeded, pending,succeeded')],
    add: addCharge,
    wrong: unknownStatus('paid', 'SUCCEEDED', LONG),
    twins: ['reference=same', 'phone=0700123456', 'email=JANE@example.ug', 'status=succeeded'],
  },
  {
    ...{ path: '/v1/payouts', of: 'payout', one: '/v1/payouts', full: true },
    filters: NAMED,
    add: async ({ client }, nth) =>
      (await pay(client, { reference: nameOf(nth), recipient: { phone: newPayer() } })).body.id,
    wrong: unknownStatus('paid', 'SUCCEEDED', 'refunded', LONG),
    twins: ['reference=same', 'phone=0700123456', 'status=authorized'],
  },
  {
    ...{ path: '/v1/scheduled-payouts', of: 'schedule', one: '/v1/scheduled-payouts', full: true },
    add: async ({ client }, nth) => {
      const { id } = await planned(client)
      if (nth % 3 > 0) await change(client, id, nth % 3 === 1 ? 'pause' : 'cancel')
      return id
    },
    filters: [...having('status', 'active', 'paused', 'cancelled'), several('cancelled,active')],
    wrong: unknownStatus('succeeded', 'Active', LONG),
    twins: ['status=active'],
  },
  {
    ...{ path: '/v1/subaccounts', of: 'subaccount', timeless: true, sharedByModes: true },
    add: async ({ client }) => (await client.post('/v1/subaccounts', { name: 'Farm' })).body.id,
  },
  {
    ...{ path: '/v1/payment-links', of: 'link', one: '/v1/payment-links', filters: NAMED },
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
    filters: having('event', 'charge.succeeded', 'charge.failed'),
    wrong: [
      ...['succeeded', 'SENT', 'queued', 'sent,', 'sent,queued'].map((word): [string, Refused] => [
        `status=${word}`,
        badRequest('status must be pending, sent or failed'),
      ]),
      ...['charge.paid', 'CHARGE.FAILED', 'charge.succeeded,charge.failed'].map((word): [string, Refused] => [
        `event=${word}`,
        badRequest(`invalid event: ${word}`),
      ]),
    ],
  },
]
