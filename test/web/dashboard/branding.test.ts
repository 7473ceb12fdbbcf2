import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf, hasForm } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { sendFiles } from '../../helpers/web/sending-files.ts'
import { png } from '../../helpers/web/verification.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ verified: true }))
const other = made(() => service.merchant({ verified: true }))
const HOME = '/dashboard/settings/branding'
const customer = made(() => browserOf(service))

const linkOf = async (keys: { test: string }) =>
  `/pay/${(await service.client(keys.test).post('/v1/payment-links', { amount: 5000 })).body.id}`
const styles = (text: string) => [...text.matchAll(/<style>(.*?)<\/style>/g)].map(([, css]) => css ?? '')
const hashOf = (css: string) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`

test('a colour and a logo are on every page of the customers, allowed by hash, and on nobody else’s', async () => {
  const owner = await signedInAs(service, shop)
  const page = await linkOf(shop.keys)
  assert.equal(styles((await customer.get(page)).text).length, 1, 'without a colour nothing is added')
  const saved = await owner.send(await owner.get(HOME), '/colour', { accent: '#FFCC00' })
  assert.match(mainOf(await owner.follow(saved)), /The colour was saved/)
  const bytes = await sharp({ create: { width: 900, height: 300, channels: 4, background: '#00800080' } })
    .png()
    .withExif({ IFD0: { Copyright: 'Grace' } })
    .toBuffer()
  const { fields } = formOf(await owner.get(HOME), '/logo')
  const logoSaved = await sendFiles(owner, `${HOME}/logo`, { fields, files: [{ name: '../x.svg', bytes }] })
  const settings = await owner.follow(logoSaved)
  assert.match(mainOf(settings), /The logo was saved/)
  assert.match(settings.text, /fill="#8[0-9a-f]{5}"/, 'the preview has the colour as it can be read')
  for (const path of [page, `/pay/@${shop.handle}`]) {
    const { text, headers } = await customer.get(path)
    const [, own = ''] = styles(text)
    assert.match(own, /^:root\{--accent:#[0-9a-f]{6};--over:#ffffff;--tint:#[0-9a-f]{6}\}@media screen and/)
    for (const css of styles(text))
      assert.ok(headers.get('content-security-policy')?.includes(hashOf(css)), `${path} allows ${css.slice(0, 30)}`)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe-inline/)
    const logo = /<img class="logo" src="([^"]+)" alt height="48"\/>/.exec(text)?.[1] ?? ''
    const shown = await fetch(`${service.url}${logo}`)
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/webp'])
    assert.match(shown.headers.get('cache-control') ?? '', /public, max-age=31536000/)
    const { width, height, exif } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata()
    assert.deepEqual([width, height, exif], [432, 144, undefined])
  }
  assert.equal(styles((await customer.get(await linkOf(other.keys))).text).length, 1)
  assert.equal((await customer.get(`/pay/@${other.handle}/logo`)).status, 404)
  await owner.send(settings, '/colour/remove')
  const plain = await owner.follow(await owner.send(settings, '/logo/remove'))
  assert.match(mainOf(plain), /The logo was removed\. .*No logo yet/)
  assert.equal(styles((await customer.get(page)).text).length, 1)
  assert.doesNotMatch((await customer.get(page)).text, /class="logo"/)
})

test('what is no colour or no picture is refused, and only an owner may change either', async () => {
  const owner = await signedInAs(service, shop)
  const page = await owner.get(HOME)
  for (const accent of ['red', '#12345', '#000000;}body{display:none', 'url(https://x.example)']) {
    const reply = await owner.send(page, '/colour', { accent })
    assert.deepEqual([reply.status, accent], [400, accent])
    assert.match(mainOf(reply), /accent must be a colour such as #0b6b53/)
  }
  const { fields } = formOf(page, '/logo')
  const send = (bytes: Buffer, as = owner, given: Record<string, string> = fields) =>
    sendFiles(as, `${HOME}/logo`, { fields: given, files: [{ name: 'logo.png', bytes }] })
  for (const bytes of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    png(100_000, 100_000, 1),
    png(60, 60).subarray(0, -20),
  ])
    assert.match(mainOf(await send(bytes)), /logo must be a whole PNG, JPEG or WebP file of at most 2 MB/)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const) {
    const person = await signedInAs(service, shop, { role })
    const seen = await person.get(HOME)
    assert.deepEqual([seen.status, hasForm(seen, '/logo'), hasForm(seen, '/colour')], [200, false, false])
    const own = formOf(seen, '/sign-out').fields
    assert.equal((await person.post(`${HOME}/colour`, { ...own, accent: '#123456' })).status, 403)
    assert.equal((await send(png(4, 4), person, own)).status, 403)
  }
  const [{ n } = { n: -1 }] = await service.rows<{ n: number }>(
    `select count(*)::int as n from brandings where accent is not null or logo is not null`,
  )
  assert.equal(n, 0)
})
