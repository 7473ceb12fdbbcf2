import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTestFunds } from '../../src/ledger/test-funds.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { newPayer } from '../helpers/live-service.ts'
import { opened } from '../helpers/opened.ts'
import { richShop, startPayingService } from '../helpers/payouts.ts'
import type { Client } from '../helpers/test-service.ts'

const service = opened(() => startPayingService())

const AT_ONCE = 20
const PAYOUT = { amount: 1000, recipient: { phone: '0700000000' } }
const STARTS: readonly [string, (client: Client) => { path: string; body: object }][] = [
  [
    'charge',
    () => ({
      path: '/v1/charges',
      body: { amount: 5000, channel: 'op1_momo', customer: { phone: newPayer() } },
    }),
  ],
  ['payout', () => ({ path: '/v1/payouts', body: PAYOUT })],
  ['bulk call', () => ({ path: '/v1/payouts/bulk', body: { items: [{ ...PAYOUT, reference: 'one' }] } })],
  [
    'schedule',
    () => ({
      path: '/v1/scheduled-payouts',
      body: {
        amount: 1000,
        interval: 'daily',
        recipients: [{ phone: '0700000000' }],
        start_at: '2099-01-01T00:00:00Z',
      },
    }),
  ],
  ['payment link', () => ({ path: '/v1/payment-links', body: { amount: 1000, title: 'Tea' } })],
  [
    'refusal that is kept',
    () => ({
      path: '/v1/charges',
      body: { amount: -5, channel: 'op1_momo', customer: { phone: newPayer() } },
    }),
  ],
]

for (const mode of ['test', 'live'] as const)
  for (const [what, start] of STARTS)
    test(`M13: a finished key of a ${mode} ${what} is replayed to everybody who asks at once`, async () => {
      const shop = await richShop(service, 100_000)
      const { app, merchant } = await findMerchant(service.gateway, shop.merchant.id)
      await addTestFunds(app, BY_HAND, {
        holder: { merchantId: merchant.id, tag: merchant.tag },
        amount: 100_000,
        key: undefined,
      })
      const client = mode === 'live' ? shop.live : shop.test
      const { path, body } = start(client)
      const headers = { 'idempotency-key': `replayed ${what}` }
      const first = await client.post(path, body, headers)
      assert.ok(first.status < 300 || what.startsWith('refusal'), first.text)
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE }, () => client.post(path, body, headers)),
      )
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([first.status]))
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
      assert.deepEqual(
        new Set(replies.map((reply) => reply.headers.get('idempotent-replayed'))),
        new Set(['true']),
      )
      const other = await client.post(path, { ...body, amount: 7777 }, headers)
      assert.equal(other.status, 409)
      await service.verify()
    })
