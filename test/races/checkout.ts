import { setTimeout as sleep } from 'node:timers/promises'
import { type Form, type FormAnswer, openForm, payment, type Shown, sendForm, voucher } from '../crash/forms.ts'
import { type Fleet, webOf } from './fleet.ts'
import { newPhone } from './money.ts'

/** How the operator treats the requests for one phone, and so how such a payment ends. */
export type PayerKind = 'pays' | 'refused' | 'not served'

/** A phone that no other payment uses and that the operator treats in this way. */
export function newPayer({ operator }: Fleet, kind: PayerKind = 'pays'): string {
  const phone = newPhone()
  if (kind === 'refused') operator.onSubmit({ answer: 'refuse' }, phone)
  if (kind === 'not served') operator.onSubmit({ answer: 'refuse to serve' }, phone)
  return phone
}

/** Sends a form until the process is not too busy to process it. The shared token makes every try the same form. */
export const send = (fleet: Fleet, nth: number, form: Form): Promise<FormAnswer> =>
  sendUntilJudged((again) => webOf(fleet, nth + again), form)

/** Like `send`, but with a new address for each try. */
export async function sendUntilJudged(urlOf: (again: number) => string, form: Form): Promise<FormAnswer> {
  for (let again = 0; ; again += 1) {
    const answer = await sendForm(urlOf(again), form)
    if (answer.status !== 503 || answer.retryAfter === null) return answer
    await sleep(10)
  }
}

export const pay = (fleet: Fleet, nth: number, ...form: Parameters<typeof payment>): Promise<FormAnswer> =>
  send(fleet, nth, payment(...form))

/** Opens the page of a link as each of these customers, before any of them pays. */
export const openForms = (fleet: Fleet, links: readonly string[], cookies: readonly string[] = []) =>
  Promise.all(links.map((link, nth) => openAt(fleet, nth, { link, cookie: cookies[nth] ?? '' })))

async function openAt(fleet: Fleet, nth: number, { link, cookie }: { link: string; cookie: string }): Promise<Shown> {
  for (let again = 0; again < 20; again += 1) {
    const shown = await openForm(webOf(fleet, nth + again), link, { cookie })
    if (shown !== null) return shown
    await sleep(20)
  }
  throw new Error(`no form at ${link}`)
}

/** Applies a gift card; returns the cookie to pay with, or an empty one when the card cannot be used here. */
export async function applyCard(
  fleet: Fleet,
  nth: number,
  { link, code }: { link: string; code: string },
): Promise<string> {
  const answer = await send(fleet, nth, voucher(link, code))
  return answer.location === `/pay/${link}` ? answer.cookie : ''
}
