import { rotateWebhookSecret } from '../merchants/rotate-webhook-secret.ts'
import { sendPing } from '../webhooks/send-ping.ts'
import { command } from './command.ts'
import { modeOf, ofMerchant, optionalText } from './input.ts'

const rotateSecret = command({
  usage: 'webhooks rotate-secret <m> [--revoke-now] [--key K]',
  says: 'a new secret for webhooks, printed once; the old one signs beside it for 24 h, or not at all with --revoke-now',
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const atOnce = input.options['revoke-now'] === true
    const rotation = { merchant, commandKey: optionalText(input, 'key'), atOnce }
    const { secret, previousUntil } = await rotateWebhookSecret(app, input.actor, rotation)
    const until = atOnce ? null : previousUntil.toISOString()
    return {
      json: { webhook_secret: secret, previous_until: until },
      lines: [
        `webhook secret  ${secret}`,
        until === null
          ? 'The old one is forgotten.'
          : `X-Service-Signature is made with it from now on; webhook-signature carries the old one too until ${until}.`,
        'Keep it now: it is not shown again.',
      ],
    }
  },
})

const ping = command({
  usage: 'webhooks ping <m> [--mode test|live] [--key K]',
  says: 'sends the event test.ping to the webhook address',
  async run(input) {
    const mode = modeOf(input)
    const { app, merchant } = await ofMerchant(input)
    const wanted = { merchant, mode, commandKey: optionalText(input, 'key') }
    const { eventId, url } = await sendPing(app, input.actor, wanted)
    return {
      json: { event_id: eventId, mode, url },
      lines: [`${eventId} is on its way to ${url}; the worker sends it, GET /v1/webhooks says how it went`],
    }
  },
})

export const webhookCommands = [rotateSecret, ping]
