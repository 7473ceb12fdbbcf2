import { presentPage } from '../../api/http/lists/lists.ts'
import { listLinks } from '../../selling/payment-links/find-links.ts'
import { type LinkWithCharges, linkUrl, presentLink } from '../../selling/payment-links/payment-link.ts'
import { switchLink } from '../../selling/payment-links/switch-link.ts'
import { type CommandSpec, command } from './frame/command.ts'
import { findText, getCommandMerchant, parseMode, requireText } from './frame/input.ts'

const formatLink = (link: LinkWithCharges, baseUrl: string) => {
  const { status, amount, reference } = presentLink(link, baseUrl)
  return `${linkUrl(link, baseUrl)} ${link.mode} ${status}: ${amount}${reference === null ? '' : ` for ${reference}`}`
}

const list = command({
  usage: 'payment-links list <m> [--mode test|live] [--starting-after LINK]',
  says: 'the payment links of a mode (test unless said otherwise), newest first, a hundred at a time',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const mode = parseMode(input)
    const page = await listLinks(
      app,
      { merchantId: merchant.id, tag: merchant.tag, mode },
      {
        limit: 100,
        startingAfter: findText(input, 'starting-after') ?? null,
        createdAfter: null,
        createdBefore: null,
        reference: null,
      },
    )
    const more = page.nextCursor === null ? [] : [`more: --starting-after ${page.nextCursor}`]
    const lines = page.data.map((link) => formatLink(link, app.baseUrl))
    return {
      json: presentPage(page, (link) => presentLink(link, app.baseUrl)),
      lines: lines.length === 0 ? [`no payment links in ${mode} mode`] : [...lines, ...more],
    }
  },
})

const switchCommand = (to: 'on' | 'off', says: string): CommandSpec =>
  command({
    usage: `payment-links ${to} <m> --link ID`,
    says,
    async run(input) {
      const { app, merchant } = await getCommandMerchant(input)
      const id = requireText(input, 'link')
      const link = await switchLink(app, input.actor, { owner: merchant, id, to })
      return { json: presentLink(link, app.baseUrl), lines: [formatLink(link, app.baseUrl)] }
    },
  })

export const paymentLinkCommands = [
  list,
  switchCommand('off', 'nobody can start paying it any more; a payment under way goes on'),
  switchCommand('on', 'it can be paid again, unless it is a one-shot link that has been paid'),
]
