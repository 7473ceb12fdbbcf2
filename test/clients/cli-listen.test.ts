import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { verifyWebhook } from '../../clients/typescript/src/gateway-client.ts'
import { cuttingProxy } from '../fakes/cutting-proxy.ts'
import { type Receiver, startReceiver } from '../fakes/receiver.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../helpers/service/opened.ts'
import { longTest, test } from '../helpers/service/parts.ts'
import { startService } from '../helpers/service/test-service.ts'
import { streamShop, tell } from '../helpers/service/told-events.ts'
import { answering } from '../helpers/web/webhooks.ts'
import { type CliUser, openedCli, type RunningCli } from './cli-program.ts'

const endpoint = opened(() => startReceiver())
// With its background work, because events get their numbers there.
const service = openedAndVerified(() => startService({ role: 'all', env: { WEBHOOK_ALLOW_PRIVATE: endpoint.place } }))
const cli = openedCli()

const BEGUN = /Events behind number (\d+)|"listening":true/

async function shop() {
  const { merchant, api, of } = await streamShop(service)
  const user = cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: merchant.keys.test })
  return { merchant, api, user, of: of('test'), trigger: (event: string) => api.post('/v1/test/events', { event }) }
}

/** Gives `work` a receiver and a `listen` that sends events on to it, and ends both. */
async function listening(
  user: CliUser,
  options: string,
  work: (receiver: Receiver, listen: RunningCli) => Promise<void>,
): Promise<void> {
  const receiver = await startReceiver()
  const listen = user.start(`listen --forward ${receiver.url} ${options}`)
  try {
    await listen.says(BEGUN)
    await work(receiver, listen)
  } finally {
    await listen.interrupt()
    await receiver.close()
  }
}

const arrived = (receiver: Receiver, count: number) =>
  eventually(`${count} events have arrived`, () => receiver.received.length === count)

test('an event comes as a real delivery, signed with the secret that is printed, and Ctrl-C ends with the count', async () => {
  const { merchant, user, trigger } = await shop()
  endpoint.behave(answering(200))
  await service.set(merchant, { webhookUrl: endpoint.url })
  const before = endpoint.received.length
  await listening(user, '', async (receiver, listen) => {
    await trigger('charge.succeeded')
    await arrived(receiver, 1)
    const [{ body, headers, event } = assert.fail()] = receiver.received
    const [, secret = ''] = await listen.says(/Secret of their signatures: (whsec_\S+)/)
    assert.equal(`${secret}\n`, (await user.run('listen --print-secret')).stdout)
    const verified = await verifyWebhook(body, headers as Record<string, string>, { secret })
    assert.equal(verified.event, 'charge.succeeded')
    const other = { secret: 'whsec_b3RoZXIgc2VjcmV0IG9mIG90aGVycw==' }
    await assert.rejects(verifyWebhook(body, headers as Record<string, string>, other), { reason: 'wrong_signature' })
    await eventually('the real one has arrived', () => endpoint.received.length > before)
    const real = endpoint.received.at(-1)
    assert.deepEqual(event, real?.event)
    // At the first attempt a delivery seldom knows its number, and the way it is connected is its own.
    const names = (one: object = {}) =>
      Object.keys(one).filter((name) => !/^(host|connection|x-event-sequence)$/.test(name))
    assert.deepEqual(names(headers).toSorted(), names(real?.headers).toSorted())
    assert.deepEqual([headers['x-event-sequence'], headers['user-agent']], ['1', real?.headers['user-agent']])
    await listen.says(new RegExp(`charge\\.succeeded {2}${event.id} {2}#1 {2}200 in \\d+ ms`))
    const ended = await listen.interrupt()
    assert.equal(ended.code, 0)
    assert.match(ended.stderr, /\n1 events, of which 1 were taken\. Go on with --from 1\n$/)
  })
})

test('it begins with what is new, or behind a cursor, and takes only the events that are wanted', async () => {
  const { user, trigger, of } = await shop()
  await tell(service, of, 230)
  await eventually('they are numbered', async () => {
    // A number that was not given yet is refused.
    const { code, stdout } = await user.run('events list --starting-after 229 --json')
    return code === 0 && JSON.parse(stdout).data.length === 1
  })
  await listening(user, '--events payout.failed,test.ping', async (receiver, listen) => {
    assert.equal((await listen.says(BEGUN))[1], '230')
    await trigger('charge.succeeded')
    await trigger('payout.failed')
    await trigger('test.ping')
    await arrived(receiver, 2)
    assert.deepEqual(
      receiver.received.map(({ event }) => event.event),
      ['payout.failed', 'test.ping'],
    )
  })
  await listening(user, '--from 229 --json', async (receiver, listen) => {
    await arrived(receiver, 4)
    await eventually('all are told', () => listen.said.stdout.split('\n').length === 5)
    const told = listen.said.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      told.map(({ sequence }) => sequence),
      [230, 231, 232, 233],
    )
    assert.deepEqual([told[1].envelope.event, told[1].forwarded.status], ['charge.succeeded', 200])
    const { forward, from, secret } = JSON.parse(listen.said.stderr.split('\n')[0] ?? '')
    assert.deepEqual([forward, from, secret.slice(0, 6)], [receiver.url, '229', 'whsec_'])
  })
})

test('a receiver that refuses or is away is told in a line, and the next event goes on', async () => {
  const { user, trigger } = await shop()
  await listening(user, '', async (receiver, listen) => {
    receiver.behave(answering(500))
    await trigger('charge.failed')
    await listen.says(/charge\.failed .* 500 in \d+ ms/)
    receiver.behave((response: ServerResponse) => response.socket?.destroy())
    await trigger('payout.failed')
    await listen.says(/payout\.failed .* the connection was closed without an answer in \d+ ms/)
    await receiver.close()
    await trigger('payout.succeeded')
    await listen.says(/payout\.succeeded .* nobody listens there in \d+ ms/)
    assert.match((await listen.interrupt()).stderr, /\n3 events, of which 0 were taken\. Go on with --from 3\n$/)
  })
})

test('without a receiver events are shown alone', async () => {
  const { user, trigger } = await shop()
  const listen = user.start('listen')
  await listen.says(BEGUN)
  await trigger('dispute.opened')
  await listen.says(/ {2}dispute\.opened {2}evt_\w+ {2}#1\n/)
  assert.match((await listen.interrupt()).stderr, /\n1 events\. Go on with --from 1\n$/)
})

longTest('a line that is cut, and a service that is away, are outlived without losing an event', async () => {
  const { user, trigger, of } = await shop()
  const wire = cuttingProxy([
    { to: { host: '127.0.0.1', port: Number(new URL(service.url).port) }, port: await freePort() },
  ])
  await wire.open()
  const settings = { ...user.settings, GATEWAY_URL: `http://127.0.0.1:${wire.port}` }
  try {
    await listening(cli.newUser(settings), '', async (receiver, listen) => {
      await trigger('charge.succeeded')
      await arrived(receiver, 1)
      await wire.close()
      await listen.says(/the service does not answer \(.+\): asking again/)
      await tell(service, of, 3)
      await wire.open()
      await listen.says(/the service answers again/)
      await arrived(receiver, 4)
      const numbers = receiver.received.map(({ headers }) => headers['x-event-sequence'])
      assert.deepEqual(numbers, ['1', '2', '3', '4'])
    })
  } finally {
    await wire.close()
  }
})

longTest('a receiver that hangs is left after ten seconds, and Ctrl-C does not wait for it', async () => {
  const { user, trigger } = await shop()
  await listening(user, '', async (receiver, listen) => {
    receiver.behave((response, nth) => void (nth === 1 || nth === 3 || response.writeHead(204).end()))
    await trigger('charge.failed')
    await trigger('charge.succeeded')
    await listen.says(/charge\.failed .* no answer within 10 s\n/)
    await listen.says(/charge\.succeeded .* 204 in \d+ ms/)
    await trigger('payout.failed')
    await arrived(receiver, 3)
    const begunMs = performance.now()
    const ended = await listen.interrupt()
    assert.ok(performance.now() - begunMs < 5000)
    assert.match(ended.stderr, /\n2 events, of which 1 were taken\. Go on with --from 2\n$/)
  })
})
