import { type Static, Type } from 'typebox'
import type { Answer } from '../../api/http/answer.ts'
import { isJsonObject } from '../../api/http/bodies/parse-body.ts'
import { findMerchantsById } from '../../merchants/account/merchant.ts'
import { EVENT_TYPES, type EventType, EventTypeShape } from '../../merchants/webhooks/events.ts'
import { writeTestEvent } from '../../merchants/webhooks/send-ping.ts'
import { assert } from '../../platform/assert.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { makeInTestMode, type TestAct, type TestMade, type TestRequest } from './in-test-mode.ts'

const MAX_DATA_CHARACTERS = 16_384

export const TestEventCreateShape = Type.Object(
  {
    event: Type.Enum([...EVENT_TYPES], {
      $id: 'EventType',
      description: 'the name in the envelope',
      examples: ['charge.succeeded'],
    }),
    // Any object: only its size is looked at.
    data: Type.Optional(
      Type.Object(
        {},
        {
          raw: true,
          description: `the \`data\` of the envelope, at most ${MAX_DATA_CHARACTERS} characters; left out: that of the example of this event`,
        },
      ),
    ),
  },
  { $id: 'TestEventCreate' },
)
type TestEventCreate = Static<typeof TestEventCreateShape>

export const TestEventShape = Type.Object(
  {
    object: Type.Literal('test_event'),
    id: Type.String({ description: 'starts with `evt_`; the `id` of the envelope' }),
    event: EventTypeShape,
    webhook_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'your first address, where it is posted; null: you have none, and it waits for one. Your other addresses of test mode get it too, each by its `events`',
    }),
  },
  { $id: 'TestEvent' },
)

/** Finds the `data` of the example of an event. */
export type FindSample = (event: EventType) => Record<string, unknown>

/** Sends an event about nothing to the addresses and the stream of a merchant, once for each Idempotency-Key. Throws Refusal. */
export async function postTestEvent(
  app: App,
  request: TestRequest<TestEventCreate>,
  findSample: FindSample,
): Promise<Answer> {
  const answer = await makeInTestMode(app, request, (act) => makeTestEvent(act, request, findSample))
  if (answer.status === 201 && !answer.replayed) app.nudge('send-deliveries')
  return answer
}

async function makeTestEvent(
  { tx, at, terms }: TestAct,
  { caller, given }: TestRequest<TestEventCreate>,
  findSample: FindSample,
): Promise<TestMade> {
  const { event } = given
  const [[merchant]] = await tx.send(findMerchantsById([terms.id]))
  assert(merchant, 'a merchant with a key has a row')
  // Signed like every event of the merchant, so it must never say that it is about real money: receivers are told to look at `mode`.
  const says = { mode: 'test', sample: true }
  const data = sortMembers({ ...readData(given.data ?? findSample(event)), ...says }) as Record<string, unknown>
  const subject = newId('ping_', '')
  const made = writeTestEvent(caller, {
    merchant,
    mode: 'test',
    subject,
    at,
    sample: { event, data },
    everywhere: true,
  })
  const view = { object: 'test_event', id: made.eventId, event, webhook_url: merchant.webhookUrl }
  return { view, writes: made.writes }
}

/** Checks what was given as data; its depth and its characters the reader of bodies has checked. Throws 400. */
function readData(data: unknown): Record<string, unknown> {
  if (!isJsonObject(data)) throw wrong('data must be an object')
  if (JSON.stringify(data).length > MAX_DATA_CHARACTERS)
    throw wrong(`data must be at most ${MAX_DATA_CHARACTERS} characters of JSON`)
  return data
}

/** Puts the keys in code-point order at every level, as every event has them (G72). */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isJsonObject(value)) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, member]) => [name, sortMembers(member)]))
}

const wrong = (text: string) => domainRefusal('bad_request', text, { field: 'data' })
