import { actingFor } from '../../api/access/actor.ts'
import { rotateWebhookSecret } from '../../merchants/account/rotate-webhook-secret.ts'
import { resendFailed } from '../../merchants/webhooks/resend-failed.ts'
import { sendPing } from '../../merchants/webhooks/send-ping.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import { command } from './frame/command.ts'
import { findText, getCommandMerchant, parseMode, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const rotateSecret = command({
  usage: 'webhooks rotate-secret <m> [--revoke-now] [--key K]',
  says: 'a new secret for webhooks, printed once; the old one signs beside it for 24 h, or not at all with --revoke-now',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const atOnce = input.options['revoke-now'] === true
    const rotation = { merchant, commandKey: findText(input, 'key'), atOnce }
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
    const mode = parseMode(input)
    const { app, merchant } = await getCommandMerchant(input)
    const target = { merchant, mode, commandKey: findText(input, 'key') }
    const { eventId, url } = await sendPing(app, input.actor, target)
    return {
      json: { event_id: eventId, mode, url },
      lines: [`${eventId} is on its way to ${url}; the worker sends it, GET /v1/webhooks says how it went`],
    }
  },
})

const resend = command({
  usage: 'webhooks resend-failed <m> --since T [--mode test|live]',
  says: 'sends every event since then again that has failed and not arrived; at most 10,000 a call',
  async run(input) {
    const mode = parseMode(input)
    const since = parseIsoTime(requireText(input, 'since'))
    if (since === null) throw new WrongUsage('--since must be an ISO 8601 datetime')
    const { app, merchant } = await getCommandMerchant(input)
    const account = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode }
    const { resent, more } = await resendFailed(app, actingFor(input.actor, account), since)
    return {
      json: { resent, more },
      lines: [`${resent} are due now${more ? '; there are more: run it again' : ''}`],
    }
  },
})

export const webhookCommands = [rotateSecret, ping, resend]
