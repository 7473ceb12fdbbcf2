import type { Charge } from '../../../payments/charges/charge.ts'
import { getCharge } from '../../../payments/charges/find-charges.ts'
import { formatPhone } from '../../../platform/text/phone.ts'
import { CHARGE_FAILURE_WORDS } from '../../../reports/words/failures.ts'
import { getLink } from '../../../selling/payment-links/find-links.ts'
import { linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormState, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { Money, OutsideText, PhoneNumber } from '../../parts/parts.tsx'
import { QrPicture } from '../../parts/qr-picture.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { NUMBER_IS } from '../operators/other-operator.ts'
import { isUnderWay, LiveStory, storyPage } from '../story/live-story.tsx'
import { ASK } from '../texts/ask.ts'
import type { DashboardVisit } from '../visit.ts'
import { AskBox, CONFIRM_HOLDER, mayAsk } from './ask-form.tsx'

const SCRIPTS = ['sounds.js', 'ask.js']
/** Without a script the page is loaded again this often. */
const REFRESH_SECONDS = 3

/** Shows the form; `again` names a charge whose values it begins with, `phone` is the customer's number. */
export async function showAsk(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { again, amount = '', phone = '', reference = '' } = visit.query
  const values =
    again === undefined ? { amount, phone, reference } : valuesOf(await getCharge(visit.app, visit.caller, again))
  return pageReply(
    ASK.title,
    <>
      <h1>{ASK.title}</h1>
      <OperatorNotes states={await readStatesForMode(visit)} side="collect" />
      <AskBox visit={visit} state={state} values={values} />
    </>,
    { status: state?.status ?? 200, scripts: SCRIPTS },
  )
}

const valuesOf = ({ amount, phone, reference }: Charge): FormValues => ({
  amount: String(amount),
  phone: phone === null ? '' : formatPhone(phone),
  reference: reference ?? '',
})

type SeenHolder = { name: string; phone: string; values: FormValues }

/** Shows the first name of the number's holder beside the amount, before anything is sent. */
export function showHolder(visit: DashboardVisit, { name, phone, values }: SeenHolder): SurfaceReply {
  const { holder } = ASK
  const { amount = '', reference = '' } = values
  return pageReply(
    holder.title(name),
    <div class="asked">
      <div class="asked-for">
        <h1>
          <OutsideText text={holder.title(name)} />
        </h1>
        <p class="big">
          <Money amount={getAmount(values, 'amount')} />
        </p>
        <p>
          {holder.from} <PhoneNumber phone={phone} />
        </p>
        <p class="hint">{holder.says}</p>
      </div>
      <FormBox of={CONFIRM_HOLDER} visit={visit} values={{ ...values, [NUMBER_IS.name]: phone }} />
      <a
        class="button plain"
        href={addressWith(visit.to(CONFIRM_HOLDER.path), { amount, phone: values.phone, reference })}
      >
        {holder.change}
      </a>
    </div>,
  )
}

/** Shows in large type what becomes of a payment that was asked for, until it has ended. */
export async function showAsked(visit: DashboardVisit): Promise<SurfaceReply> {
  const charge = await getCharge(visit.app, visit.caller, visit.params.id ?? '')
  const path = `/ask/${charge.id}`
  return storyPage(visit, {
    title: `${ASK.title}: ${formatShillings(charge.amount)}`,
    head: <Amount amount={charge.amount} what={charge.reference} />,
    story: (
      <LiveStory visit={visit} path={path} live={isUnderWay(charge)} class="asked">
        <Outcome visit={visit} charge={charge} />
      </LiveStory>
    ),
    live: isUnderWay(charge),
    below: <Onwards visit={visit} href={visit.to(`/charges/${charge.id}`)} label={ASK.open} />,
    scripts: SCRIPTS,
    refreshSeconds: REFRESH_SECONDS,
  })
}

/** Shows the QR code of a link to the person before the till, and what becomes of it. */
export async function showAskedByCode(visit: DashboardVisit): Promise<SurfaceReply> {
  const link = await getLink(visit.app, visit.caller, visit.params.id ?? '')
  const charge = link.paid ?? link.attempt
  const live = link.paid === null && link.switchedOffAt === null
  return storyPage(visit, {
    title: `${ASK.qrPage.title}: ${formatShillings(link.amount)}`,
    head: <Amount amount={link.amount} what={link.reference} />,
    story: (
      <LiveStory visit={visit} path={`/ask/qr/${link.id}`} live={live} class="asked">
        {charge !== null && charge.status !== 'failed' ? (
          <Outcome visit={visit} charge={await getCharge(visit.app, visit.caller, charge.id)} />
        ) : (
          <>
            {live && <QrPicture text={linkUrl(link, visit.app.baseUrl)} title={ASK.qrPage.alt} />}
            <p>{live ? ASK.qrPage.says : ASK.qrPage.off}</p>
            <p role="status">{charge === null ? ASK.qrPage.nobody : ASK.qrPage.tried}</p>
          </>
        )}
      </LiveStory>
    ),
    live,
    below: <Onwards visit={visit} href={visit.to(`/links/${link.id}`)} label={ASK.qrPage.link} />,
    scripts: SCRIPTS,
    refreshSeconds: REFRESH_SECONDS,
  })
}

const Amount = ({ amount, what }: { amount: number; what: string | null }) => (
  <div class="asked-for">
    <h1>
      <Money amount={amount} />
    </h1>
    {what !== null && (
      <p>
        <OutsideText text={what} />
      </p>
    )}
  </div>
)

function Outcome({ visit, charge }: { visit: DashboardVisit; charge: Charge }) {
  const phone = charge.phone === null ? '' : formatPhone(charge.phone)
  const amount = formatShillings(charge.amount)
  if (charge.status === 'succeeded')
    return <Verdict tone="good" ended="paid" title={ASK.paid.title} says={[ASK.paid.says(amount, phone)]} />
  if (charge.status === 'refunded') return <Verdict tone="warn" title={ASK.refunded.title} says={[ASK.refunded.says]} />
  if (charge.status === 'failed') {
    const { what, todo } = CHARGE_FAILURE_WORDS[charge.failureReason ?? 'rail_rejected']
    return (
      <>
        <Verdict tone="bad" ended="failed" title={ASK.failed.title} says={[what, ASK.failed.says, todo]} />
        {mayAsk(visit) && (
          <a class="button" href={addressWith(visit.to('/ask'), { again: charge.id })}>
            {ASK.failed.again}
          </a>
        )}
      </>
    )
  }
  const { waiting } = ASK
  const says =
    visit.mode === 'test' ? [waiting.test] : [waiting.says(phone, visit.merchant.name), waiting.check(amount)]
  return <Verdict tone="open" title={waiting.title} says={says} />
}

type VerdictProps = { tone: 'good' | 'bad' | 'open' | 'warn'; title: string; says: readonly string[]; ended?: string }

/** What the person at the till must see from a step away. A script plays a sound when it has ended. */
const Verdict = ({ tone, title, says, ended }: VerdictProps) => (
  <div class={`verdict ${tone}`} role="status" data-ended={ended}>
    <p class="big">{title}</p>
    {says.map((sentence) => (
      <p>{sentence}</p>
    ))}
  </div>
)

const Onwards = ({ visit, href, label }: { visit: DashboardVisit; href: string; label: string }) => (
  <nav class="onwards" aria-label={ASK.title}>
    {mayAsk(visit) && (
      <a class="button" href={visit.to('/ask')}>
        {ASK.next}
      </a>
    )}
    <a class="button plain" href={href}>
      {label}
    </a>
    <a class="button plain" href={visit.to('/counter')}>
      {ASK.counter}
    </a>
  </nav>
)
