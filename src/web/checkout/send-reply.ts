import { gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { encodeLocation } from '../../api/http/location.ts'
import type { Shop } from '../../merchants/account/shops.ts'
import { makePaints, type Paint } from '../../merchants/branding/accent.ts'
import { logoPath } from '../../merchants/branding/branding.ts'
import { pagePolicy } from '../parts/routes/policy.ts'
import { styleHash } from '../parts/stylesheet.ts'
import { renderPage } from './pages/render.tsx'
import { CHECKOUT_CSS_HASH, DISPLAY_CSS_HASH } from './styles.ts'
import type { Brand, View } from './view.ts'
import type { CheckoutVisit, Reply } from './visit.ts'

const PAGE_POLICY = pagePolicy(CHECKOUT_CSS_HASH)
// Browsers older than 2015 know no hashes and would show the screen without styles; newer ones ignore 'unsafe-inline'
// beside a hash.
const DISPLAY_POLICY = pagePolicy(`'unsafe-inline' ${DISPLAY_CSS_HASH}`)
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // A page is true only at this moment, and may show one customer's payment.
  'Cache-Control': 'no-store',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
}
const DATA_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}
// A picture opened as a page of its own may load and run nothing.
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Sends the reply of a handler. A page is compressed if the browser accepts it, which halves the wait on a bad network. */
export function sendReply(
  reply: FastifyReply,
  answer: Reply,
  { visit, gzip }: { visit: CheckoutVisit; gzip: boolean },
): FastifyReply {
  if ('retryAfterSeconds' in answer) reply.header('Retry-After', String(answer.retryAfterSeconds))
  switch (answer.kind) {
    case 'page': {
      const { view, shop, mode, here = visit.here } = answer
      const brand = buildBrand(shop)
      const page = renderPage(view, { language: visit.language, shop, mode, here, brand })
      reply.code(answer.status).headers({ ...PAGE_HEADERS, 'Content-Security-Policy': choosePolicy(view, brand) })
      setCookies(reply, answer.cookies)
      return sendText(reply, page, gzip)
    }
    case 'redirect':
      setCookies(reply, answer.cookies)
      return reply
        .code(302)
        .headers({ 'Cache-Control': 'no-store', Location: encodeLocation(answer.to) })
        .send()
    case 'json':
      return sendText(reply.code(answer.status).headers(DATA_HEADERS), JSON.stringify(answer.value), false)
    case 'file':
      return reply
        .headers({
          'Content-Type': answer.type,
          'Cache-Control': `public, max-age=${answer.maxAgeSeconds}`,
          'Content-Security-Policy': FILE_POLICY,
        })
        .send(answer.body)
  }
}

/** Allows the merchant's colours, a second small stylesheet inside the page, by a hash of their own. */
function choosePolicy({ kind }: View, { style }: Brand): string {
  if (kind === 'display') return DISPLAY_POLICY
  return style === null ? PAGE_POLICY : pagePolicy(`${CHECKOUT_CSS_HASH} ${styleHash(style)}`)
}

function sendText(reply: FastifyReply, text: string, gzip: boolean): FastifyReply {
  if (!gzip) return reply.send(text)
  return reply.header('Content-Encoding', 'gzip').send(gzipSync(text))
}

function setCookies(reply: FastifyReply, cookies: readonly string[] = []): void {
  if (cookies.length > 0) reply.header('Set-Cookie', [...listHeaderValues(reply.getHeader('Set-Cookie')), ...cookies])
}

const listHeaderValues = (header: unknown): string[] => (header === undefined ? [] : [header].flat().map(String))

const NO_BRAND: Brand = { style: null, logo: null }

// The logo stands on white in both themes, because most logos are made for paper.
const LOGO_STYLE =
  '.logo{justify-self:center;max-width:100%;height:3rem;padding:.25rem .5rem;border-radius:8px;background:#fff;object-fit:contain}'

/** Makes the stylesheet and logo path of a merchant's pages. Every colour is computed; no typed text gets into the stylesheet. */
function buildBrand(shop: Pick<Shop, 'accent' | 'logoAt' | 'handle'> | null): Brand {
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
