import { type Asset, readAsset, SCRIPT, SVG } from '../pages/asset.ts'

const own = (name: string, type: string): Asset =>
  readAsset(`src/checkout/assets/${name}`, { path: `/pay/assets/${name}`, type })

/** Every file that the hosted pages load. Nothing else of the folder is ever served. */
export const CHECKOUT_ASSETS = {
  'pay.js': own('pay.js', SCRIPT),
  'wait.js': own('wait.js', SCRIPT),
  'receipt.js': own('receipt.js', SCRIPT),
  'display.js': own('display.js', SCRIPT),
  'icon.svg': own('icon.svg', SVG),
} satisfies Record<string, Asset>

export type CheckoutScript = 'pay.js' | 'wait.js' | 'receipt.js' | 'display.js'
