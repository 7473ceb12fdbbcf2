import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { ROOT } from '../../platform/processes/root.ts'
import { buildAccountSnippets } from '../parts/account-snippets.ts'
import { buildSignSnippets } from '../parts/sign-snippets.ts'
import { buildChargeSnippets, type Snippet, VERIFY_SNIPPETS } from '../parts/snippets.ts'
import { renderCodes, renderEndpointsPage, renderEventFields, renderEventTable } from './guide-parts.ts'

/** A page of the guide. `title` is its first heading; in `markdown` the address of this gateway is written out. */
export type GuidePage = { name: string; path: string; title: string; summary: string; markdown: string }

/** The pages of docs/guide in the order in which they are read, each with what it is about. */
const WRITTEN_PAGES = {
  start: 'The first request, and how to read this guide.',
  payments: 'Charges, refunds, shares, gift cards, statements.',
  payouts: 'Pay one person, and look at a wallet first.',
  bulk: 'Pay many people at once, or the same list every month.',
  links: 'A page of ours to pay on, as an address or a QR code.',
  webhooks: 'How events reach you, and how to verify them.',
  events: 'Read the same events in order, and miss none.',
  idempotency: 'How a request is repeated without paying twice.',
  errors: 'Every code: what it means, why, what to do, with which key.',
  limits: 'Requests a minute, sizes, amounts.',
  testing: 'Phones and machines that end as you want.',
  'going-live': 'What to do before the live key.',
  vending: 'Machines that dispense what was paid for.',
  security: 'What a key may do, and what to check.',
  keys: 'A key that is used from your servers alone, and sends only so much a day.',
}

/** The names of the files of docs/guide, in this order. */
export const GUIDE_PAGES: readonly string[] = Object.keys(WRITTEN_PAGES)

/** Reads the guide for the gateway at this address. The list of endpoints, the codes and the examples come from the code. */
export function readGuide(endpoints: readonly Endpoint<never>[], baseUrl: string): GuidePage[] {
  const written = Object.entries(WRITTEN_PAGES).map(([name, summary]) => {
    const text = readFileSync(join(ROOT, 'docs', 'guide', `${name}.md`), 'utf8')
    return newPage(name, summary, fillIn(name === 'start' ? text : explainCommands(text), baseUrl))
  })
  const machines = readFileSync(join(ROOT, 'docs', 'machine-makers.md'), 'utf8')
  return [
    ...written,
    newPage('machines', 'How a machine reports what it dispensed, with code to sign.', fillIn(machines, baseUrl)),
    newPage('endpoints', 'All of them, with what each does.', renderEndpointsPage(endpoints)),
  ]
}

const newPage = (name: string, summary: string, markdown: string): GuidePage => ({
  name,
  path: name === 'start' ? '/docs' : `/docs/${name}`,
  title: /^# (.+)$/m.exec(markdown)?.[1] ?? name,
  summary,
  markdown,
})

const PARTS: Readonly<Record<string, (baseUrl: string) => string>> = {
  'snippets: charge': (baseUrl) => formatSnippets(buildChargeSnippets({ baseUrl, key: 'sk_test_...' })),
  'snippets: account': (baseUrl) => formatSnippets(buildAccountSnippets({ baseUrl, key: 'sk_test_...' })),
  'snippets: sign': (baseUrl) => formatSnippets(buildSignSnippets({ baseUrl, key: 'sk_test_...' })),
  'snippets: verify': () => formatSnippets(VERIFY_SNIPPETS),
  codes: () => renderCodes('refusals'),
  'item codes': () => renderCodes('items'),
  events: renderEventTable,
  'event fields': renderEventFields,
}

const FIRST_COMMAND = /^```sh[^\n]*\n(?:(?!```).*\n)*?.*(?:^|[ (|])(?:post|get) ["/]/m
const WHAT_THEY_ARE =
  '`post` and `get` are two short functions of the shell: paste them [from the start page](/docs#in-this-guide) once, with your key.'

/** Says what `post` and `get` are, before the first block that uses them. */
const explainCommands = (text: string): string => text.replace(FIRST_COMMAND, (block) => `${WHAT_THEY_ARE}\n\n${block}`)

/** Puts in what is made from the code, and the address. */
const fillIn = (text: string, baseUrl: string): string =>
  text
    .replace(/^<!-- ([a-z: ]+) -->$/gm, (mark, name) => PARTS[name]?.(baseUrl) ?? mark)
    .replaceAll('```sh walk', '```sh')
    .replaceAll('{base_url}', baseUrl)

const formatSnippets = (snippets: readonly Snippet[]) =>
  snippets.map(({ language, text }) => `\`\`\`${language}\n${text}\n\`\`\``).join('\n\n')
