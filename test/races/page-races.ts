import type { FormAnswer } from '../crash/forms.ts'
import { newPayer, openForms, type PayerKind, pay, send, sendUntilJudged } from './checkout.ts'
import type { Fleet, Race, Verdict } from './fleet.ts'
import { countAnswers, strangeAnswers } from './form-answers.ts'
import { allDecided, chargesOn, type LinkCharge, promptsFor } from './link-charges.ts'
import { newLinks } from './new-links.ts'

const LINKS = 30
const PROMPTS = 3
const WEBS = Array.from({ length: 3 }, () => ({ role: 'web' as const }))

/** One phone on many links at once: one open prompt, and three unpaid ones in ten minutes, over all processes. */
export const promptsOfOnePhone: Race = {
  name: `   one phone over ${LINKS} links against the limit of prompts`,
  run: (fleet) =>
    fleet.withMore(
      WEBS.map((web) => ({ ...web, env: { CHECKOUT_PROMPTS_PER_PHONE: String(PROMPTS) } })),
      async (urls) => {
        const open = await floodPhone(fleet, urls, { kind: 'pays', times: 1, allowed: 1 })
        // These end at once, so that only the limit of unpaid prompts applies.
        const unpaid = await floodPhone(fleet, urls, { kind: 'refused', times: 4, allowed: PROMPTS })
        return { wrong: [...open.wrong, ...unpaid.wrong], seen: `${open.seen}; ${unpaid.seen}` }
      },
    ),
}

async function floodPhone(
  fleet: Fleet,
  urls: readonly string[],
  { kind, times, allowed }: { kind: PayerKind; times: number; allowed: number },
): Promise<Verdict> {
  const merchant = fleet.merchants.live
  const bodies = Array.from({ length: LINKS }, (_, nth) => ({
    amount: 5000,
    allow_multiple_uses: nth % 2 === 0,
  }))
  const links = await newLinks(fleet, { merchant, mode: 'live' }, bodies)
  const phone = newPayer(fleet, kind)
  const answers: FormAnswer[] = []
  const webs = { ...fleet, webs: urls }
  for (let time = 0; time < times; time += 1) {
    const forms = await openForms(webs, links)
    const sent = forms.map((form, nth) => pay(webs, nth, links[nth] as string, form, { phone }))
    answers.push(...(await Promise.all(sent)))
  }
  const charges = await chargesOn(fleet, links)
  const wrong = strangeAnswers(answers, [302, 429])
  if (charges.length !== allowed) wrong.push(`${kind}: ${charges.length} payments, ${allowed} allowed`)
  if (kind === 'pays' && promptsFor(fleet, charges) !== allowed) wrong.push('not one prompt for each payment')
  return { wrong, seen: `${kind}: ${charges.length} of ${countAnswers(answers)}` }
}

const REPORTS = 40
const PER_DAY = 5
const DAY_MS = 86_400_000

/** Many reports of one payment at once: one dispute, one notice; of many payments: at most the daily limit of notices. */
export const reportsOfOneCharge: Race = {
  name: `   ${REPORTS} reports of one payment, and of as many payments`,
  async run(fleet) {
    const [paid, ...others] = await paidCharges(fleet, REPORTS + 1)
    if (!paid) throw new Error('nothing was paid')
    const answers = await Promise.all(
      Array.from({ length: REPORTS }, (_, nth) => send(fleet, nth, report(paid, `report ${nth}`))),
    )
    const wrong = strangeAnswers(answers, [302])
    const { disputes, events } = await told(fleet, [paid])
    if (disputes !== 1 || events !== 1) wrong.push(`one payment: ${disputes} disputes, ${events} events`)
    const limited = await reportAll(fleet, others)
    return {
      wrong: [...wrong, ...limited.wrong],
      seen: `${disputes} dispute, ${events} event; ${limited.seen}`,
    }
  },
}

/** Once reports are stored, the daily limit is exact over all processes; all reports are stored, and every customer is thanked. */
const reportAll = (fleet: Fleet, charges: readonly LinkCharge[]): Promise<Verdict> =>
  fleet.withMore(
    WEBS.map((web) => ({ ...web, env: { RATE_LIMIT_REPORTS_DAY: String(PER_DAY) } })),
    async (urls) => {
      // Moves past the last day on which the reports of the previous round are announced.
      fleet.installation.advance((REPORTS / PER_DAY + 1) * DAY_MS)
      const answers = await Promise.all(
        charges.map((charge, nth) => sendUntilJudged(() => urls[nth % urls.length] as string, report(charge, 'late'))),
      )
      const wrong = strangeAnswers(answers, [302])
      const { disputes, events, at_once } = await told(fleet, charges)
      if (disputes !== charges.length || events !== charges.length)
        wrong.push(`${disputes} disputes and ${events} events of ${charges.length} reports`)
      if (at_once !== PER_DAY) wrong.push(`${at_once} told of in a day, the limit is ${PER_DAY}`)
      return { wrong, seen: `${at_once} of ${answers.length} told of in a day` }
    },
  )

async function paidCharges(fleet: Fleet, count: number): Promise<LinkCharge[]> {
  const merchant = fleet.merchants.live
  const bodies = Array.from({ length: count }, () => ({ amount: 1000 }))
  const links = await newLinks(fleet, { merchant, mode: 'live' }, bodies)
  const forms = await openForms(fleet, links)
  await Promise.all(forms.map((form, nth) => pay(fleet, nth, links[nth] as string, form, { phone: newPayer(fleet) })))
  await allDecided(fleet, links)
  return chargesOn(fleet, links)
}

const report = ({ link }: LinkCharge, details: string) => ({
  path: `/pay/${link}/report`,
  fields: { reason: 'not_delivered', details, contact: '' },
})

const TOLD = `select count(*)::int as disputes, (count(*) filter (where d.tell_at is null))::int as at_once,
    (select count(*)::int from events e where e.type = 'dispute.opened'
       and (e.body::jsonb)->'data'->>'charge_id' = any($1)) as events
  from disputes d where d.charge_id = any($1)`

async function told({ installation }: Fleet, charges: readonly LinkCharge[]) {
  const [row] = await installation.sql<{ disputes: number; events: number; at_once: number }>(TOLD, [
    charges.map(({ id }) => id),
  ])
  return { disputes: row?.disputes ?? 0, events: row?.events ?? 0, at_once: row?.at_once ?? 0 }
}
