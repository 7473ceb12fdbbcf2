import type { StorefrontView } from '../../../src/web/checkout/view.ts'

const ITEMS = [
  ['Kitenge dress', 'Blue, all sizes', 25_000],
  ['Shea butter, 250 ml', null, 12_500],
  ['Beaded necklace made by hand in Kampala', 'Each one is different', 8_000],
  ['Basket', 'Woven from banana leaves', 40_000],
  ['Coffee beans, 1 kg', 'From Mount Elgon', 32_000],
  ['Gift wrapping', null, 1_000],
] as const

/** The page of a storefront, as its page is given it. */
export const exampleStorefront = (over: Partial<StorefrontView> = {}): StorefrontView => ({
  kind: 'storefront',
  items: ITEMS.map(([name, description, amount], index) => ({
    id: `itm_${index}`,
    name,
    description,
    amount,
    href: `/pay/lnk_${index}`,
    picture: index % 3 === 1 ? null : `/pay/@mama-joy/pictures/itm_${index}?v=1`,
  })),
  nextHref: '/pay/@mama-joy?before_id=itm_5',
  firstHref: null,
  qrSvg: '/pay/@mama-joy/qr.svg',
  qrPng: '/pay/@mama-joy/qr.png',
  ownAmount: { action: '/pay/@mama-joy/pay', typed: '', least: 500, most: 1_000_000, fault: null },
  ...over,
})
