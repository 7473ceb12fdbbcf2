import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const PATH = '/dashboard/settings/notifications'
const live = openedAndVerified(() => startLiveService())

/** A merchant with an address that has agreed to hear of these things. */
async function agreed(email: string, wanted: Record<string, string>) {
  const { merchant, live: client } = await live.shop()
  const owner = await signedInAs(live, merchant)
  const sent = await owner.send(await owner.get(PATH), '/add', { email, above: '', ...wanted })
  assert.match(mainOf(await owner.follow(sent)), /was asked/)
  const [link = ''] = await linksIn(live, email)
  const reader = browserOf(live)
  return { merchant, client, owner, reader, link }
}

async function paid(client: Client, amount: number): Promise<void> {
  const { body } = await client.charge({ amount, customer: { phone: newPayer() } })
  await succeed(live, body.id)
}

async function pass(ms: number, ...sweeps: string[]) {
  live.pass(ms)
  for (const sweep of sweeps) await live.run(sweep)
}

test('an address hears nothing before it has agreed, then of large payments in one mail, and stops for good', async () => {
  const { client, reader, link } = await agreed('book@keeper.example', { above: '10,000' })
  const news = async () =>
    (await mailsTo(live, 'book@keeper.example')).filter(({ template }) => template === 'notice-news')
  await paid(client, 50_000)
  await pass(5 * MINUTE_MS, 'send-notices')
  assert.equal((await news()).length, 0)
  for (let looks = 0; looks < 3; looks += 1) assert.match(mainOf(await reader.get(link)), /wants to tell/)
  const yes = await reader.send(await reader.get(link), '/notices', { answer: 'agree' })
  assert.match(mainOf(await reader.follow(yes)), /hears of the payments/)
  await paid(client, 20_000)
  await paid(client, 30_000)
  await paid(client, 5000)
  await pass(5 * MINUTE_MS, 'send-notices', 'send-notices')
  const [mail, ...others] = await news()
  assert.equal(others.length, 0)
  assert.match(mail?.values.news ?? '', /^UGX 20,000 paid, [^\n]*: txn_\S+\nUGX 30,000 paid, [^\n]*: txn_\S+$/)
  const no = await reader.send(await reader.get(link), '/notices', { answer: 'stop' })
  assert.match(mainOf(await reader.follow(no)), /hears nothing more/)
  await paid(client, 90_000)
  await pass(5 * MINUTE_MS, 'send-notices')
  assert.equal((await news()).length, 1)
  assert.equal((await reader.get(`${link.slice(0, -1)}0x`)).status, 404)
})

test('the daily close comes once a day after seven, with the figures of the statement', async () => {
  const { client, reader, link } = await agreed('close@keeper.example', { close: 'yes' })
  await reader.send(await reader.get(link), '/notices', { answer: 'agree' })
  await paid(client, 40_000)
  await paid(client, 60_000)
  const closes = async () =>
    (await mailsTo(live, 'close@keeper.example')).filter(({ template }) => template === 'daily-close')
  const midnight = DAY_MS - ((live.clock.nowMs() + 3 * 3_600_000) % DAY_MS)
  await pass(midnight + 6 * 3_600_000, 'daily-close')
  assert.equal((await closes()).length, 0)
  await pass(3_600_000 + 1000, 'daily-close', 'daily-close')
  const [close, ...others] = await closes()
  assert.equal(others.length, 0)
  assert.match(close?.values.news ?? '', /Collected: 2 charges, UGX 98,500 after fees of UGX 1,500\./)
  await pass(DAY_MS, 'daily-close')
  assert.equal((await closes()).length, 2)
})

test('what is no address, known already or asks for nothing is refused, and only an owner names one', async () => {
  const { owner, merchant } = await agreed('first@keeper.example', { failures: 'yes' })
  const page = await owner.get(PATH)
  for (const [typed, says] of [
    [{ email: 'a@b.ug, c@d.ug', failures: 'yes' }, /email is not a valid email address/],
    [{ email: 'FIRST@keeper.example', failures: 'yes' }, /email is named already/],
    [{ email: 'new@keeper.example' }, /choose at least one thing/],
  ] as const) {
    const reply = await owner.send(page, '/add', { above: '', ...typed })
    assert.equal(reply.status, 400)
    assert.match(mainOf(reply), says)
  }
  const cashier = await signedInAs(live, merchant, { role: 'cashier' })
  assert.doesNotMatch((await cashier.get(PATH)).text, /notifications\/add[#"]/)
})
