import type { Mode } from '../../src/platform/mode.ts'
import { chargeIn, type FormAnswer, openForm, type Shown } from '../crash/forms.ts'
import { applyCard, newPayer, openForms, type PayerKind, pay, send } from './checkout.ts'
import { type Fleet, type Race, type Verdict, webOf } from './fleet.ts'
import { countAnswers, strangeAnswers } from './form-answers.ts'
import { allDecided, chargesOn, isOpenOrPaid, type LinkCharge, promptsFor } from './link-charges.ts'
import { newCards, newLinks } from './new-links.ts'
import { joined, untilStopped } from './several.ts'

const AT_ONCE = 60
const MODES = ['test', 'live'] as const

/** Race 13: many customers send the form of a one-shot link at once, some of them the same form: one charge, one prompt. */
export const submitsOfOneLink: Race = {
  name: `13 ${AT_ONCE} submits of a one-shot link, in test and live`,
  run: async (fleet) => {
    const verdicts: Verdict[] = []
    for (const mode of MODES) verdicts.push(await submitAtOnce(fleet, mode))
    return joined(verdicts)
  },
}

async function submitAtOnce(fleet: Fleet, mode: Mode): Promise<Verdict> {
  const merchant = fleet.merchants.live
  const [link = ''] = await newLinks(fleet, { merchant, mode }, [{ amount: 5000 }])
  const forms = await openForms(fleet, Array<string>(AT_ONCE).fill(link))
  const answers = await Promise.all(
    // A third of the requests are one customer who presses the button again and again.
    forms.map((form, nth) => {
      const sent = nth % 3 === 0 ? (forms[0] as Shown) : form
      return pay(fleet, nth, link, sent, { phone: newPayer(fleet) })
    }),
  )
  const charges = await chargesOn(fleet, [link])
  const wrong = strangeAnswers(answers, [302])
  if (charges.length !== 1) wrong.push(`${mode}: ${charges.length} charges on a one-shot link`)
  const astray = answers.filter(({ location }) => location !== `/pay/${link}/status`)
  if (astray.length > 0) wrong.push(`${mode}: sent to ${astray[0]?.location}`)
  const prompts = promptsFor(fleet, charges)
  if (prompts !== (mode === 'live' ? 1 : 0)) wrong.push(`${mode}: ${prompts} prompts`)
  return { wrong, seen: `${mode}: ${countAnswers(answers)}, ${charges.length} charge` }
}

/** Race 13b: one form of a reusable link sent many times makes one charge; every other form makes its own. */
export const oneFormOfReusableLink: Race = {
  name: '13 one form of a reusable link, 60 times, beside 20 others',
  run: async (fleet) => {
    const verdicts: Verdict[] = []
    for (const mode of MODES) verdicts.push(await sendOneForm(fleet, mode))
    return joined(verdicts)
  },
}

const OTHERS = 20
const CARD = 1500

/** In live mode the customer of that form has a gift card that nobody else uses. */
async function sendOneForm(fleet: Fleet, mode: Mode): Promise<Verdict> {
  const merchant = fleet.merchants.live
  const [link = ''] = await newLinks(fleet, { merchant, mode }, [{ amount: 5000, allow_multiple_uses: true }])
  const [card] = mode === 'test' ? [] : await newCards(fleet, merchant, { value: CARD, quantity: 1 })
  const cookie = card ? await applyCard(fleet, 0, { link, code: card.code }) : ''
  const [form, ...forms] = await openForms(fleet, Array<string>(1 + OTHERS).fill(link), [cookie])
  const phone = newPayer(fleet)
  const same = Array.from({ length: AT_ONCE }, (_, nth) => pay(fleet, nth, link, form as Shown, { phone }))
  const others = forms.map((other, nth) => pay(fleet, nth, link, other, { phone: newPayer(fleet) }))
  const [answers, different] = await Promise.all([Promise.all(same), Promise.all(others)])
  const charges = await chargesOn(fleet, [link])
  const shown = new Set(answers.map(({ location }) => chargeIn(location)))
  const wrong = strangeAnswers([...answers, ...different], [302])
  if (shown.size !== 1) wrong.push(`${mode}: one form leads to ${shown.size} charges`)
  if (charges.length !== 1 + OTHERS) wrong.push(`${mode}: ${charges.length} charges of ${1 + OTHERS} forms`)
  const byCard = charges.reduce((sum, charge) => sum + charge.card, 0)
  if (byCard !== (card ? CARD : 0)) wrong.push(`${mode}: the card pays ${byCard}`)
  const prompts = promptsFor(fleet, charges)
  if (mode === 'live' && prompts !== 1 + OTHERS) wrong.push(`${prompts} prompts of ${1 + OTHERS} forms`)
  return { wrong, seen: `${mode}: ${charges.length} charges of ${AT_ONCE + OTHERS} submits` }
}

/** A way to close a link under load, and how to undo it. */
type Closing = { name: string; close(link: string): string[]; open(link: string): string[] }

const CLOSINGS: readonly Closing[] = [
  {
    name: 'switched off',
    close: (link) => ['payment-links', 'off', 'race-live', '--link', link],
    open: (link) => ['payment-links', 'on', 'race-live', '--link', link],
  },
  {
    name: 'merchant deactivated',
    close: () => ['merchants', 'set', 'race-live', '--active', 'false'],
    open: () => ['merchants', 'set', 'race-live', '--active', 'true'],
  },
]
// Nobody here ever pays, so that one attempt follows another; the operator does not even accept some of them.
const CHURN: readonly PayerKind[] = ['refused', 'refused', 'not served']
const CLIENTS = 4
// The two ways swap the kind of link that they close in every second run.
let rounds = 0

/**
 * Race 13 with everything else that may happen to a one-shot link (F88, F90): attempts fail and are taken back, customers press
 * retry and send old forms again, and somebody closes the link. Nothing starts after that; once opened again, it is paid once.
 */
export const closedUnderLoad: Race = {
  name: '13 one-shot and reusable links closed under load, with retries',
  run: async (fleet) => {
    const verdicts: Verdict[] = []
    rounds += 1
    for (const [nth, closing] of CLOSINGS.entries())
      verdicts.push(await closeUnderLoad(fleet, { closing, reusable: (nth + rounds) % 2 === 0 }))
    return joined(verdicts)
  },
}

async function closeUnderLoad(
  fleet: Fleet,
  { closing: { name, close, open }, reusable }: { closing: Closing; reusable: boolean },
): Promise<Verdict> {
  const merchant = fleet.merchants.live
  const made = [{ amount: 5000, allow_multiple_uses: reusable }]
  const [link = ''] = await newLinks(fleet, { merchant, mode: 'live' }, made)
  const load = submitWithoutEnd(fleet, link)
  await load.answered(10)
  const closed = await fleet.installation.command(close(link))
  const closedBy = performance.now()
  const before = await chargesOn(fleet, [link])
  await load.answered(20)
  const sent = await load.end()
  const after = await chargesOn(fleet, [link])
  const opened = await fleet.installation.command(open(link))
  const wrong = strangeAnswers(
    sent.map(({ answer }) => answer),
    [302, 409, 502],
  )
  if (closed.code !== 0 || opened.code !== 0) wrong.push(`${name}: ${closed.stderr}${opened.stderr}`)
  if (before.length === 0) wrong.push(`${name}: nobody had paid before`)
  if (after.length !== before.length)
    wrong.push(`${name}: ${after.length - before.length} charges started after it was closed`)
  const late = sent.filter(({ sentAt }) => sentAt > closedBy)
  if (!late.some(({ answer }) => answer.status === 409)) wrong.push(`${name}: nobody was told afterwards`)
  wrong.push(...atMostOne(after, reusable))
  const paid = await payAtLast(fleet, { link, reusable })
  return {
    wrong: [...wrong, ...paid],
    seen: `${name}, ${reusable ? 'reusable' : 'one-shot'}: ${after.length} charges of ${sent.length} submits`,
  }
}

type Sent = { answer: FormAnswer; sentAt: number }

/** Several customers, each sending the next form as soon as the last was answered; every third sends it twice. */
function submitWithoutEnd(fleet: Fleet, link: string) {
  const sent: Sent[] = []
  let sending = true
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const forms = await openForms(fleet, [link])
    for (let nth = 0; sending; nth += 1) {
      const phone = newPayer(fleet, CHURN[nth % CHURN.length])
      // Where the page shows no form, the browser sends its last one again; now and then it also sends an old one.
      const form = (await openForm(webOf(fleet, client), link)) ?? (forms.at(-1) as Shown)
      const old = nth % 3 === 0 ? [forms[Math.max(0, forms.length - 4)] as Shown] : []
      const twice = nth % 3 === 1 ? [form] : []
      const sentAt = performance.now()
      const answers = await Promise.all(
        [form, ...twice, ...old].map((one, time) => pay(fleet, client + time, link, one, { phone })),
      )
      if (nth % 2 === 0) await send(fleet, client, { path: `/pay/${link}/retry`, fields: {} })
      forms.push(form)
      sent.push(...answers.map((answer) => ({ answer, sentAt })))
    }
  })
  return untilStopped(clients, sent, () => {
    sending = false
  })
}

function atMostOne(charges: readonly LinkCharge[], reusable: boolean): string[] {
  const standing = charges.filter(isOpenOrPaid).length
  return reusable || standing <= 1 ? [] : [`${standing} charges of one one-shot link are open or paid`]
}

/** Opens the link again and many customers pay it at once: it is paid as often as its kind allows. */
async function payAtLast(fleet: Fleet, { link, reusable }: { link: string; reusable: boolean }): Promise<string[]> {
  const forms = await openForms(fleet, Array<string>(6).fill(link))
  const answers = await Promise.all(forms.map((form, nth) => pay(fleet, nth, link, form, { phone: newPayer(fleet) })))
  await allDecided(fleet, [link])
  const paid = (await chargesOn(fleet, [link])).filter(({ status }) => status === 'succeeded').length
  const wrong = strangeAnswers(answers, [302])
  if (paid !== (reusable ? 6 : 1)) wrong.push(`opened again, it was paid ${paid} times`)
  return wrong
}
