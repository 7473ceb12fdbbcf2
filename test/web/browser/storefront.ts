import sharp from 'sharp'
import { addItem, type StorefrontMerchant } from '../../../src/selling/storefront/add-item.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import type { LiveService } from '../../helpers/service/live-service.ts'

const SIDE = 320
// Name, description, price, and the colours of the picture; null where there is no picture.
const ITEMS: readonly [string, string | null, number, [string, string] | null][] = [
  ['Gift wrapping', null, 1000, null],
  ['Matoke basket', 'Enough for eight', 18_000, ['#4d7c0f', '#bef264']],
  ['Coffee beans, 1 kg', 'From Mount Elgon', 32_000, ['#431407', '#b45309']],
  ['Basket', 'Woven from banana leaves', 40_000, ['#78350f', '#fde68a']],
  ['Beaded necklace made by hand in Kampala', 'Each one is different', 8000, ['#9d174d', '#f9a8d4']],
  ['Shea butter, 250 ml', null, 12_500, null],
  ['Kitenge dress', 'Blue, all sizes', 25_000, ['#1e3a8a', '#f59e0b']],
]

/** Gives the merchant's public page more items than fit on one page. */
export async function fillStorefront({ app }: LiveService, merchant: StorefrontMerchant): Promise<void> {
  for (const [name, description, amount, colours] of ITEMS) {
    const picture = colours && (await paint(colours))
    await addItem(app, BY_HAND, { mode: 'live', shop: merchant, name, description, amount, picture })
  }
}

async function paint([from, to]: [string, string]): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}"><defs><linearGradient id="g" x2="1" y2="1">
    <stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs>
    <rect width="${SIDE}" height="${SIDE}" fill="url(#g)"/><circle cx="160" cy="160" r="90" fill="${to}" opacity=".5"/></svg>`
  return sharp(Buffer.from(svg)).webp().toBuffer()
}
