import assert from 'node:assert/strict'
import test from 'node:test'
import { CHARGE_STATUSES } from '../../payments/charges/charge.ts'
import { type LinkWithCharges, linkStatus, presentLink } from './payment-link.ts'

const AT = new Date('2026-07-01T09:30:00.123Z')
const LINK: LinkWithCharges = {
  merchantId: 1,
  id: 'lnk_abcde0123456789abcdef',
  mode: 'test',
  kind: 'link',
  amount: 5000,
  description: null,
  reference: 'order_1',
  successUrl: 'https://shop.example/?a=1&b=%20',
  cancelUrl: null,
  allowMultipleUses: false,
  chargeId: null,
  switchedOffAt: null,
  expiresAt: null,
  invalidatedAt: null,
  createdAt: AT,
  metadata: null,
  attempt: null,
  paid: null,
}

type Attempt = LinkWithCharges['attempt']
const attempt = (status: NonNullable<Attempt>['status']): Attempt => ({ id: 'txn_1', status })
const paid = (status: 'succeeded' | 'refunded') => ({
  attempt: attempt(status),
  paid: { id: 'txn_1', status },
})

/** Contract.md 3 t, line by line: the status while switched on, and while switched off. */
const ONE_SHOT: [string, Partial<LinkWithCharges>, string, string][] = [
  ['nobody pays', {}, 'pending', 'inactive'],
  ['an attempt is stored', { attempt: attempt('pending') }, 'authorized', 'inactive'],
  ['a customer is asked', { attempt: attempt('authorized') }, 'authorized', 'inactive'],
  ['the attempt failed', { attempt: attempt('failed') }, 'failed', 'inactive'],
  ['it is paid', paid('succeeded'), 'succeeded', 'succeeded'],
  ['it was paid and refunded', paid('refunded'), 'refunded', 'refunded'],
]
for (const [what, facts, on, off] of ONE_SHOT)
  test(`a one-shot link of which ${what} is ${on}, switched off ${off}`, () => {
    const link = { ...LINK, ...facts }
    assert.equal(linkStatus(link), on)
    assert.equal(linkStatus({ ...link, switchedOffAt: AT }), off)
  })

test('a reusable link is active, or inactive when it is switched off, whatever was paid on it', () => {
  for (const newest of [null, paid('succeeded').paid, paid('refunded').paid]) {
    const link = { ...LINK, allowMultipleUses: true, paid: newest }
    assert.equal(linkStatus(link), 'active')
    assert.equal(linkStatus({ ...link, switchedOffAt: AT }), 'inactive')
  }
})

test('no status of a charge leaves a link without one', () => {
  for (const status of CHARGE_STATUSES)
    assert.match(linkStatus({ ...LINK, attempt: attempt(status) }), /^(authorized|succeeded|refunded|failed)$/)
})

test('a link shows addresses under the base address, and all else as it was given', () => {
  const url = 'https://pay.example/pay/lnk_abcde0123456789abcdef'
  const view = {
    id: LINK.id,
    url,
    mode: 'test',
    amount: 5000,
    currency: 'UGX',
    description: null,
    reference: 'order_1',
    success_url: 'https://shop.example/?a=1&b=%20',
    cancel_url: null,
    allow_multiple_uses: false,
    is_active: true,
    status: 'pending',
    transaction_status: null,
    charge_id: null,
    qr_png_url: `${url}/qr.png`,
    qr_svg_url: `${url}/qr.svg`,
    created_at: '2026-07-01T09:30:00.123Z',
    metadata: {},
  }
  assert.deepEqual(presentLink(LINK, 'https://pay.example'), view)
})

test('a link names only a charge that succeeded, not an attempt that is open or failed', () => {
  for (const status of ['pending', 'authorized', 'failed'] as const) {
    const view = presentLink({ ...LINK, chargeId: 'txn_1', attempt: attempt(status) }, '')
    assert.deepEqual([view.charge_id, view.transaction_status], [null, null], status)
  }
  for (const status of ['succeeded', 'refunded'] as const) {
    const view = presentLink({ ...LINK, chargeId: 'txn_1', ...paid(status) }, '')
    assert.deepEqual([view.charge_id, view.transaction_status, view.status], ['txn_1', status, status])
  }
})

test('a link that is switched off says so even if it was paid', () => {
  assert.equal(presentLink({ ...LINK, ...paid('succeeded'), switchedOffAt: AT }, '').is_active, false)
})
