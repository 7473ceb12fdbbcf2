import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import sharp from 'sharp'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { findPicture } from '../../../src/selling/storefront/find-items.ts'
import { assertRefused, type Ran } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const BASE_URL = 'https://pay.example.ug'
const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
after(() => rmSync(folder, { recursive: true }))
const service = openedAndVerified(() => startService())
const { run, json } = commandsOn(service, { more: () => ({ BASE_URL }) })
const fileOf = (name: string, content: Buffer | string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function shop() {
  const { id } = await service.merchant()
  const { merchant } = await getMerchantNamed(service.gateway, id)
  const { handle } = merchant
  const storefront =
    (verb: string) =>
    (...rest: string[]) =>
      json('storefront', verb, handle, ...rest)
  const pictureOf = (itemId: string) => findPicture(service.app, { mode: 'live', merchantId: merchant.id, itemId })
  const [add, edit, list, remove] = ['add', 'edit', 'list', 'remove'].map(storefront) as [Verb, Verb, Verb, Verb]
  return { handle, merchant, add, edit, list, remove, pictureOf }
}
type Verb = (...rest: string[]) => Promise<any>

const auditOf = (merchantId: number) =>
  service.rows<any>(
    `select action, subject, after from audit where merchant_id = $1 and action like 'item.%' order by id`,
    [merchantId],
  )

test('an item is added, listed, edited and removed, each with a row of audit', async () => {
  const { handle, merchant, add, edit, list, remove } = await shop()
  const made = await add('--name', 'Mangoes', '--amount', '5000', '--description', 'Five kilos')
  const { id, link_id, created_at, ...rest } = made
  assert.deepEqual(rest, {
    name: 'Mangoes',
    amount: 5000,
    url: `${BASE_URL}/pay/${link_id}`,
    description: 'Five kilos',
    picture_url: null,
    shown: true,
  })
  assert.ok(Math.abs(Date.parse(created_at) - service.clock.nowMs()) < 60_000)
  assert.deepEqual(await list(), [made])
  const edited = await edit('--item', id, '--amount', '6000', '--name', 'Ripe mangoes', '--description', '')
  assert.deepEqual([edited.amount, edited.name, edited.description], [6000, 'Ripe mangoes', null])
  const text = (await run('storefront', 'list', handle)).stdout
  assert.equal(text, `${id} 6000 Ripe mangoes  ${edited.url}\n`)
  await json('payment-links', 'off', handle, '--link', edited.link_id)
  assert.deepEqual(
    (await list()).map((one: any) => one.shown),
    [false],
  )
  assert.match((await run('storefront', 'list', handle)).stdout, /hidden: its link is switched off/)
  assert.equal((await remove('--item', id)).shown, false)
  assert.deepEqual(await list(), [])
  assert.equal((await run('storefront', 'list', handle)).stdout, 'nothing is offered\n')
  assert.deepEqual(await auditOf(merchant.id), [
    { action: 'item.add', subject: id, after: { name: 'Mangoes', link: link_id, amount: 5000 } },
    { action: 'item.edit', subject: id, after: { name: edited.name, link: edited.link_id, amount: 6000 } },
    { action: 'item.remove', subject: id, after: { name: edited.name, link: edited.link_id, amount: 6000 } },
  ])
})

test('storefront add with a key adds once, however often and at the same moment', async () => {
  const { add, list, merchant, handle } = await shop()
  const words = ['--name', 'Mangoes', '--amount', '5000', '--key', 'spring']
  const made = await Promise.all([add(...words), add(...words), add(...words)])
  for (const one of made) assert.deepEqual(one, made[0])
  assert.deepEqual(await list(), [made[0]])
  assert.equal((await auditOf(merchant.id)).length, 1)
  const other = ['storefront', 'add', handle, '--name', 'Mangoes', '--amount', '5001', '--key', 'spring']
  assertRefused(await run(...other), { code: 1, says: /idempotency key reused/ })
})

test('a picture is stored small and square, changed, kept through other changes, and taken away', async () => {
  const { add, edit, pictureOf, handle } = await shop()
  const drawn = (background: string) => sharp({ create: { width: 1600, height: 900, channels: 3, background } })
  const png = fileOf('a picture, really.txt', await drawn('red').png().toBuffer())
  const webp = fileOf('other.png', await drawn('blue').webp().toBuffer())
  const { id, picture_url } = await add('--name', 'Mangoes', '--amount', '5000', '--picture', png)
  const first = await pictureOf(id)
  assert.ok(first)
  const facts = await sharp(first.body).metadata()
  assert.deepEqual([facts.format, facts.width, facts.height], ['webp', 320, 320])
  assert.equal(picture_url, `${BASE_URL}/pay/@${handle}/pictures/${id}?v=${first.at.getTime()}`)
  assert.equal((await edit('--item', id, '--amount', '6000')).picture_url, picture_url)
  assert.deepEqual(await pictureOf(id), first)
  const changed = await edit('--item', id, '--picture', webp)
  assert.notEqual(changed.picture_url, picture_url)
  assert.notDeepEqual((await pictureOf(id))?.body, first.body)
  assert.equal((await edit('--item', id, '--picture', 'none')).picture_url, null)
  assert.equal(await pictureOf(id), null)
})

test('what is no picture is refused in one sentence, and nothing is added', async () => {
  const { handle, list } = await shop()
  const says = /^--picture must be a PNG, JPEG or WebP file of at most 2 MB\n$/
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const files = [
    fileOf('page.png', '<!doctype html><script>alert(1)</script>'),
    fileOf('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    fileOf('empty.png', ''),
    fileOf('cut.png', png.subarray(0, 40)),
    fileOf('long.png', Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)])),
    folder,
    pipe,
    '/dev/zero',
  ]
  const add = (picture: string) =>
    run('storefront', 'add', handle, '--name', 'Mangoes', '--amount', '5000', '--picture', picture)
  for (const file of files) assertRefused(await add(file), { code: 1, says })
  assertRefused(await add(join(folder, 'absent.png')), { code: 1, says: /names a file that cannot be read/ })
  assert.deepEqual(await list(), [])
})

test('what may not be is refused with exit code 1, wrong usage with 2', async () => {
  const [own, stranger] = [await shop(), await shop()]
  const { id } = await stranger.add('--name', 'Mangoes', '--amount', '5000')
  const { id: removed } = await own.add('--name', 'Mangoes', '--amount', '5000')
  await own.remove('--item', removed)
  const add = ['storefront', 'add', own.handle]
  const edit = ['storefront', 'edit', own.handle]
  const cases: [string[], number, RegExp][] = [
    [[...add, '--name', 'x', '--amount', '200'], 1, /^fee exceeds amount\n$/],
    [[...add, '--name', 'x', '--amount', '1000000001'], 1, /^amount exceeds the maximum of 1000000000\n$/],
    [[...add, '--name', 'x'.repeat(201), '--amount', '500'], 1, /name must be at most 200 characters/],
    [[...edit, '--item', id, '--name', 'x'], 1, /^item not found\n$/],
    [[...edit, '--item', removed, '--name', 'x'], 1, /^item not found\n$/],
    [['storefront', 'remove', own.handle, '--item', id], 1, /^item not found\n$/],
    [['storefront', 'list', 'nobody'], 1, /no merchant called nobody/],
    [[...add, '--amount', '500'], 2, /--name is required/],
    [[...add, '--name', 'x'], 2, /--amount is required/],
    ...['0', '-5', '5.5', '5,000', 'x'].map((amount): [string[], number, RegExp] => [
      [...add, '--name', 'x', `--amount=${amount}`],
      2,
      /--amount must be a whole number/,
    ]),
    [[...add, '--name', 'x', '--amount', '500', '--key', ''], 2, /--key must be 1 to 200 characters/],
    [[...edit, '--name', 'x'], 2, /--item is required/],
    [[...edit, '--item', removed], 2, /nothing to change/],
    [['storefront', 'remove', own.handle], 2, /--item is required/],
  ]
  const ran = await Promise.all(cases.map(([args]) => run(...args)))
  for (const [at, [, code, says]] of cases.entries()) assertRefused(ran[at] as Ran, { code, says })
  assert.equal((await stranger.list()).length, 1)
})
