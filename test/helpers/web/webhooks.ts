import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { deliverySender } from '../../../src/merchants/webhooks/send-deliveries.ts'
import type { Receiver } from '../../fakes/receiver.ts'
import { eventually, newPayer } from '../service/live-service.ts'
import type { Client, TestService } from '../service/test-service.ts'

/** A test charge that has ended, and the id of its event. */
export async function endedCharge(
  service: TestService,
  api: Client,
  phone = newPayer(),
): Promise<{ chargeId: string; eventId: string }> {
  const { body } = await api.charge({ customer: { phone } })
  service.pass(2000)
  await service.run('follow-charges')
  const [event] = await service.rows<{ id: string }>('select id from events where subject = $1', [body.id])
  assert.ok(event, `${body.id} has ended`)
  return { chargeId: body.id, eventId: event.id }
}

/** One round of a worker: changed addresses first, then every due delivery with a free place, each to its end. */
export async function deliver(service: TestService): Promise<number> {
  await service.run('tend-addresses')
  return service.run('send-deliveries')
}

/** Rounds until nothing is due any more. */
export async function deliverAll(service: TestService): Promise<number> {
  let started = 0
  await service.run('tend-addresses')
  for (;;) {
    const round = await deliver(service)
    if (round === 0) return started
    started += round
  }
}

/** A second worker, as another process would have it. */
export const anotherSender = (service: TestService) => deliverySender(service.app)

/** A worker whose attempt has arrived; the receiver does not answer until `answer` is called. */
export async function hangingSender(
  service: TestService,
  receiver: Receiver,
): Promise<{ worker: ReturnType<typeof anotherSender>; answer(status: number): void }> {
  const answers: ServerResponse[] = []
  receiver.behave((response) => void answers.push(response))
  const worker = anotherSender(service)
  assert.equal(await worker.start(), 1)
  await eventually('the first attempt has arrived', () => answers.length === 1)
  return { worker, answer: (status) => void answers[0]?.writeHead(status).end() }
}

export async function deliveryOf(api: Client, eventId: string): Promise<any> {
  const { body } = await api.get('/v1/webhooks?limit=100')
  const found = body.data.find((one: any) => one.id === eventId)
  assert.ok(found, `${eventId} is listed`)
  return found
}

export const answering = (status: number, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => void response.writeHead(status, headers).end()
}

/** The class with which the sentence about a failure begins. */
export const classOf = ({ last_error }: { last_error: string | null }): string | null =>
  last_error?.split(': ')[0] ?? null
