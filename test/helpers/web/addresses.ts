import assert from 'node:assert/strict'
import type { Receiver } from '../../fakes/receiver.ts'
import type { Client, TestService } from '../service/test-service.ts'
import { endedCharge } from './webhooks.ts'

/** Adds an address for webhooks and returns it with its secret. */
export async function addAddress(api: Client, url: string, more: object = {}): Promise<any> {
  const { status, body } = await api.post('/v1/webhook-addresses', { url, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
export const act = (api: Client, id: string, what: string, body?: object) =>
  api.post(`/v1/webhook-addresses/${id}${what}`, body)
export const at = (receiver: Receiver, eventId: string) => receiver.received.filter(({ event }) => event.id === eventId)

/** A charge that has ended and whose event has its number, and with it its deliveries. */
export async function happening(service: TestService, api: Client): Promise<string> {
  const { eventId } = await endedCharge(service, api)
  await service.run('seal-events')
  return eventId
}
export async function deliveryTo(api: Client, address: string, eventId: string): Promise<any> {
  const { body } = await api.get(`/v1/webhooks?address=${address}&limit=100`)
  return body.data.find(({ id }: { id: string }) => id === eventId)
}

/** The addresses beside the first one. */
export const further = async (api: Client): Promise<any[]> =>
  (await api.get('/v1/webhook-addresses')).body.data.slice(1)
/** The path of the page of an address in test mode. */
export const pageOf = (id: string) => `/dashboard/test/developers/webhook-addresses/${id}`
/** What was done with an address, as the audit has it. */
export const auditsOf = (service: TestService, id: string) =>
  service.rows<{ action: string; actor_kind: string; before: unknown; after: unknown }>(
    'select action, actor_kind, before, after from audit where subject = $1 order by id',
    [id],
  )
/** The secret that a page shows. */
export const secretIn = ({ text }: { text: string }): string => /whsec_[A-Za-z0-9+/]+=/.exec(text)?.[0] ?? ''
