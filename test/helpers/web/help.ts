import type { Page } from './browser.ts'
import type { Planted } from './dashboard.ts'

/** The id at the end of where a form leads. */
export const lastOf = ({ location }: Page) => location.split('/').at(-1) ?? ''

/** The link at the foot of a page that leads to the form to write to us with. */
export const writeLinkIn = ({ text }: Page) =>
  (/href="([^"]*\/help\/new[^"]*)"/.exec(text.split('<footer').at(-1) ?? '')?.[1] ?? '').replaceAll('&amp;', '&')

/** Writes to us from a page, as its foot leads there. */
export async function askForHelp(person: Planted, from: string, message: string): Promise<Page> {
  const form = await person.get(writeLinkIn(await person.get(from)))
  return person.send(form, '/help/new', { message })
}

/** Settings of a service that says how to reach us. */
export const SUPPORT = {
  SUPPORT_EMAIL: 'help@gateway.example',
  SUPPORT_PHONE: '0800 100 200',
  SUPPORT_WHATSAPP: '+256 772 100 200',
}
