import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test, { afterEach } from 'node:test'
import { verifyWebhook } from '../../../../clients/typescript/src/webhooks-verify.ts'
import { type Receiver, startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { formOf, hasForm } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const PAGE = '/dashboard/test/developers/webhooks'
const MESSAGES = 115
const SPEED = 'How fast it answers'
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, RATE_LIMIT_GRADING: '1' } }),
)
afterEach(() => {
  receiver.received.length = 0
})

type Message = Receiver['received'][number]
/** What a receiver does with a message whose signature it has checked or not: the status of its answer. */
type Answers = (message: Message, isSigned: () => boolean) => number | Promise<number>

async function shopWithHook() {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  return { merchant, browser: await signedInAs(service, merchant, { role: 'developer' }) }
}

/** Grades a receiver that answers so, and returns what the page says of each respect by its title. */
async function grade(answers: Answers) {
  const { merchant, browser } = await shopWithHook()
  receiver.behave((response) => void reply(response, merchant.webhook_secret, answers))
  const page = await browser.send(await browser.get(PAGE), '/webhooks/grade', {})
  assert.equal(page.status, 200, page.text)
  const found = page.text.split('<section').flatMap((section) => {
    const verdict = /<h2>(.*?)<\/h2>/.exec(section)?.[1]
    const items = [...section.matchAll(/<h3>(.*?)<\/h3><p>(.*?)<\/p>/g)]
    return items.map(([, title = '', says = '']) => [title, { verdict, says }] as const)
  })
  assert.equal(found.length, 14)
  return { of: Object.fromEntries(found), text: mainOf(page) }
}

async function reply(response: ServerResponse, secret: string, answers: Answers) {
  const message = receiver.received.at(-1)
  assert.ok(message)
  const signature = createHmac('sha256', secret).update(message.body).digest('hex')
  response.writeHead(await answers(message, () => message.headers['x-service-signature'] === signature)).end()
}

const faultsOf = ({ of }: Awaited<ReturnType<typeof grade>>) =>
  Object.entries(of)
    // How fast it was depends on the machine.
    .filter(([title, { verdict }]) => verdict !== 'Right' && title !== SPEED)
    .map(([title, { verdict }]) => `${title}: ${verdict}`)
    .sort()

test('a receiver made with our client gets nothing wrong, and nothing of its test is kept', async () => {
  const { merchant, browser } = await shopWithHook()
  const secret = merchant.webhook_secret
  receiver.behave((response) => {
    const { body, headers } = receiver.received.at(-1) as Message
    verifyWebhook(body, headers, { secret }).then(
      () => response.writeHead(204).end(),
      () => response.writeHead(400).end(),
    )
  })
  const page = await browser.send(await browser.get(PAGE), '/webhooks/grade', {})
  // How fast it was depends on the machine.
  assert.match(mainOf(page), /(14 right, 0 wrong|13 right, 0 wrong, 1 could be better)\. /)
  assert.match(mainOf(page), /How fast it answers/)
  assert.doesNotMatch(mainOf(page), /Not tried|Mend what/)
  assert.equal(receiver.received.length, MESSAGES)
  assert.ok(receiver.received.every(({ event }) => event.data.mode === 'test' && event.data.sample === true))
  const api = service.client(merchant.keys.test)
  assert.deepEqual((await api.get('/v1/webhooks')).body.data, [])
  await service.run('seal-events')
  assert.deepEqual((await api.get('/v1/events')).body.data, [])
  const audit = await service.rows<{ after: object }>(
    `select a.after from audit a join cell_0.merchants m on m.id = a.merchant_id where m.public_id = $1 and a.action = 'webhook.ping'`,
    [merchant.id],
  )
  assert.deepEqual(audit, [{ after: { graded: true } }])
})

test('each thing that a receiver does wrong is named with its reason', async (t) => {
  const known = new Set<string>()
  const wrongOf: { does: string; answers: Answers; faults: string[]; says: RegExp }[] = [
    {
      does: 'takes everything',
      answers: () => 200,
      faults: [
        'A message signed with another secret: Wrong',
        'A message whose amount was changed on the way: Wrong',
        'A message without a signature: Wrong',
        'A message that was signed an hour ago: Could be better',
      ],
      says: /whoever knows the address can say that he has paid/,
    },
    {
      does: 'breaks where it should refuse',
      answers: (_message, isSigned) => (isSigned() ? 200 : 500),
      faults: [
        'A message signed with another secret: Could be better',
        'A message whose amount was changed on the way: Could be better',
        'A message without a signature: Could be better',
        'A message that was signed an hour ago: Could be better',
      ],
      says: /answered 500, so it does not take the message, but it does not refuse it either/,
    },
    {
      does: 'judges the time of the event',
      answers: ({ event }, isSigned) => (isSigned() && event.timestamp > Date.now() / 1000 - 300 ? 200 : 400),
      faults: ['An event of the day before yesterday: Wrong'],
      says: /Judge freshness by webhook-timestamp, never by the timestamp of the body/,
    },
    {
      does: 'refuses an id that it has',
      answers: ({ event }, isSigned) => {
        if (!isSigned()) return 401
        const isNew = !known.has(event.id)
        known.add(event.id)
        return isNew ? 200 : 409
      },
      faults: [
        'A message that was signed an hour ago: Could be better',
        'The same message twice: Wrong',
        'The same message twice at the same moment: Wrong',
      ],
      says: /answered 409. A message that you have already is answered with a 2xx too/,
    },
    {
      does: 'knows every event and field',
      answers: ({ event }, isSigned) => {
        if (!isSigned()) return 401
        const isKnown = /^charge\.(succeeded|refunded)$/.test(event.event) && Object.keys(event).length === 4
        return isKnown ? 200 : 422
      },
      faults: [
        'A message that was signed an hour ago: Could be better',
        'A kind of event that does not exist yet: Wrong',
        'Fields that do not exist yet: Wrong',
      ],
      says: /answered 422. New kinds of events come without a new version/,
    },
    {
      does: 'wants the payment before its refund',
      answers: ({ event }, isSigned) => (!isSigned() ? 401 : event.event === 'charge.refunded' ? 404 : 200),
      faults: ['A message that was signed an hour ago: Could be better', 'A refund before its payment: Wrong'],
      says: /answered 404. Events come in no promised order/,
    },
    {
      does: 'signs what its parser writes again',
      answers: ({ body }, isSigned) => (!isSigned() || /[^\x20-\x7e]/.test(body) ? 401 : 200),
      faults: ['A message that was signed an hour ago: Could be better', 'Names in other letters: Wrong'],
      says: /answered 401. It took a plain message before. Sign the bytes as they came/,
    },
    {
      does: 'has ten places',
      // The hundred come last.
      answers: (_message, isSigned) => (!isSigned() ? 401 : receiver.received.length > MESSAGES - 100 + 10 ? 503 : 200),
      faults: ['A message that was signed an hour ago: Could be better', '100 messages at once: Wrong'],
      says: /It did not take 90 of 100: one answered 503/,
    },
  ]
  for (const { does, answers, faults, says } of wrongOf)
    await t.test(does, async () => {
      const found = await grade(answers)
      assert.deepEqual(faultsOf(found), faults.sort())
      assert.match(found.text, says)
    })
})

test('a receiver that does not take the first message is sent no other', async () => {
  const { of, text } = await grade(() => 500)
  assert.equal(receiver.received.length, 1)
  assert.match(text, /0 right, 1 wrong\. Mend what is wrong/)
  assert.match(text, /It answered 500\. Check that it runs, and that this address leads to it\./)
  assert.equal(Object.values(of).filter(({ verdict }) => verdict === 'Not tried').length, 13)
})

test('a wrong secret is what a refusal of the first message is told of', async () => {
  const { text } = await grade(() => 401)
  assert.match(text, /It answered 401\. Check that it has the secret of this address/)
})

test('an answer that takes two seconds could be better', async () => {
  let isFirst = true
  const { of } = await grade(async (_message, isSigned) => {
    const waits = isFirst ? 2_050 : 0
    isFirst = false
    await new Promise((resolve) => setTimeout(resolve, waits))
    return isSigned() ? 200 : 401
  })
  assert.equal(of[SPEED]?.verdict, 'Could be better')
})

test('a receiver is tried once a minute, with an address, in test mode, by those who may send a test event', async () => {
  const { merchant, browser } = await shopWithHook()
  receiver.behave((response) => void response.writeHead(500).end())
  const page = await browser.get(PAGE)
  assert.equal((await browser.send(page, '/webhooks/grade', {})).status, 200)
  const again = await browser.send(page, '/webhooks/grade', {})
  assert.equal(again.status, 429)
  assert.match(mainOf(again), /rate limit exceeded - retry in \d+ seconds/)
  assert.equal(receiver.received.length, 1)
  const live = await browser.get('/dashboard/developers/webhooks')
  assert.equal(hasForm(live, '/webhooks/grade'), false)
  assert.match(mainOf(live), /In test mode this page tries your receiver/)
  const inLive = await browser.post('/dashboard/developers/webhooks/grade', formOf(live, '/webhooks/ping').fields)
  assert.equal(inLive.status, 400)
  assert.match(mainOf(inLive), /a receiver is tried in test mode: its messages are about nothing/)
  const accountant = await signedInAs(service, merchant, { role: 'accountant' })
  assert.equal(hasForm(await accountant.get(PAGE), '/webhooks/grade'), false)
  service.pass(61_000)
  await service.set(merchant, { webhookUrl: null })
  const without = await browser.send(page, '/webhooks/grade', {})
  assert.equal(without.status, 400)
  assert.match(mainOf(without), /there is no webhook address yet: enter one, then try it/)
  assert.equal(receiver.received.length, 1)
})
