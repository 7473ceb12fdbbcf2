import { type Asset, readAsset, SCRIPT, SVG } from '../parts/asset.ts'

const readOwnAsset = (name: string, type: string): Asset =>
  readAsset(`src/web/checkout/assets/${name}`, { path: `/pay/assets/${name}`, type })

/** Every file that the hosted pages load. Nothing else of the folder is ever served. */
export const CHECKOUT_ASSETS = {
  'pay.js': readOwnAsset('pay.js', SCRIPT),
  'wait.js': readOwnAsset('wait.js', SCRIPT),
  'receipt.js': readOwnAsset('receipt.js', SCRIPT),
  'display.js': readOwnAsset('display.js', SCRIPT),
  'icon.svg': readOwnAsset('icon.svg', SVG),
} satisfies Record<string, Asset>

export type CheckoutScript = 'pay.js' | 'wait.js' | 'receipt.js' | 'display.js'
