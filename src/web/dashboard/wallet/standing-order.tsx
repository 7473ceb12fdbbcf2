import { mayDo } from '../../../api/access/allow.ts'
import { findStandingOrder } from '../../../payments/withdrawals/standing-orders/find-standing-orders.ts'
import type {
  Rhythm,
  StandingOrder,
  StandingOrderTerms,
} from '../../../payments/withdrawals/standing-orders/standing-order.ts'
import { formatHour, formatRhythm, WEEKDAYS } from '../../../reports/words/rhythms.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Note, OutsideText, PhoneNumber, Section, State, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { STANDING_ORDER as words } from '../texts/standing-order.ts'
import type { DashboardVisit } from '../visit.ts'
import { WalletTabs } from './wallet-tabs.tsx'

const { facts, form } = words
export const STANDING_ORDER_PATH = '/wallet/withdrawals/standing-order'
const HOURS_OF_A_DAY = 24
const DEFAULT_HOUR = 20
// The week begins on Monday, and its numbers with Sunday.
const WEEK = [1, 2, 3, 4, 5, 6, 0]

export const SET_STANDING_ORDER: FormSpec = {
  path: `${STANDING_ORDER_PATH}/set`,
  action: 'standing-order.set',
  fields: [
    {
      ...{ name: 'when', label: form.when, kind: 'select' },
      choices: [
        { value: 'daily', label: form.daily },
        ...WEEK.map((day) => ({ value: `weekly ${day}`, label: form.weekly(WEEKDAYS[day] ?? '') })),
        { value: 'above', label: form.above },
      ],
    },
    {
      ...{ name: 'clock', label: form.clock, kind: 'select', hint: form.clockHint },
      choices: Array.from({ length: HOURS_OF_A_DAY }, (_, hour) => ({ value: String(hour), label: formatHour(hour) })),
    },
    { name: 'keep', label: form.keep, hint: form.keepHint, kind: 'amount', optional: true },
    { name: 'least', label: form.least, hint: form.leastHint, kind: 'amount' },
    { name: 'limit', label: form.limit, hint: form.limitHint, kind: 'amount', about: ['day_limit'] },
  ],
  submit: form.submit,
}
export const STOP_STANDING_ORDER: FormSpec = {
  path: `${STANDING_ORDER_PATH}/:id/stop`,
  action: 'standing-order.stop',
  fields: [],
  submit: words.stop,
  danger: true,
}

/** Parses the fields of a form that `parseForm` has accepted. */
export const parseOrderTerms = (values: FormValues): StandingOrderTerms => ({
  ...parseRhythm(values),
  keepBack: getAmount(values, 'keep'),
  least: getAmount(values, 'least'),
  dayLimit: getAmount(values, 'limit'),
})

function parseRhythm({ when = '', clock }: FormValues): Rhythm {
  const hour = Number(clock)
  if (when === 'above') return { rhythm: 'above', weekday: null, hour: null }
  if (when === 'daily') return { rhythm: 'daily', weekday: null, hour }
  return { rhythm: 'weekly', weekday: Number(when.split(' ')[1]), hour }
}

/** Shows the form of the standing order, with the terms that it has now. */
export async function showStandingOrder(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const order = visit.mode === 'test' ? null : await findStandingOrder(visit.app, visit.merchant.id)
  const minimum = formatShillings(visit.app.config.withdrawalMin)
  return pageReply(
    form.title,
    <>
      <h1>{form.title}</h1>
      <WalletTabs visit={visit} at="/wallet/withdrawals" />
      {visit.mode === 'test' ? (
        <Note>{form.inTest}</Note>
      ) : (
        <>
          <p>{form.lead(minimum)}</p>
          <FormBox of={SET_STANDING_ORDER} visit={visit} state={state} values={buildFormValues(visit, order)} />
        </>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

function buildFormValues({ app }: DashboardVisit, order: StandingOrder | null): FormValues {
  if (order === null || order.state === 'stopped')
    return { when: 'daily', clock: String(DEFAULT_HOUR), least: String(app.config.withdrawalMin) }
  return {
    when: order.rhythm === 'weekly' ? `weekly ${order.weekday}` : order.rhythm,
    clock: String(order.hour ?? DEFAULT_HOUR),
    keep: String(order.keepBack),
    least: String(order.least),
    limit: String(order.dayLimit),
  }
}

type CardProps = { visit: DashboardVisit; state: FormState | null; hasNumber: boolean }

/** The standing order on the page of withdrawals: what it does, when it runs next, or why it does not. */
export async function StandingOrderCard({ visit, state, hasNumber }: CardProps) {
  const order = await findStandingOrder(visit.app, visit.merchant.id)
  const isOver = order === null || order.state === 'stopped'
  const maySet = mayDo(visit.caller, 'standing-order.set') && !visit.readOnly
  return (
    <Section title={words.title} id="standing-order" aside={order !== null && <OrderState order={order} />}>
      {isOver && <p>{hasNumber ? words.none : words.needsNumber}</p>}
      {order !== null && <OrderNote order={order} />}
      {order !== null && <OrderFacts order={order} />}
      <div class="actions">
        {maySet && (hasNumber || !isOver) && (
          <a class="button" href={visit.to(STANDING_ORDER_PATH)}>
            {isOver ? words.setUp : words.change}
          </a>
        )}
        {!isOver && <FormBox of={STOP_STANDING_ORDER} visit={visit} state={state} params={{ id: order.id }} compact />}
      </div>
    </Section>
  )
}

const OrderState = ({ order: { state, stillSays } }: { order: StandingOrder }) =>
  stillSays === null ? <State of="standingOrder" state={state} /> : <Status word={words.still} tone="warn" />

function OrderNote({ order }: { order: StandingOrder }) {
  const { state, waitsFor, stillSays } = order
  if (stillSays !== null) return <Note tone="warn">{words.stillSays(stillSays)}</Note>
  if (state === 'waiting')
    return <Note tone={waitsFor === 'number' ? 'warn' : 'open'}>{words.waits[waitsFor ?? 'new']}</Note>
  return state === 'refused' ? <Note tone="bad">{words.refused}</Note> : null
}

function OrderFacts({ order }: { order: StandingOrder }) {
  const { state, keepBack, least, dayLimit, approvedLimit, approvedPhone, dueAt, stillSince, lastAt, lastFound, note } =
    order
  if (state === 'stopped') return note === null ? null : <Facts facts={[[words.ended, <OutsideText text={note} />]]} />
  return (
    <>
      <Facts
        facts={[
          dueAt !== null && stillSince === null && [facts.next, <Time at={dueAt} />],
          stillSince !== null && [facts.since, <Time at={stillSince} />],
          [facts.when, formatRhythm(order)],
          approvedPhone !== null && [facts.phone, <PhoneNumber phone={approvedPhone} />],
          [facts.keepBack, <Money amount={keepBack} />],
          [facts.least, <Money amount={least} />],
          [facts.dayLimit, <Money amount={dayLimit} />],
          approvedLimit !== null && [facts.approvedLimit, <Money amount={approvedLimit} />],
          lastAt !== null &&
            lastFound !== null && [
              facts.last,
              <>
                <Time at={lastAt} />, {words.found[lastFound]}
              </>,
            ],
          note !== null && [facts.note, <OutsideText text={note} />],
        ]}
      />
      {approvedLimit !== null && approvedLimit < dayLimit && <p class="hint always">{words.aboveLimit}</p>}
    </>
  )
}
