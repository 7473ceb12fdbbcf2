import type { Operator } from '../../fakes/operator.ts'
import { emailOf } from '../customers.ts'
import { chargeIn } from '../forms.ts'
import { answersTo, type Book, type KeyedRequest } from '../journal.ts'
import { UNSERVED_PHONE } from '../requests.ts'
import type { ChargeRow } from './judge-charges.ts'

/** Compares what pages told customers with the payments that exist, without the rows that were taken back. */
export function judgeLinks(rows: ChargeRow[], book: Book, operator: Operator | undefined) {
  const charges = rows.filter(({ link }) => link !== null)
  return {
    lost: lostPayments(charges, book),
    doubled: [...doubledForms(charges, book), ...doubledLinks(charges, operator)],
    wrongEnd: wronglyRefused(charges, book),
  }
}

const linkOf = ({ path }: KeyedRequest) => path.split('/')[2] as string

/** An accepted form leads to a payment, but if the operator refused to take the payment it may have been taken back since. */
function lostPayments(charges: ChargeRow[], book: Book): string[] {
  const ids = new Set(charges.map(({ id }) => id))
  const links = new Set(charges.map(({ link }) => link))
  const unserved = new Set(
    answersTo(book, 'form').flatMap(({ request }) => (request.body.phone === UNSERVED_PHONE ? [linkOf(request)] : [])),
  )
  return answersTo(book, 'form').flatMap(({ key, status, body, request }) => {
    if (status !== 302 || unserved.has(linkOf(request))) return []
    const id = chargeIn(body)
    const isThere = id === null ? links.has(linkOf(request)) : ids.has(id)
    return isThere ? [] : [`${key}: sent to ${body}, and there is no payment`]
  })
}

/** Each form made one payment, however often it was sent, and every payment has a form. */
function doubledForms(charges: ChargeRow[], book: Book): string[] {
  const known = new Set([...book.requests.values()].flatMap(({ what, key }) => (what === 'form' ? [emailOf(key)] : [])))
  const made = new Map<string, number>()
  for (const { email } of charges) made.set(String(email), (made.get(String(email)) ?? 0) + 1)
  return [...made].flatMap(([email, count]) => {
    const wanted = known.has(email) ? 1 : 0
    return count > wanted ? [`${email}: ${count} payments on links, ${wanted} asked for`] : []
  })
}

/** A one-shot link has at most one payment that is open or paid, and at most one movement at the operator. */
function doubledLinks(charges: ChargeRow[], operator: Operator | undefined): string[] {
  const byLink = new Map<string, ChargeRow[]>()
  for (const charge of charges)
    if (charge.one_shot) byLink.set(String(charge.link), [...(byLink.get(String(charge.link)) ?? []), charge])
  return [...byLink].flatMap(([link, own]) => {
    const standing = own.filter(({ status }) => status !== 'failed').length
    const moved = own.reduce(
      (sum, { rail_reference }) => sum + (operator?.movements().get(rail_reference ?? '') ?? 0),
      0,
    )
    return standing > 1 || moved > 1 ? [`${link}: ${standing} payments, ${moved} movements`] : []
  })
}

/** A customer who was always told that nothing was charged has no payment. */
function wronglyRefused(charges: ChargeRow[], book: Book): string[] {
  const paying = new Map(charges.map((charge) => [charge.email, charge]))
  return [...book.requests.values()].flatMap(({ what, key }) => {
    const answers = what === 'form' ? (book.answers.get(key) ?? []) : []
    const charge = paying.get(emailOf(key))
    if (charge === undefined || answers.length === 0 || answers.some(({ status }) => status === 302)) return []
    return [`${key}: told ${answers.map(({ status }) => status)}, but there is ${charge.id} ${charge.status}`]
  })
}
