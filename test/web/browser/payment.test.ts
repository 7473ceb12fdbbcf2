import assert from 'node:assert/strict'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { ON_BROWSER } from './browser.ts'
import { PHONES, SHOP_NAME } from './states/world.ts'
import { worldOfFile } from './states/world-of-file.ts'
import { DRESS, payButton, sees, sendForm } from './steps.ts'

// Every character that careless copying of an address would change.
const THANKS = '/thanks?order=1042&sig=a%2Bb%20c%7e&empty=&e=%C3%A9'
const POLL_MS = 2500
const FORWARD_MS = 5000
const DAY_MS = 86_400_000

const world = worldOfFile()

const thanks = () => ({ ...DRESS, success_url: `${world.site.origin}${THANKS}` })

longTest(
  'somebody pays: the page turns by itself, says what was paid, and goes on to the shop',
  ON_BROWSER,
  async () => {
    const link = await world.link(thanks())
    await world.visit(async (page) => {
      await page.clock.install()
      await page.goto(link.url)
      await page.getByRole('radio', { name: EN.methods.op2_money }).check()
      await page.getByRole('textbox', { name: EN.pay.phone(null) }).fill(PHONES.pays)
      await page.getByRole('button', { name: EN.pay.button('UGX 25,000') }).click()
      await sees(page, EN.waiting.title)
      assert.match(await page.getByRole('main').innerText(), /\+256 7•• ••• 000/)
      await page.clock.runFor(POLL_MS * 2)
      await sees(page, EN.waiting.title)
      await world.decide()
      await page.clock.runFor(POLL_MS)
      await sees(page, EN.receipt.fresh)
      const [charge] = await world.charges(link)
      const receipt = await page.getByRole('main').innerText()
      for (const fact of ['UGX 25,000', charge?.id ?? '-', DRESS.reference, DRESS.description])
        assert.ok(receipt.includes(fact), fact)
      await page.clock.runFor(FORWARD_MS)
      await page.waitForURL(`${world.site.origin}/**`)
      assert.equal(world.site.asked.at(-1), THANKS)
    })
  },
)

longTest('whoever wants to stay stays, and whoever comes back is not sent away again', ON_BROWSER, async () => {
  const link = await world.link(thanks())
  await world.submit(link, { phone: PHONES.pays })
  await world.decide()
  await world.visit(async (page) => {
    await page.clock.install()
    await page.goto(link.url)
    await page.getByRole('button', { name: EN.receipt.stay }).click()
    assert.equal(await page.locator(':focus').getAttribute('id'), 'forward', 'the focus is not lost')
    const asked = world.site.asked.length
    await page.clock.runFor(FORWARD_MS * 3)
    assert.equal(world.site.asked.length, asked)
  })
  await world.visit(async (page) => {
    await page.goto(link.url)
    await page.locator('#forward').click()
    await page.waitForURL(`${world.site.origin}/**`)
    assert.equal(world.site.asked.at(-1), THANKS)
    await page.goBack()
    await sees(page, EN.receipt.fresh)
    // The line with the countdown is gone: the countdown has stopped.
    await page.locator('#onward .hint').waitFor({ state: 'hidden' })
    assert.ok(await page.locator('#stay').isHidden())
  })
})

longTest(
  'without scripts the page loads itself again until it is paid, and goes on to the shop',
  ON_BROWSER,
  async () => {
    const [link, paid] = [await world.link(DRESS), await world.link(thanks())]
    await world.submit(paid, { phone: PHONES.pays })
    await world.decide()
    const how = { javaScriptEnabled: false }
    await Promise.all([
      world.visit(async (page) => {
        await page.goto(link.url)
        await sendForm(page, PHONES.pays)
        await sees(page, EN.waiting.title)
        await world.decide()
        await sees(page, EN.receipt.fresh)
      }, how),
      world.visit(async (page) => {
        await page.goto(paid.url)
        await sees(page, EN.receipt.fresh)
        await page.waitForURL(`${world.site.origin}/**`)
        assert.equal(world.site.asked.at(-1), THANKS)
      }, how),
    ])
  },
)

for (const javaScriptEnabled of [true, false])
  longTest(
    `each failure says why, and a second try with${javaScriptEnabled ? '' : 'out'} scripts starts where the first did`,
    ON_BROWSER,
    async () => {
      for (const reason of ['insufficient_funds', 'user_cancelled', 'timeout'] as const)
        await world.visit(
          async (page) => {
            const link = await world.link(DRESS)
            await page.goto(link.url)
            await sendForm(page, PHONES[reason])
            await sees(page, EN.waiting.title)
            await world.decide()
            await page.goto(`${link.url}/status`)
            await sees(page, EN.failed.title)
            await page.getByText(EN.failed.reasons[reason].what).waitFor()
            await page.getByText(EN.failed.nothingTaken).waitFor()
            await page.getByRole('button', { name: EN.failed.again }).click()
            assert.equal(await page.locator('#phone').inputValue(), PHONES[reason])
            await sendForm(page, PHONES.pays)
            await sees(page, EN.waiting.title)
            await world.decide()
            await page.goto(link.url)
            await sees(page, EN.receipt.fresh)
            assert.deepEqual(
              (await world.charges(link)).map(({ status }) => status),
              ['failed', 'succeeded'],
            )
          },
          { javaScriptEnabled },
        )
    },
  )

longTest('who has closed the browser finds the receipt tomorrow', ON_BROWSER, async () => {
  const link = await world.link(thanks())
  await world.visit(async (page) => {
    await page.goto(link.url)
    await sendForm(page, PHONES.pays)
    await sees(page, EN.waiting.title)
  })
  await world.decide()
  world.service.pass(DAY_MS)
  const asked = world.site.asked.length
  await world.visit(async (page) => {
    await page.clock.install()
    await page.goto(link.url)
    await sees(page, EN.receipt.earlier)
    await page.clock.runFor(FORWARD_MS * 3)
    assert.equal(world.site.asked.length, asked, 'nobody is sent on a day later')
    assert.equal((await world.charges(link)).length, 1)
  })
})

longTest('the receipt prints what was paid and leaves out what cannot be pressed on paper', ON_BROWSER, async () => {
  const link = await world.link(DRESS)
  await world.submit(link, { phone: PHONES.pays })
  await world.decide()
  await world.visit(async (page) => {
    await page.addInitScript('window.print = () => { window.printed = true }')
    await page.goto(link.url)
    await page.getByRole('link', { name: EN.receipt.receipt, exact: true }).click()
    await sees(page, EN.receipt.printable)
    await page.getByRole('button', { name: EN.receipt.print }).click()
    assert.equal(await page.evaluate('window.printed'), true)
    await page.emulateMedia({ media: 'print' })
    assert.ok(await page.getByText(SHOP_NAME).first().isVisible())
    assert.ok(await page.locator('dl').isVisible())
    assert.equal(await page.locator('button:visible, nav:visible').count(), 0)
  })
})

test('the number is recognised as one types it, and a wrong guess stops nobody', ON_BROWSER, async () => {
  const link = await world.link()
  const { op1_momo: mtn, op2_money: airtel } = EN.methods
  await world.visit(async (page) => {
    await page.goto(link.url)
    const badge = page.locator('#operator')
    const phone = page.getByRole('textbox', { name: EN.pay.phone(null) })
    const says = async (typed: string) => {
      await phone.fill('')
      await phone.pressSequentially(typed)
      return (await badge.innerText()).trim()
    }
    assert.equal(await says('077'), '', 'too early to tell')
    assert.equal(await says('0772 12'), EN.pay.looksLike(mtn))
    assert.equal(await says('+256 761 23'), EN.pay.looksLike(mtn))
    assert.equal(await says('0792 12'), '', 'nobody knows these')
    assert.equal(await says('0700 00'), EN.pay.looksOther(airtel, mtn))
    await page.getByRole('radio', { name: airtel }).check()
    assert.equal((await badge.innerText()).trim(), EN.pay.looksLike(airtel))
    await page.getByRole('radio', { name: EN.methods.card }).check()
    await page.getByRole('radio', { name: mtn }).check()
    await phone.fill('0700000000')
    await payButton(page).click()
    await sees(page, EN.waiting.title)
  })
  assert.equal((await world.charges(link)).length, 1)
})
