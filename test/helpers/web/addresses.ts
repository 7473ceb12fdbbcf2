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
