import assert from 'node:assert/strict'
import test from 'node:test'
import Schema from 'typebox/schema'
import { EVENT_TYPES } from '../../merchants/webhooks/events.ts'
import { EVENT_SAMPLES } from './event-samples.ts'
import { DESCRIBED_EVENTS } from './events.ts'

test('there is a sample of every event, and it is what the description says', () => {
  assert.deepEqual(
    EVENT_SAMPLES.map(({ event }) => event),
    [...EVENT_TYPES],
  )
  for (const { event, body } of EVENT_SAMPLES) {
    const { data, ...envelope } = JSON.parse(body)
    assert.deepEqual(Object.keys(envelope), ['event', 'id', 'timestamp'])
    assert.equal(envelope.event, event)
    const { data: schema } = DESCRIBED_EVENTS.find((described) => described.event === event) ?? {}
    assert.ok(schema)
    const [valid, errors] = Schema.Compile(schema).Errors(data)
    assert.ok(valid, `${event}: ${JSON.stringify(errors)}`)
    assert.ok(!body.includes('"text"'), `${event} has a field without a value of its own`)
  }
})
