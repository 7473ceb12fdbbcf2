import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ verified: true }))
const other = made(() => service.merchant({ verified: true }))

test('a person makes a link, finds it in the list, switches it off and on again', async () => {
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const list = '/dashboard/test/links'
  const sent = await cashier.send(await cashier.get(`${list}/new`), '/links/new', {
    amount: '25,000',
    description: 'Kitenge, <b>blue</b>',
    reference: 'L-1',
    success_url: 'https://shop.example/thanks',
    many: 'yes',
  })
  const page = await cashier.follow(sent)
  assert.match(mainOf(page), /UGX 25,000 .*any number of times .*Kitenge, <b>blue<\/b>/)
  assert.doesNotMatch(page.text, /<b>blue/)
  const id = sent.location.split('/').at(-1) ?? ''
  const { body } = await service.client(shop.keys.test).get(`/v1/payment-links/${id}`)
  assert.deepEqual([body.amount, body.reference, body.allow_multiple_uses], [25_000, 'L-1', true])
  assert.match((await cashier.get(`${list}?reference=L-1`)).text, new RegExp(id))
  const off = await cashier.follow(await cashier.send(page, '/off'))
  assert.match(mainOf(off), /The link is switched off\. .*switched off/)
  assert.match(mainOf(await cashier.follow(await cashier.send(off, '/on'))), /The link is switched on/)
  const wrong = await cashier.send(await cashier.get(`${list}/new`), '/links/new', {
    amount: '200',
    success_url: 'javascript:1',
  })
  assert.equal(wrong.status, 400)
  assert.match(mainOf(wrong), /success_url must be an http or https URL/)
})

test('gift cards show their codes once, also when the form is sent again, and never in the list', async () => {
  const owner = await signedInAs(service, shop)
  const list = '/dashboard/gift-cards'
  const fields = {
    ...formOf(await owner.get(`${list}/issue`), '/issue').fields,
    value: '10,000',
    quantity: '2',
    notes: 'Idd',
  }
  const [first, again] = [await owner.post(`${list}/issue`, fields), await owner.post(`${list}/issue`, fields)]
  // Each stands in the list to copy and on its card to print.
  const codes = (text: string) => [
    ...new Set([...text.matchAll(/(?<![\w-])[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}(?![\w-])/g)].map(([code]) => code)),
  ]
  assert.equal(codes(first.text).length, 2)
  assert.deepEqual(codes(again.text), codes(first.text))
  const page = await owner.get(list)
  assert.deepEqual(codes(page.text), [])
  const ids = [...page.text.matchAll(/gift-cards\/(gc_[a-z0-9]+)"/g)].map(([, id]) => id ?? '')
  assert.equal(ids.length, 2)
  const card = await owner.get(`${list}/${ids[0]}`)
  assert.match(mainOf(await owner.follow(await owner.send(card, '/deactivate'))), /The card is deactivated/)
  assert.equal((await owner.get(`/dashboard/test/gift-cards/${ids[0]}`)).status, 404)
  const inTest = await owner.get('/dashboard/test/gift-cards')
  assert.match(
    mainOf(inTest),
    /none in test mode\. To the gift cards in live mode .*Example, pays nothing .*UGX 20,000 0000-0000-0000/,
  )
  assert.ok(inTest.text.includes(`href="${list}"`), 'it leads to live mode')
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  assert.doesNotMatch((await cashier.get(list)).text, /\/issue[#"]/)
  const sent = await cashier.post(`${list}/issue`, {
    csrf: formOf(await cashier.get('/dashboard/links/new'), '/new').fields.csrf ?? '',
  })
  assert.deepEqual([sent.status, /your role \(cashier\) may not do this/.test(sent.text)], [403, true])
})

/** A form with a file, as a browser sends it. */
function multipart(fields: Readonly<Record<string, string>>, file: { name: string; bytes: Buffer } | null) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('picture', new Blob([new Uint8Array(file?.bytes ?? Buffer.alloc(0))]), file?.name ?? '')
  return new Response(form)
}

async function sendFile(
  person: Awaited<ReturnType<typeof signedInAs>>,
  path: string,
  ...parts: Parameters<typeof multipart>
) {
  const made = multipart(...parts)
  const body = new Uint8Array(await made.arrayBuffer())
  return person.post(path, body, { 'content-type': made.headers.get('content-type') ?? '' })
}

test('an item with a picture comes onto the public page, changes and leaves it', async () => {
  const owner = await signedInAs(service, shop)
  const list = '/dashboard/storefront'
  const bytes = await sharp({ create: { width: 50, height: 80, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const fields = {
    ...formOf(await owner.get(`${list}/add`), '/add').fields,
    name: 'Ŋŋoma drum',
    amount: '30,000',
    description: '',
  }
  const added = await sendFile(owner, `${list}/add`, fields, { name: '../../drum.png', bytes })
  const page = await owner.follow(added)
  assert.match(mainOf(page), /Ŋŋoma drum/)
  const picture = /src="(\/pay\/@[^"]+pictures[^"]+)"/.exec(page.text)?.[1] ?? ''
  assert.equal((await owner.get(picture)).headers.get('content-type'), 'image/webp')
  const publicPage = await owner.get(`/pay/@${shop.handle}`)
  assert.match(publicPage.text, /Ŋŋoma drum/)
  const edit = { ...formOf(page, '/edit').fields, amount: '35,000' }
  const edited = await owner.follow(await sendFile(owner, `${added.location}/edit`, edit, null))
  assert.match(edited.text, /value="35000"/)
  assert.match(edited.text, /pictures/)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  const refused = await sendFile(owner, `${added.location}/edit`, edit, { name: 'a.png', bytes: svg })
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /the picture must be a whole PNG, JPEG or WebP file/)
  const removed = await owner.follow(await owner.send(edited, '/remove'))
  assert.match(mainOf(removed), /The item was removed/)
  assert.doesNotMatch((await owner.get(`/pay/@${shop.handle}`)).text, /Ŋŋoma/)
})

test('a form with two files, too large a file or no end is refused, and a stranger is not even read', async () => {
  const owner = await signedInAs(service, shop)
  const before = await service.digest()
  const csrf = formOf(await owner.get('/dashboard/storefront/add'), '/add').fields
  const large = await sendFile(
    owner,
    '/dashboard/storefront/add',
    { ...csrf, name: 'a', amount: '1000' },
    {
      name: 'a.png',
      bytes: Buffer.alloc(3 * 1024 * 1024),
    },
  )
  assert.equal(large.status, 413)
  const cut = await owner.post('/dashboard/storefront/add', '--x\r\nContent-Disposition: form-data; name="a"', {
    'content-type': 'multipart/form-data; boundary=x',
  })
  assert.equal(cut.status, 400)
  assert.equal(await service.digest(), before)
})

test('what is of another merchant or of the other mode is not there', async () => {
  const stranger = await signedInAs(service, other)
  const owner = await signedInAs(service, shop)
  const { body: link } = await service.client(shop.keys.test).post('/v1/payment-links', { amount: 5000 })
  for (const [person, path] of [
    [stranger, `/dashboard/test/links/${link.id}`],
    [owner, `/dashboard/links/${link.id}`],
    [owner, '/dashboard/storefront/itm_none'],
    [owner, '/dashboard/disputes/dsp_none'],
    [owner, '/dashboard/gift-cards/gc_none'],
  ] as const)
    assert.equal((await person.get(path)).status, 404, path)
})
