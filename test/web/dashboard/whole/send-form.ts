import { newOneTimeToken } from '../../../../src/web/parts/forms/form-token.ts'
import type { TestService } from '../../../helpers/service/test-service.ts'
import { type Browser, formOf, type Page } from '../../../helpers/web/browser.ts'

export type Sent = {
  address: string
  fields: Readonly<Record<string, string>>
  file?: { field: string; name: string; bytes: Buffer } | undefined
}

/** Somebody who is signed in, on whatever surface. */
export type Sender = Browser & { sessionId: string }

const csrfs = new Map<string, string>()

/** The token of a person's session for its forms, as every page of theirs carries it. */
async function csrfOf(person: Sender, home: string): Promise<string> {
  const known = csrfs.get(person.sessionId)
  if (known !== undefined) return known
  const csrf = formOf(await person.get(home), '/sign-out').fields.csrf ?? ''
  csrfs.set(person.sessionId, csrf)
  return csrf
}

/** The tokens that a page of this person would put into the form at this address. */
export async function tokensOf(
  { gateway, clock }: TestService,
  person: Sender,
  address: string,
): Promise<{ csrf: string; form: string }> {
  const place = { sessionId: person.sessionId, address }
  const home = `/${address.split('/')[1]}`
  return { csrf: await csrfOf(person, home), form: newOneTimeToken(gateway.vault, place, clock.nowMs()) }
}

/** Sends a form as its page would, though it may not be on any page of this person: whoever tries that is told no. */
export async function sendForm(service: TestService, person: Sender, sent: Sent): Promise<Page> {
  const tokens = await tokensOf(service, person, sent.address)
  return post(person, { ...sent, fields: { ...tokens, ...sent.fields } })
}

/** Posts the fields, with a file as a browser sends it. */
export async function post(
  person: Sender,
  { address, fields, file }: Sent,
  headers: Record<string, string> = {},
): Promise<Page> {
  if (file === undefined) return person.post(address, fields, headers)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append(file.field, new Blob([new Uint8Array(file.bytes)]), file.name)
  const made = new Response(form)
  const type = made.headers.get('content-type') ?? ''
  return person.post(address, new Uint8Array(await made.arrayBuffer()), { 'content-type': type, ...headers })
}
