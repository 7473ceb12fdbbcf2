import type { Shop } from '../../merchants/account/shops.ts'
import { makePaints, type Paint } from '../../merchants/branding/accent.ts'
import { logoPath } from '../../merchants/branding/branding.ts'
import type { Brand } from './view.ts'

const NO_BRAND: Brand = { style: null, logo: null }

// The logo stands on white in both themes, because most logos are made for paper.
const LOGO_STYLE =
  '.logo{justify-self:center;max-width:100%;height:3rem;padding:.25rem .5rem;border-radius:8px;background:#fff;object-fit:contain}'

/** Makes the stylesheet and logo path of a merchant's pages. Every colour is computed; no typed text gets into the stylesheet. */
export function buildBrand(shop: Pick<Shop, 'accent' | 'logoAt' | 'handle'> | null): Brand {
  if (shop === null) return NO_BRAND
  const logo = logoPath(shop.handle, shop.logoAt)
  const style = `${shop.accent === null ? '' : renderColours(shop.accent)}${logo === null ? '' : LOGO_STYLE}`
  return { style: style === '' ? null : style, logo }
}

function renderColours(colour: string): string {
  const { light, dark } = makePaints(colour)
  return `:root{${renderTokens(light)}}@media screen and (prefers-color-scheme:dark){:root{${renderTokens(dark)}}}`
}

const renderTokens = ({ accent, over, tint }: Paint) => `--accent:${accent};--over:${over};--tint:${tint}`
