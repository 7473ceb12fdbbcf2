import type { Endpoint } from '../../api/http/endpoint.ts'
import { describeApi } from '../../api/http/openapi/openapi.ts'
import { EVENT_SAMPLES } from './event-samples.ts'
import { DESCRIBED_EVENTS } from './events.ts'
import { PUBLIC_PATHS, PUBLIC_SCHEMAS, PUBLIC_TAG } from './public-paths.ts'
import { buildSampleAnswer } from './samples.ts'

// The version of the interface. It stays while changes only add (spec 9).
const INTERFACE_VERSION = '1.0.0'

const TAGS = [
  { name: 'Charges', description: 'Money in: from a phone to your balance.' },
  { name: 'Payouts', description: 'Money out: to one phone, or to a thousand in one call.' },
  { name: 'Scheduled payouts', description: 'The same payouts every day, week or month.' },
  { name: 'Subaccounts', description: 'The parties with whom charges are shared.' },
  {
    name: 'Payment links',
    description: 'A page of ours on which your customer pays: as an address or as a QR code.',
  },
  { name: 'Vending', description: 'Machines that dispense what was paid for, once.' },
  { name: 'Balance', description: 'What you have, and how it was released.' },
  { name: 'Account', description: 'Who a key belongs to, and what was asked with your keys.' },
  PUBLIC_TAG,
  { name: 'Webhooks', description: 'What became of the events that we sent you.' },
  {
    name: 'Testing',
    description: 'What only test keys may: your own clock, money, ends of payments and events for tests.',
  },
]

const parseEventExample = (event: string) =>
  JSON.parse(EVENT_SAMPLES.find((eventSample) => eventSample.event === event)?.body ?? '{}')

/** Builds the OpenAPI document of the product at this address. `endpoints` is the list of api.ts. */
export function describeProduct(endpoints: readonly Endpoint<never>[], baseUrl: string): object {
  const described = describeApi(endpoints, {
    baseUrl,
    version: INTERFACE_VERSION,
    title: 'Gateway API',
    description: describeInShort(baseUrl),
    tags: TAGS,
    webhooks: DESCRIBED_EVENTS.map((event) => ({
      ...event,
      example: parseEventExample(event.event),
    })),
    sample: buildSampleAnswer,
  })
  const { schemas, ...components } = described.components as { schemas: object }
  return {
    ...described,
    paths: { ...(described.paths as object), ...PUBLIC_PATHS },
    components: { schemas: { ...schemas, ...PUBLIC_SCHEMAS }, ...components },
  }
}

const describeInShort = (baseUrl: string) =>
  `Collect money from mobile phones in Uganda and send money to them. Amounts are whole Ugandan shillings; times are UTC.

Send your secret key as \`Authorization: Bearer sk_test_...\`. Every POST carries the time of sending in \`X-Timestamp\`, and each POST that moves money a
name of its own in \`Idempotency-Key\`. The answer to a charge or a payout is never final: wait for its event, or read it until it has ended.

[The guide](${baseUrl}/docs) goes on from here: the [first request](${baseUrl}/docs#first-request), [webhooks](${baseUrl}/docs/webhooks),
[retries](${baseUrl}/docs/idempotency), [errors](${baseUrl}/docs/errors), [limits](${baseUrl}/docs/limits), [testing](${baseUrl}/docs/testing).`
