import { qrPng } from '../../../src/selling/payment-links/qr.ts'
import type { DisplayView, PageSetting, Screen } from '../../../src/web/checkout/view.ts'

export type ExampleScreen = { name: string; view: DisplayView; setting: PageSetting }

const ORDER = 'lnk_k3x9qab7c2d4e6f8g1h0j'
const SETTING: PageSetting = {
  language: 'en',
  shop: { name: 'Kampala Cool Drinks', handle: 'cool-drinks' },
  mode: 'live',
  here: `/vending/display/${ORDER}`,
}

type Order = NonNullable<DisplayView['order']>
const order = (over: Partial<Order> = {}): Order => ({
  id: ORDER,
  machine: '1707100001',
  amount: 3500,
  products: ['Rwenzori Water 500 ml', 'Mirinda Fruity'],
  qr: `data:image/png;base64,${qrPng(`https://pay.example/pay/${ORDER}`).toString('base64')}`,
  ...over,
})

const display = (screen: Screen, over: Partial<Order> = {}): DisplayView => ({
  kind: 'display',
  screen,
  order: order(over),
  watch: {
    url: `/vending/display/${ORDER}/state.json?lang=en`,
    everyMs: 2000,
    seen: 'unpaid pending false false ',
  },
})

const MANY = { amount: 1_250_000, products: ['A'.repeat(200), 'Ffene omukalu', 'Chapati', 'Rolex', 'Soda'] }
const SCREENS: readonly [string, DisplayView][] = [
  ['scan', display({ name: 'scan', secondsLeft: 107, afterFailure: false })],
  ['scan many', display({ name: 'scan', secondsLeft: 119, afterFailure: false }, MANY)],
  ['scan again', display({ name: 'scan', secondsLeft: 9, afterFailure: true }, MANY)],
  ['scan without names', display({ name: 'scan', secondsLeft: 0, afterFailure: false }, { products: [] })],
  ['paying', display({ name: 'paying' })],
  ['releasing', display({ name: 'releasing', late: false })],
  ['releasing late', display({ name: 'releasing', late: true })],
  ['collect', display({ name: 'collect', doubt: null })],
  ['collect partly', display({ name: 'collect', doubt: 'partly', delivered: { delivered: 12, products: 50 } })],
  ['collect unconfirmed', display({ name: 'collect', doubt: 'unconfirmed' })],
  ['failed', display({ name: 'failed', refund: null })],
  ...(['on_its_way', 'sent', 'failed', 'card'] as const).map((state): [string, DisplayView] => [
    `failed, refund ${state}`,
    display({ name: 'failed', refund: { state, amount: 2500 } }),
  ]),
  ['expired', display({ name: 'expired' })],
  ['closed', display({ name: 'closed' })],
  ['off', display({ name: 'off' })],
  ['unknown', { ...display({ name: 'unknown' }), order: null, watch: null }],
  ['busy', { ...display({ name: 'busy' }), order: null }],
]

/** Every screen of a machine, in every variant that a customer can meet. */
export const EXAMPLE_SCREENS: readonly ExampleScreen[] = SCREENS.map(([name, view]) => ({
  name,
  view,
  setting: view.order === null ? { ...SETTING, shop: null } : SETTING,
}))
