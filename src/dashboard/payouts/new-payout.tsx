import { mayDo } from '../../actors/allow.ts'
import { readBody } from '../../http/read-body.ts'
import { readBalance } from '../../ledger/balances.ts'
import { payoutFee } from '../../ledger/fees.ts'
import { addressOfStep, stepIn } from '../../pages/carried-step.ts'
import { FormBox } from '../../pages/form.tsx'
import { amountOf, FieldFault, type FormSpec, type FormState, type Values } from '../../pages/form-spec.ts'
import { Facts, Money, Note, Said, Section } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { type PayoutCreate, PayoutCreateShape } from '../../payouts/payout-request.ts'
import { checkPayout } from '../../payouts/prepared/check-payout.ts'
import { checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { lookUpWallet } from '../../payouts/resolve-account.ts'
import { Refusal } from '../../platform/refusal.ts'
import { PAYOUTS } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { create } = PAYOUTS

const FIELDS: FormSpec['fields'] = [
  { name: 'phone', label: create.phone, kind: 'phone', refused: /phone|wallet/ },
  {
    name: 'amount',
    label: create.amount,
    kind: 'amount',
    hint: create.amountHint,
    refused: /^(?:invalid request: )?amount|^insufficient/,
  },
  { name: 'name', label: create.name, optional: true, most: 200, refused: /recipient\.name/ },
  { name: 'reference', label: create.reference, optional: true },
]
const NOTE = { name: 'note', label: create.note, optional: true, most: 500 } as const

/** Asks the operator whose wallet it is, before the money is sent. */
export const CHECK: FormSpec = {
  path: '/payouts/check',
  action: 'payout.prepare',
  fields: [...FIELDS, NOTE],
  submit: create.check,
}

// What is hidden has no place for a fault: every refusal stands above the form.
const NO_TEXT = /(?!)/
const sending = (action: FormSpec['action'], submit: string): FormSpec => ({
  path: '/payouts/send',
  action,
  fields: [...FIELDS, NOTE].map((field) => ({ ...field, kind: 'hidden' as const, refused: NO_TEXT })),
  submit,
  once: true,
})
/** Who may send alone sends, by a form that asks for a fresh factor. */
export const SEND = sending('payout.create', create.send)
/** An accountant prepares. */
export const PREPARE: FormSpec = { ...sending('payout.prepare', create.prepare), path: '/payouts/prepare' }

/** The first step: to whom, and how much. */
export async function showNewPayout(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { phone, amount, name, reference, note } = visit.query
  const typed = { phone, amount, name, reference, note }
  const values = Object.fromEntries(Object.entries(typed).map(([field, value]) => [field, value ?? '']))
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  return shownPage(
    create.title,
    <>
      <h1>{create.title}</h1>
      <Facts facts={[[create.available, <Money amount={Number(available)} />]]} />
      {visit.mode === 'test' && <p class="hint">{create.inTest}</p>}
      <FormBox of={CHECK} visit={visit} state={state} values={values} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** What the fields of the form ask for, read like the body of a request. */
export const payoutOf = (values: Values): PayoutCreate =>
  readBody(PayoutCreateShape, {
    amount: amountOf(values, 'amount'),
    recipient: { phone: values.phone, name: values.name },
    reference: values.reference,
  })

/** The second step: whose wallet it is, what leaves the balance, and the form that sends it. */
export async function checkRecipient(visit: DashboardVisit, values: Values): Promise<Shown> {
  const input = payoutOf(values)
  // Before the operator is asked: a look-up is counted, and what cannot be sent needs none.
  await checkPayout(visit.app, { caller: visit.caller, input })
  const holder = await holderOf(visit, input.recipient.phone)
  return doneTo(await addressOfStep(visit, CHECK.path, { values, holder } satisfies Checked))
}

type Checked = { values: Values; holder: string }

/** The page of the second step; without what the first one has found, the first one. */
export async function showChecked(visit: DashboardVisit): Promise<Shown> {
  const found = (await stepIn(visit, CHECK.path)) as Checked | null // As `checkRecipient` has written it.
  if (found === null) return showNewPayout(visit)
  return showSending(visit, found.values, { holder: found.holder, state: null })
}

async function holderOf({ app, caller }: DashboardVisit, phone: string): Promise<string> {
  try {
    await app.exactWindows.resolve_account.takeNow(caller, app.clock.nowMs())
    const { active, registered_name: name } = await lookUpWallet(app, caller, phone)
    if (!active) throw new FieldFault('phone', create.nobody)
    return name ?? create.noName
  } catch (error) {
    if (error instanceof Refusal) return create.unasked
    throw error
  }
}

/** The same step after a refusal; the operator is not asked again. */
export const showSendingAgain = (visit: DashboardVisit, state: FormState): Promise<Shown> =>
  // Without an amount there is nothing to check: it was sent past the first step.
  amountOf(state.values, 'amount') === 0
    ? showNewPayout(visit, { ...state, path: CHECK.path })
    : showSending(visit, state.values, { holder: null, state })

type Step = { holder: string | null; state: FormState | null }

async function showSending(visit: DashboardVisit, values: Values, { holder, state }: Step): Promise<Shown> {
  const amount = amountOf(values, 'amount')
  const total = amount + payoutFee(amount)
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  const typed = { phone: values.phone, amount: values.amount, name: values.name }
  const back = { ...typed, reference: values.reference, note: values.note }
  return shownPage(
    create.checkTitle,
    <>
      <h1>{create.checkTitle}</h1>
      <Section title={ugx(amount)}>
        <Facts
          facts={[
            holder !== null && [create.holder, <Said text={holder} />],
            [PAYOUTS.facts.phone, <Said text={values.phone ?? ''} />],
            [PAYOUTS.facts.name, <Said text={values.name ?? ''} />],
            [PAYOUTS.facts.reference, <Said text={values.reference ?? ''} />],
            [PAYOUTS.facts.amount, <Money amount={amount} />],
            [PAYOUTS.facts.fee, <Money amount={total - amount} />],
            [create.total, <Money amount={total} />],
            [create.available, <Money amount={Number(available)} />],
          ]}
        />
        <SecondPerson
          visit={visit}
          amount={amount}
          above={(await checkerState(visit.app, visit.caller)).above}
        />
        <FormBox
          of={mayDo(visit.caller, 'payout.create') ? SEND : PREPARE}
          visit={visit}
          state={state}
          values={values}
        />
        <a class="button plain" href={addressWith(visit.to('/payouts/new'), back)}>
          {create.change}
        </a>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

function SecondPerson({
  visit,
  amount,
  above,
}: {
  visit: DashboardVisit
  amount: number
  above: number | null
}) {
  if (!mayDo(visit.caller, 'payout.create')) return <Note>{create.accountant}</Note>
  if (visit.mode === 'test' || above === null || amount <= above) return null
  return <Note>{create.alone(ugx(above))}</Note>
}
